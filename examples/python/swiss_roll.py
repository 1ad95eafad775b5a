"""A sheet that is rolled up in space: unrolled by distances along the sheet, which only neighbours can tell.

Needs matplotlib, and SciPy for shortest paths. It shows the roll, its principal components, and the sheet.
"""
# %% Points of the roll; where they lie along the sheet follows from their distance from its axis.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

import mercer

roll = mercer.data("swiss_roll", n=1200, noise=0.0, seed=1)
X = roll.data
turn = np.hypot(X[:, 0], X[:, 2])
along = (turn * np.sqrt(1 + turn ** 2) + np.arcsinh(turn)) / 2  # length of the spiral up to that turn

# %% Distances along the sheet: from neighbour to neighbour, the shortest way.
squares = (X ** 2).sum(axis=1)
apart = np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * X @ X.T, 0))
nearest = np.argsort(apart, axis=1)[:, 1:9]
rows = np.repeat(np.arange(len(X)), nearest.shape[1])
graph = csr_matrix((apart[rows, nearest.ravel()], (rows, nearest.ravel())), shape=apart.shape)
ways = shortest_path(graph, directed=False)
assert np.isfinite(ways).all(), "the graph of neighbours falls apart: take more of them"

# %% Points of a plane with these distances: classical scaling, which is kernel PCA of a kernel made of distances. Shortest
# ways are not quite those of a plane, which leaves negative eigenvalues: mercer warns of them (W242) and goes on without.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", mercer.MercerWarning)
    unrolled = mercer.ClassicalMDS(n_components=2, as_="distance").fit_transform(ways)
flat = mercer.PCA(n_components=2).fit_transform(X)
wide = mercer.KernelPCA(n_components=2, kernel="gaussian", sigma="median").fit_transform(X)


# %% How well does the best component say where a point lies along the sheet?
def follows(scores):
    return max(abs(np.corrcoef(column, along)[0, 1]) for column in scores.T)


agreement = {"PCA": follows(flat), "kernel PCA": follows(wide), "along the sheet": follows(unrolled)}
for name, value in agreement.items():
    print(f"{name:16} correlation with the place along the sheet {value:.3f}")

# %% The pictures.
figure = plt.figure(figsize=(13, 3.6))
panel = figure.add_subplot(1, 4, 1, projection="3d")
panel.scatter(*X.T, c=along, s=6)
for place, (scores, title) in enumerate(((flat, "PCA"), (wide, "kernel PCA"), (unrolled, "distances along the sheet")), 2):
    panel = figure.add_subplot(1, 4, place)
    panel.scatter(scores[:, 0], scores[:, 1], c=along, s=6)
    panel.set_title(title)
figure.tight_layout()

plt.show()
