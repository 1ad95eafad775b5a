#!/usr/bin/env python3
"""The same fit by the program and from Python: what the way through Python costs.

    bench/python_speed.py build/bin/mercer [ROWS] [ROUNDS]

Kernel PCA of ROWS (default 10 000) rows of 50 columns in float64, ten components of a Gaussian of median width, in turns by
the program and by a fresh Python process, ROUNDS (default 7) times after one to warm up. Of both it is the time of the fit
alone that counts, plan and all: the program's by its own report (reading and writing left out), Python's by the clock around
fit(). Prints the least times and their ratio (whatever else runs on a machine only adds), the ratio of the medians, the same
for float32 rows, and fails where the first is above 1.05 or where the plans, the kernels of the BLAS or the eigenvalues
differ.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 1.05
IN_PYTHON = """
import json, sys, time
import mercer, numpy as np
X = np.load(sys.argv[1])
kpca = mercer.KernelPCA(10, kernel="gaussian")
start = time.perf_counter()
kpca.fit(X)
seconds = time.perf_counter() - start
plan = kpca.plan_
print(json.dumps({"seconds": seconds, "operator": plan["operator"], "solver": plan["solver"],
                  "precision": plan["precision"], "kernels": mercer.blas()["kernels"], "eigenvalues": list(kpca.eigenvalues_)}))
"""


def by_program(program, name):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "fit", name, "--components", "10", "--json", "-o", f"{folder}/model.mercer"],
                              check=True, capture_output=True, text=True)
    fit = json.loads(done.stdout)
    seconds = fit["seconds"]
    said = subprocess.run([program, "--version", "--verbose"], check=True, capture_output=True, text=True).stdout
    return {"seconds": seconds["plan"] + seconds["solve"], "operator": fit["plan"]["operator"], "solver": fit["plan"]["solver"],
            "precision": fit["plan"]["precision"], "said": said, "eigenvalues": fit["eigenvalues"]}


def by_python(package, name):
    environment = {**os.environ, "PYTHONPATH": package}
    done = subprocess.run([sys.executable, "-c", IN_PYTHON, name], check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def compare(program, package, name, rounds, what):
    by_program(program, name), by_python(package, name)
    runs = [(by_program(program, name), by_python(package, name)) for _ in range(rounds)]
    for ours, theirs in runs:
        for key in ("operator", "solver", "precision", "eigenvalues"):
            if ours[key] != theirs[key]:
                raise SystemExit(f"{key} differs: {ours[key]} by the program, {theirs[key]} from Python")
        if theirs["kernels"] not in ours["said"]:
            raise SystemExit(f"kernels of the BLAS differ: {theirs['kernels']} from Python, the program says\n{ours['said']}")
    program_s, python_s = (min(run[i]["seconds"] for run in runs) for i in (0, 1))
    medians = [statistics.median(run[i]["seconds"] for run in runs) for i in (0, 1)]
    ratio = python_s / program_s
    print(f"{what}: program {program_s:.3f} s, Python {python_s:.3f} s, ratio {ratio:.3f} (of medians "
          f"{medians[1] / medians[0]:.3f}); {runs[0][0]['operator']} + {runs[0][0]['solver']}")
    return ratio


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    program = Path(sys.argv[1]).resolve()
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    import numpy as np
    numbers = np.random.default_rng(1).standard_normal((rows, 50)) * np.linspace(3, 1, 50)
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for kind in (np.float64, np.float32):
            name = os.path.join(folder, "rows.npy")
            np.save(name, numbers.astype(kind))
            worst = max(worst, compare(str(program), str(program.parent.parent / "python"), name, rounds,
                                       f"{rows} rows, {np.dtype(kind).name}"))
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
