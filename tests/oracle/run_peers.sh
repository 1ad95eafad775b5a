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
for method in pca lda centroid; do mkdir -p "$folder/more"; "$python" "$project/tools/make_reference_$method.py" "$folder/more"; done
Rscript "$project/tools/make_reference_pls.R" --check "$folder/more"
"$python" "$project/tools/make_reference_pls.py" --check "$folder/more"
"$python" "$project/tools/compare_stored.py" "$folder/more" pca_ lda_ centroid_ pls_
Rscript "$project/tools/make_mds_reference.R" --check "$folder/mds"
"$python" -W ignore "$project/tools/make_mds_reference.py" --check "$folder/mds"
"$python" "$project/tools/make_ica_reference.py" --check "$folder"
Rscript "$project/tools/make_ica_reference.R" --check "$folder"
"$python" "$project/tools/make_latent_reference.py" --check
Rscript "$project/tools/make_latent_reference.R" --check
