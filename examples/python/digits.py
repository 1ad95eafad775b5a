"""Noise taken out of small pictures of digits: by principal components, and by kernel components with a way back.

Needs matplotlib; it shows pictures of digits, with noise and without.
"""
# %% 1797 digits of 8 x 8 pixels, from 0 to 1; the noise is as strong as the strokes.
import matplotlib.pyplot as plt
import numpy as np

from mercer import PCA, KernelPCA, data  # PCA and KernelPCA stand in place of those of sklearn.decomposition

clean = data("digits").data / 16.0
noisy = clean + np.random.default_rng(0).normal(scale=0.25, size=clean.shape)
chosen = np.random.default_rng(1).permutation(len(clean))
train, new = chosen[:1000], chosen[1000:1100]

# %% Both learn from noisy digits alone. New ones are then what their leading components say of them.
pca = PCA(n_components=15).fit(noisy[train])
kernel_pca = KernelPCA(n_components=40, kernel="rbf", gamma=0.03, fit_inverse_transform=True, alpha=0.2).fit(noisy[train])
by_pca = pca.inverse_transform(pca.transform(noisy[new]))
by_kernel_pca = kernel_pca.inverse_transform(kernel_pca.transform(noisy[new]))

# %% What is left of the noise, as the mean square over all pixels.
errors = {name: float(((digits - clean[new]) ** 2).mean())
          for name, digits in (("noisy", noisy[new]), ("PCA", by_pca), ("kernel PCA", by_kernel_pca))}
for name, error in errors.items():
    print(f"{name:12} {error:.4f}")

# %% Eight of them.
figure, panels = plt.subplots(4, 8, figsize=(9, 5))
rows = (("clean", clean[new]), ("noisy", noisy[new]), ("PCA", by_pca), ("kernel PCA", by_kernel_pca))
for line, (name, digits) in zip(panels, rows):
    for panel, digit in zip(line, digits):
        panel.imshow(digit.reshape(8, 8), cmap="Greys", vmin=0, vmax=1)
        panel.set_xticks([])
        panel.set_yticks([])
    line[0].set_ylabel(name)
figure.tight_layout()

plt.show()
