"""No hidden copy of X: 1 GB of rows in every form that is read where it is, through fit and transform.

Each form is tried in a process of its own. PCA reads the rows block by block; kernel PCA may hold what its plan says (a linear
kernel's: centred rows in double), and nothing that it does not say. What is taken beside the rows is the growth of resident memory that is not backed
by a file (pages of a mapped file may be dropped whenever somebody else needs them), at its highest, seen every few
milliseconds by a thread while the call runs.
"""
import json
import os
import subprocess
import sys

import pytest

GIGABYTE = 1 << 30
CODE = """
import json, os, sys, tempfile, threading, time
import numpy as np, mercer
form, bytes_of_rows, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
columns = 64
kind = {"float32": np.float32, "uint8": np.uint8}.get(form.split()[0], np.float64)
n = bytes_of_rows // (columns * np.dtype(kind).itemsize)
block = np.random.default_rng(0).standard_normal((4096, columns)) * np.linspace(3, 1, columns)
block = (np.clip(np.rint(20 * block + 128), 0, 255) if kind is np.uint8 else block).astype(kind)
if form == "memmap":
    X = np.lib.format.open_memmap(os.path.join(folder, "rows.npy"), "w+", kind, (n, columns))
else:
    X = np.empty((n, columns), kind, order="F" if "Fortran" in form else "C")
for start in range(0, n, len(block)):
    X[start:start + len(block)] = block[:n - start]
if form == "memmap":
    X.flush()
    X = np.load(os.path.join(folder, "rows.npy"), mmap_mode="r")
if form == "every second row":
    X = np.empty((0, 0))
    X = np.empty((2 * n, columns))[::2]
    for start in range(0, n, len(block)):
        X[start:start + len(block)] = block[:n - start]

def anonymous():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) / 1024

class Watch:
    def __enter__(self):
        self.before = self.most = anonymous()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self
    def look(self):
        while not self.done.wait(0.004):
            self.most = max(self.most, anonymous())
    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.taken = max(self.most, anonymous()) - self.before

taken = {}
mercer.PCA(2, n_jobs=2).fit(X[:5000]).transform(X[:5000])
with Watch() as fit:
    pca = mercer.PCA(2, n_jobs=2).fit(X)
with Watch() as transform:
    scores = pca.transform(X)
taken["pca fit"], taken["pca transform"] = fit.taken, transform.taken - scores.nbytes / 2 ** 20
del scores
some = mercer.KernelPCA(2, kernel="rbf", n_jobs=2).fit(X[:200])
with Watch() as transform:
    scores = some.transform(X)
taken["kernel pca transform"] = transform.taken - scores.nbytes / 2 ** 20
del scores
part = X[:len(X) // 8]
linear = mercer.KernelPCA(2, kernel="linear", copy_X=False, n_jobs=2, certify="none")
with Watch() as fit:
    linear.fit(part)
planned = linear.plan_["predicted_bytes"] / 2 ** 20 - part.size * part.itemsize / 2 ** 20  # the rows are there already
taken["linear kernel pca fit, beyond its plan"] = fit.taken - planned
print(json.dumps([X.nbytes if form != "every second row" else X.size * 8, taken]))
"""

FORMS = ["float64", "float32", "uint8", "float64 Fortran", "memmap", "every second row"]


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_a_gigabyte_are_not_copied(form, tmp_path):
    size = GIGABYTE // 2 if form == "every second row" else GIGABYTE  # whose other half is there, too
    done = subprocess.run([sys.executable, "-c", CODE, form, str(size), str(tmp_path)], capture_output=True, text=True,
                          check=False, env={**os.environ, "OPENBLAS_NUM_THREADS": "2"})
    assert done.returncode == 0, done.stderr
    held, taken = json.loads(done.stdout.splitlines()[-1])
    print(form, held >> 20, {name: round(one) for name, one in taken.items()})
    assert held > 0.99 * size
    assert max(taken.values()) < 0.15 * size / 2 ** 20, taken
