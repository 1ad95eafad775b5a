"""The other programs: what may run for a scenario, and one run of each in a fresh process.

Every candidate is a way to run a peer; which of them counts (the fastest that is accurate enough) is for measure.py to
find out. `jobs` is scikit-learn's n_jobs: by default it evaluates the kernel on one core and leaves the other to BLAS.
"""
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import process

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Candidate:
    name: str
    solver: str = ""
    dtype: str = "float64"
    jobs: int = 1


SKLEARN = (
    Candidate("scikit-learn arpack float32", "arpack", "float32"),
    Candidate("scikit-learn arpack float32, all jobs", "arpack", "float32", process.CORES),
    Candidate("scikit-learn randomized float32", "randomized", "float32"),
    Candidate("scikit-learn arpack float64", "arpack", "float64"),
    Candidate("scikit-learn arpack float64, all jobs", "arpack", "float64", process.CORES),
    Candidate("scikit-learn randomized float64", "randomized", "float64"),
)
KERNLAB = (Candidate("kernlab kpca"),)


def run_sklearn(candidate, files, components, gamma, folder):
    vectors, scores = folder / "peer_vectors.npy", folder / "peer_scores.npy"
    command = [sys.executable, HERE / "peer_sklearn.py", files["train"], "--gamma", repr(gamma), "--components",
               components, "--solver", candidate.solver, "--dtype", candidate.dtype, "--vectors", vectors]
    if candidate.jobs > 1:
        command += ["--jobs", candidate.jobs]
    if files["new"]:
        command += ["--new", files["new"], "--scores", scores]
    finished = process.run(command)
    return {**json.loads(finished.output), "wall_seconds": finished.seconds}


def run_kernlab(files, components, gamma, folder):
    rows, columns = files["shape"]
    table, vectors = folder / "table.bin", folder / "peer_vectors.npy"
    process.run([sys.executable, "-c", "import sys, numpy; numpy.load(sys.argv[1]).astype('<f8').tofile(sys.argv[2])",
                 files["train"], table])
    finished = process.run(["Rscript", HERE / "peer_kernlab.R", table, rows, columns, repr(gamma), components, vectors])
    return {**json.loads(finished.output), "vectors": str(vectors), "wall_seconds": finished.seconds,
            "peak_bytes": finished.peak_bytes}


def run(candidate, files, components, gamma, folder):
    """One run: seconds, peak_bytes, eigenvalues, vectors; with new rows also transform_seconds and scores."""
    if candidate in KERNLAB:
        return run_kernlab(files, components, gamma, folder)
    return run_sklearn(candidate, files, components, gamma, folder)


def versions():
    """The peers' versions, by name."""
    script = ("import json, numpy, scipy, sklearn; print(json.dumps({'scikit-learn': sklearn.__version__, "
              "'NumPy': numpy.__version__, 'SciPy': scipy.__version__}))")
    found = json.loads(process.run([sys.executable, "-c", script]).output)
    try:
        found["kernlab"] = process.run(
            ["Rscript", "-e", "cat(as.character(packageVersion('kernlab')))"]).output.strip()
    except (process.Failed, OSError):
        found["kernlab"] = "not installed"
    return found
