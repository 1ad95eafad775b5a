"""The commands that are run again and again, each with one failing call: their inputs, arguments and outputs."""

import os
import random
import subprocess

THREADS = ["--threads", "3"]
TILED = [*THREADS, "--operator", "blocked_gram"]


class Command:
    """output: the file it writes, or None; other: arguments that write something else to the same file; kept: a file
    that a failing run may leave, from which the next one goes on."""

    def __init__(self, name, args, output=None, other=None, kept=None):
        self.name, self.args, self.output, self.other, self.kept = name, args, output, other, kept


COMMANDS = [
    Command("fit-dense", ["fit", "points.csv", "--solver", "dense", "--reproducible", "-o", "out.mercer", *THREADS],
            "out.mercer", ["fit", "points.csv", "--components", "1", "-o", "out.mercer"]),
    Command("fit-krylov", ["fit", "points.csv", "--solver", "block_krylov", "--components", "3", "--reproducible",
                           "-o", "out.mercer", *TILED],
            "out.mercer", ["fit", "points.csv", "--components", "1", "-o", "out.mercer"]),
    Command("fit-kept", ["fit", "points.csv", "--solver", "lanczos", "--components", "2", "--reproducible",
                         "--checkpoint", "c.checkpoint", "-o", "out.mercer", *TILED],
            "out.mercer", ["fit", "points.csv", "--components", "1", "-o", "out.mercer"], kept="c.checkpoint"),
    Command("fit-sparse", ["fit", "words.libsvm", "--reproducible", "--components", "3", "-o", "out.mercer", *THREADS],
            "out.mercer", ["fit", "points.csv", "--components", "1", "-o", "out.mercer"]),
    Command("transform", ["transform", "model.mercer", "points.csv", "-o", "out.csv", *THREADS],
            "out.csv", ["convert", "points.csv", "out.csv"]),
    Command("convert", ["convert", "packed.csv.gz", "out.npz"],
            "out.npz", ["convert", "scores.csv", "out.npz"]),
    Command("plan", ["plan", "points.csv", *THREADS]),
    Command("info", ["info", "model.mercer"]),
    Command("inverse", ["inverse", "pca.mercer", "scores.csv", "-o", "out.csv"],
            "out.csv", ["convert", "points.csv", "out.csv"]),
]

INPUTS = ["points.csv", "packed.csv.gz", "words.libsvm", "model.mercer", "pca.mercer", "scores.csv"]


def words():
    """Rows with few entries, LibSVM."""
    rng = random.Random(7)
    rows = []
    for i in range(80):
        columns = sorted(rng.sample(range(1, 300), 12))
        rows.append(f"{i % 2} " + " ".join(f"{c}:{rng.gauss(0, 1):.6g}" for c in columns))
    return "\n".join(rows) + "\n"


def environment(folder):
    """Nothing of the user's settings. One process with the BLAS kernels that come: a fault before the program could
    start again with better ones is handled by going on, rightly, but to other last digits than those compared with."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MERCER_", "LD_PRELOAD"))}
    return {**kept, "HOME": folder, "XDG_CONFIG_HOME": os.path.join(folder, ".config"), "LC_ALL": "C.UTF-8",
            "MERCER_BLAS": "keep"}


def make_inputs(binary, folder):
    """The input files of all commands, made by the program without any fault."""
    with open(os.path.join(folder, "words.libsvm"), "w", encoding="utf-8") as file:
        file.write(words())
    for args in (["data", "blobs", "-n", "150", "--dim", "4", "--noise", "0.3", "-o", "points.csv"],
                 ["convert", "points.csv", "packed.csv"],
                 ["fit", "points.csv", "--components", "3", "-o", "model.mercer"],
                 ["fit", "points.csv", "--method", "pca", "--components", "2", "-o", "pca.mercer"],
                 ["transform", "pca.mercer", "points.csv", "-o", "scores.csv"]):
        run(binary, args, folder)
    subprocess.run(["gzip", "-f", os.path.join(folder, "packed.csv")], check=True)


def run(binary, args, folder):
    """A run that must succeed."""
    done = subprocess.run([binary, *args], cwd=folder, capture_output=True, check=False, timeout=60,
                          env=environment(folder))
    if done.returncode != 0:
        raise RuntimeError(f"mercer {' '.join(args)}: {done.returncode}: {done.stderr.decode()}")
    return done
