#!/usr/bin/env bash
# Runs scikit-learn's LinearDiscriminantAnalysis anew and compares with the stored reference values.
set -euo pipefail
project=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=/usr/bin/python3
"$python" -c 'import sklearn' 2>/dev/null || { echo "scikit-learn is not installed (python3-sklearn)"; exit 1; }
"$python" "$project/tools/make_reference_lda.py" "$folder"
"$python" - "$project/tests/oracle/reference" "$folder" <<'END'
import pathlib
import sys

import numpy as np

stored, fresh = (pathlib.Path(name) for name in sys.argv[1:])
failed = 0
files = sorted(stored.glob("lda_*.csv"))
for path in files:
    old, new = (np.loadtxt(folder / path.name, delimiter=",", ndmin=2) for folder in (stored, fresh))
    if "scores" in path.name and old.shape == new.shape:
        new = new * np.sign(np.sum(old * new, axis=0))
    error = np.max(np.abs(old - new)) / np.max(np.abs(old)) if old.shape == new.shape else np.inf
    good = error <= 1e-9
    failed += not good
    print(f"{'pass' if good else 'FAIL'}  {path.stem:28} {error:.1e}")
print(f"{len(files) - failed} passed, {failed} failed")
sys.exit(1 if failed or not files else 0)
END
