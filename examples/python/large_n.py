"""More rows than a kernel matrix could ever have room for: what a fit will take, what it took, what is proven of it.

usage: large_n.py [ROWS]        20 000 without a number; a million takes a minute or two and less than 2 GB

Needs matplotlib.
"""
# %% Rows in single precision, in a file that is mapped: they are read where they are, and never copied.
import os
import resource
import sys
import tempfile

import matplotlib.pyplot as plt
import numpy as np

import mercer

rows = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 20_000
folder = tempfile.TemporaryDirectory()
name = os.path.join(folder.name, "roll.npy")
np.save(name, mercer.data("swiss_roll", n=rows, noise=0.1).data.astype(np.float32))
X = np.load(name, mmap_mode="r")
print(f"{rows} rows; their kernel matrix would take {8 * rows ** 2 / 2 ** 30:.0f} GiB")

# %% Before anything is computed: what would be done, and what it would take.
kpca = mercer.KernelPCA(n_components=6, kernel="gaussian", sigma="median", memory="2G", tolerance=1e-6)
plan = mercer.plan(kpca, X)
print(f"plan: {plan['operator']} + {plan['solver']}, {plan['predicted_bytes'] / 2 ** 20:.0f} MiB, "
      f"about {plan['predicted_seconds']:.2f} s")

# %% The fit keeps to its memory. What it states of its answer it has measured.
kpca.fit(X)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
proof = kpca.certificate_
print(f"explained: {np.round(100 * kpca.explained_variance_ratio_, 1)} %")
print(f"largest residual {kpca.residuals_.max():.1e}; no component was missed: {proof['complete']} ({proof['kind']})")
print(f"memory of the whole process at most {peak / 2 ** 20:.0f} MiB")

# %% Scores of all rows, in blocks; a part of them as a picture.
scores = kpca.transform(X)
shown = np.random.default_rng(0).permutation(rows)[:5000]
turn = np.hypot(X[shown, 0], X[shown, 2])
figure, panels = plt.subplots(1, 2, figsize=(10, 4))
panels[0].scatter(scores[shown, 0], scores[shown, 1], c=turn, s=3)
panels[0].set_title("two kernel components of the roll")
panels[1].bar(np.arange(1, 7), 100 * kpca.explained_variance_ratio_)
panels[1].set_xlabel("component")
panels[1].set_ylabel("explained variance (%)")
figure.tight_layout()

plt.show()
