"""Comparisons that share no code with the package."""
import numpy as np


def gap(a, b):
    """Sine of the largest angle between the spans of the columns of a and b."""
    left, right = np.linalg.qr(a)[0], np.linalg.qr(b)[0]
    return np.linalg.norm(left - right @ (right.T @ left), 2)


def turned(a, b):
    """The columns of a with the signs of those of b."""
    return a * np.where((a * b).sum(axis=0) < 0, -1.0, 1.0)


def dense_kernel_pca(kernel, new, components):
    """Eigenvalues, scores of the training rows and of new ones, by the textbook: kernel is of the training rows, new of
    new against training rows."""
    n = len(kernel)
    middle = np.eye(n) - np.full((n, n), 1.0 / n)
    values, vectors = np.linalg.eigh(middle @ kernel @ middle)
    values, vectors = values[::-1][:components], vectors[:, ::-1][:, :components]
    centred = (new - kernel.mean(axis=0)) @ middle
    return values, vectors * np.sqrt(values), centred @ vectors / np.sqrt(values)


def gaussian(a, b, gamma):
    return np.exp(-gamma * ((a[:, None] - b[None]) ** 2).sum(axis=2))
