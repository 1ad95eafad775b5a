#!/usr/bin/env bash
# Runs scikit-learn and R anew and compares with the stored reference values.
set -euo pipefail
project=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=/usr/bin/python3
"$python" -c 'import sklearn' 2>/dev/null || { echo "scikit-learn is not installed (python3-sklearn)"; exit 1; }
"$python" "$project/tools/make_reference.py" --check "$folder"
Rscript "$project/tools/make_reference.R" --check "$folder"
"$python" "$project/tools/compare_reference.py" "$folder"
