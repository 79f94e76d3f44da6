#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'TEXT'
bench/run_attention.sh [--flashinfer DIR] [--prepare] [--only ROWS,...] [options of bench/run_cuda.sh]

Times attention beside cuDNN, FlashAttention-2, FlexAttention, torch.compile and FlashInfer in one job: the programs of
bench/cuda, then bench/attention_torch.py; joins both in bench/results/<gpu>/attention*.json and prints each row beside
what it is wanted to reach.

  --flashinfer DIR  where FlashInfer's sources and the wheels that it needs lie; it compiles its kernels here. Beforehand,
                    where PyPI is reached:
                    pip download --no-deps -d DIR flashinfer-python==0.3.1 einops nvidia-ml-py pynvml tabulate click \
                        requests packaging ninja tqdm
  --prepare         builds our programs and compiles the peers' kernels at the same time; nothing is timed. A run after
                    it on the same machine, with the same --build and --python, is short
  --only ROWS,...   of attention, masks, prices, lengths, decode, paged, fp8, mla,
                    rotary (default: all)
  --filter, --peers REGEX   of rows and peers of PyTorch's half alone
TEXT
}

flashinfer='' prepare='' python=python3 build=build/bench-cuda out='' bin='' pass=() torch=()
only=attention,masks,prices,lengths,decode,paged,fp8,mla,rotary
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --prepare) prepare=yes ;;
        --quick) pass+=("$1") ;;
        --flashinfer | --only)
            declare "${1#--}=${2:?$1 needs a value}"
            shift
            ;;
        --filter | --peers)
            torch+=("$1" "${2:?$1 needs a value}")
            shift
            ;;
        --python | --build | --bin | --out | --limit | --shapes)
            declare "${1#--}=${2:?$1 needs a value}"
            [[ $1 == --out ]] || pass+=("$1" "$2")
            shift
            ;;
        *)
            echo "bench/run_attention.sh: unknown argument '$1'; see --help" >&2
            exit 2
            ;;
    esac
    shift
done

if [[ -n $flashinfer ]]; then
    flashinfer=$(realpath "$flashinfer")
    root=${TMPDIR:-/tmp}/inlay-flashinfer src=${TMPDIR:-/tmp}/inlay-flashinfer/flashinfer_python-0.3.1
    if [[ ! -d $root/deps ]]; then
        mkdir -p "$root"
        tar xzf "$flashinfer"/flashinfer_python-0.3.1.tar.gz -C "$root"
        mkdir -p "$src/flashinfer/data"
        for d in include csrc tvm_binding; do ln -sfn "$src/$d" "$src/flashinfer/data/$d"; done
        for d in cutlass spdlog; do ln -sfn "$src/3rdparty/$d" "$src/flashinfer/data/$d"; done
        for w in "$flashinfer"/*.whl; do python3 -m zipfile -e "$w" "$root/deps"; done
        chmod +x "$root"/deps/bin/* "$root"/deps/ninja/data/bin/* 2>/dev/null || true
    fi
    capability=$("$python" -c 'import torch; print("%d.%da" % torch.cuda.get_device_capability())')
    export PYTHONPATH=$src:$root/deps TORCH_CUDA_ARCH_LIST=$capability FLASHINFER_CUDA_ARCH_LIST=$capability
    export MAX_JOBS=${MAX_JOBS:-4} FLASHINFER_WORKSPACE_BASE=$root PATH=$PATH:$root/deps/bin:$root/deps/ninja/data/bin
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ -z $out ]]; then
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    out=bench/results/$(sed -E 's/NVIDIA //; s/ .*//' <<<"$gpu" | tr '[:upper:]' '[:lower:]')
fi
frames=$(sed -E 's/[a-z0-9]+/attention_&/g; s/attention_attention/attention/' <<<"$only")
begin=$SECONDS
if [[ -n $prepare ]]; then
    "$python" bench/attention_torch.py "$out" --prepare "${torch[@]}" &
    peers=$!
    [[ -n $bin ]] || bench/run_cuda.sh --only "$frames" "${pass[@]}" --build-only || true
    echo "our programs are built after $((SECONDS - begin)) s"
    wait "$peers"
    echo "prepared in $((SECONDS - begin)) s"
    exit
fi
failed=0
bench/run_cuda.sh --only "$frames" "${pass[@]}" --out "$out" || failed=1
"$python" bench/attention_torch.py "$out" "${torch[@]}" || failed=1
echo "PyTorch and FlashInfer: $((SECONDS - begin)) s with our programs"
"$python" bench/attention_table.py "$out"
exit $failed
