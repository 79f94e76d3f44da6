#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inlay-minilm with all-MiniLM-L6-v2, in INLAY_MINILM_MODEL or where examples/minilm/fetch.sh puts it, against the
# embeddings that transformers computed (tests/golden/minilm.json). Skipped where the model is not there.
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
model=${INLAY_MINILM_MODEL:-$tests/../build/minilm}
if [[ ! -f $model/model.safetensors ]]; then
    echo "skipped: all-MiniLM-L6-v2 is not in $model; examples/minilm/fetch.sh brings it"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$tests/program/bert.py" ids "$tests/golden/minilm.json" >"$dir/ids.txt"
for batch in 1 16; do
    "$INLAY_MINILM" --model "$model" --ids "$dir/ids.txt" --batch $batch >"$dir/embeddings.txt"
    python3 "$tests/program/bert.py" golden "$tests/golden/minilm.json" "$dir/embeddings.txt"
done
echo "all passed"
