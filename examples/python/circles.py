"""Two circles that no line separates: what principal components see of them, and what kernel components see.

Run it as it is, or cell by cell where an editor knows the marks "# %%". Needs matplotlib; it shows four pictures.
"""
# %% The rows: points on two circles, with noise; half of them to learn from, half to try.
import matplotlib.pyplot as plt
import numpy as np

from mercer import PCA, KernelPCA, data  # PCA and KernelPCA stand in place of those of sklearn.decomposition

circles = data("circles", n=1000, noise=0.05, seed=3)
X, outer = circles.data, np.asarray(circles.labels) == "outer"
chosen = np.random.default_rng(0).permutation(len(X))
train, new = chosen[:500], chosen[500:]

# %% Both methods learn from the same rows.
pca = PCA(n_components=2).fit(X[train])
kernel_pca = KernelPCA(n_components=100, kernel="rbf", gamma=10, fit_inverse_transform=True, alpha=0.01).fit(X[train])
straight, curved = pca.transform(X[new]), kernel_pca.transform(X[new])

# %% A turned plane is all that PCA can show; kernel components bend it.
figure, panels = plt.subplots(1, 3, figsize=(12, 4))
for panel, scores, title in zip(panels, (X[new], straight, curved), ("rows", "PCA", "kernel PCA")):
    for inside, colour in ((outer[new], "tab:blue"), (~outer[new], "tab:orange")):
        panel.scatter(scores[inside, 0], scores[inside, 1], s=8, color=colour)
    panel.set_title(title)
figure.tight_layout()


# %% Are the classes on two sides of a plane now? It is found by least squares, in as many components as are given.
def separated(learnt, shown):
    """The share of new rows that lie on the side of their class."""
    plane, *_ = np.linalg.lstsq(np.c_[np.ones(len(learnt)), learnt], np.where(outer[train], 1.0, -1.0), rcond=None)
    return float(((np.c_[np.ones(len(shown)), shown] @ plane > 0) == outer[new]).mean())


share_of_pca = separated(pca.transform(X[train]), straight)
share_of_kernel_pca = separated(kernel_pca.transform(X[train])[:, :5], curved[:, :5])
print(f"new rows on the right side of a plane: PCA {share_of_pca:.3f}, five kernel components {share_of_kernel_pca:.3f}")

# %% And back again: new rows from their scores, by a regression that was learnt in the fit.
back = kernel_pca.inverse_transform(curved)
error = float(np.sqrt(((back - X[new]) ** 2).sum(axis=1).mean()))
figure, panel = plt.subplots(figsize=(4, 4))
panel.scatter(X[new, 0], X[new, 1], s=8, color="lightgrey", label="new rows")
panel.scatter(back[:, 0], back[:, 1], s=8, color="tab:red", label=f"from their scores, error {error:.2f}")
panel.legend(loc="upper right")

# %% The first component over the whole plane.
if hasattr(kernel_pca, "component_map"):
    x, y, values = kernel_pca.component_map(0, resolution=80)
    figure, panel = plt.subplots(figsize=(4.5, 4))
    panel.contourf(x, y, values, levels=20, cmap="RdBu")
    panel.scatter(X[train, 0], X[train, 1], s=3, color="black")

plt.show()
