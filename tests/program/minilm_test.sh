#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inlay-minilm with a tiny model of the same form against plain Python, and what it says of bad input.
set -uo pipefail
python=$(dirname "${BASH_SOURCE[0]}")/bert.py
python=$(realpath "$python")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "FAILED: $*" >&2; exit 1; }

mkdir tiny prefixed
python3 "$python" make tiny && python3 "$python" make prefixed bert. || fail "bert.py make"
printf '1 2 3\n4\n5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28\n  49 0 49 \n7 7\r\n' >ids.txt
"$INLAY_MINILM" --model tiny --ids ids.txt >all.txt || fail "a file of sentences"
python3 "$python" check tiny ids.txt all.txt || fail "embeddings differ from plain Python's"
"$INLAY_MINILM" --model prefixed --ids ids.txt --threads 1 | cmp - all.txt || fail "names below bert. are others"
"$INLAY_MINILM" --model tiny --ids ids.txt --batch 2 >pairs.txt
python3 "$python" check tiny ids.txt pairs.txt || fail "embeddings in batches of two differ"
"$INLAY_MINILM" --model tiny 1 2 3 >one.txt
head -n 1 ids.txt >first.txt
python3 "$python" check tiny first.txt one.txt || fail "embeddings of ids on the command line differ"
"$INLAY_MINILM" --model tiny --ids ids.txt --explain >kernels.txt || fail "--explain"
grep -q '^layer.1.attention: Attention' kernels.txt || fail "--explain does not name the kernels"
grep -q "^Code of this build: ${INLAY_HOST_ISA:-}" kernels.txt || fail "--explain does not name the path"
"$INLAY_MINILM" --help | grep -q Examples || fail "--help has examples"

# refuse PATTERN ARGS...: exits non-zero with one line on stderr that matches, and prints nothing.
refuse() {
    local pattern=$1 said status
    shift
    said=$("$INLAY_MINILM" "$@" 2>&1 >out.txt)
    status=$?
    [[ $status -ne 0 && $status -lt 126 && $(wc -l <<<"$said") -eq 1 && ! -s out.txt ]] &&
        grep -qE "$pattern" <<<"$said" ||
        fail "($status): $* said '$said', expected /$pattern/"
}
broken() { rm -rf broken && cp -r tiny broken; }
refuse "model is missing" 1 2
refuse "token ids are missing" --model tiny
refuse "come twice" --model tiny --ids ids.txt 1
refuse "^inlay: --model: there is no 'absent'$" --model absent 1
refuse "command line: '50' is no token.*0 to 49" --model tiny 1 50
refuse "'fox' is no token" --model tiny fox
refuse "25 tokens, expected 1 to 24" --model tiny $(seq 25)
printf '1 2\n\n3\n' >gap.txt
refuse "gap.txt: line 2: a sentence of 0 tokens" --model tiny --ids gap.txt
printf '\n' >empty.txt
refuse "empty.txt holds no sentence" --model tiny --ids empty.txt
refuse "cannot open 'none.txt'" --model tiny --ids none.txt
refuse "batch is 0" --model tiny --batch 0 1
broken && rm broken/config.json
refuse "config.json" --model broken 1
broken && rm broken/model.safetensors
refuse "has no 'model.safetensors'" --model broken 1
broken && truncate -s 1000 broken/model.safetensors
refuse "model.safetensors" --model broken 1
broken && truncate -s -4 broken/model.safetensors
refuse "model.safetensors" --model broken 1
broken && sed -i 's/encoder.layer.1.output.dense.bias/encoder.layer.1.output.dense.bias_/' broken/model.safetensors
refuse "model.safetensors|encoder.layer.1.output.dense.bias" --model broken 1
broken && sed -i 's/"intermediate_size": 96/"intermediate_size": 97/' broken/config.json
refuse "intermediate.dense.*96, 64.*97, 64" --model broken 1
broken && sed -i 's/"gelu"/"relu"/' broken/config.json
refuse "hidden_act.*relu.*gelu" --model broken 1
broken && sed -i 's/1e-12/1e-05/' broken/config.json
refuse "layer_norm_eps" --model broken 1
broken && sed -i 's/"num_attention_heads": 2/"num_attention_heads": 4/' broken/config.json
refuse "head dimension of 16 is not among 32, 64" --model broken 1
broken && sed -i 's/"bert"/"roberta"/' broken/config.json
refuse "model_type.*roberta" --model broken 1
broken && sed -i 's/"use_cache"/"used_cache"/' broken/config.json
refuse "used_cache" --model broken 1
echo "all passed"
