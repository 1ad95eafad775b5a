"""Methods that learn from classes and numbers: a search over kernel widths, discriminants, nearest means, least squares.

Needs matplotlib and scikit-learn, whose pipelines and searches take the estimators as they are.
"""
# %% Digits, some to learn from and some to try.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline

import mercer

table = mercer.data("digits", n=900)
X, digits = table.data / 16.0, np.asarray(table.labels).astype(int)
X_train, X_new, y_train, y_new = train_test_split(X, digits, test_size=0.33, random_state=0, stratify=digits)

# %% Kernel components before a linear classifier: the width is chosen by cross-validation.
steps = make_pipeline(mercer.KernelPCA(n_components=40, kernel="rbf"), LogisticRegression(C=100, max_iter=500))
search = GridSearchCV(steps, {"kernelpca__gamma": [0.02, 0.05, 0.1, 0.2]}, cv=3).fit(X_train, y_train)
accuracy = {"kernel PCA and a line": search.score(X_new, y_new)}
print("gamma chosen:", search.best_params_["kernelpca__gamma"])

# %% Discriminants with a kernel find directions in which the classes differ; the ridge comes from leaving rows out.
discriminants = mercer.KernelLDA(kernel="gaussian").fit(X_train, y_train)
means = mercer.NearestMean(kernel="gaussian").fit(X_train, y_train)
accuracy["kernel discriminants"] = discriminants.score(X_new, y_new)
accuracy["nearest means"] = means.score(X_new, y_new)
for name, share in accuracy.items():
    print(f"{name:24} {share:.3f} of new digits are right")

# %% Numbers instead of classes: how slanted a digit is, told by a few combinations of its pixels.
pictures, (down, right) = X.reshape(-1, 8, 8), np.mgrid[:8, :8] - 3.5
ink = pictures.sum(axis=(1, 2))


def mean_of(places):
    return (pictures * places).sum(axis=(1, 2)) / ink


slant = (mean_of(down * right) - mean_of(down) * mean_of(right)) / (mean_of(down ** 2) - mean_of(down) ** 2)
pls = mercer.PLSRegression(n_components=8).fit(X[:600], slant[:600])
explained = pls.score(X[600:], slant[600:])
print(f"partial least squares explains {explained:.2f} of the slant of new digits")

# %% What the discriminants see of new digits, and what the search found.
figure, panels = plt.subplots(1, 2, figsize=(10, 4))
scores = discriminants.transform(X_new)
panels[0].scatter(scores[:, 0], scores[:, 1], c=y_new, cmap="tab10", s=12)
panels[0].set_title("two kernel discriminants of new digits")
panels[1].semilogx(search.cv_results_["param_kernelpca__gamma"].astype(float), search.cv_results_["mean_test_score"], "o-")
panels[1].set_xlabel("gamma")
panels[1].set_ylabel("accuracy, cross-validated")
figure.tight_layout()

# %% The same by Mercer's own figures: classes taken for each other.
confusion = mercer.plot(discriminants, X_new, y_new, kind="confusion")
print(confusion.kind, "of", confusion.kinds)

plt.show()
