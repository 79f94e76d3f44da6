#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'TEXT'
bench/run_cuda.sh [--python PYTHON] [--build DIR | --bin DIR] [--out DIR] [--shapes FILE] [--only FRAME,...] [--quick]

Times every frame on the GPU beside its peers in one job, on a machine that does nothing else, and writes
bench/results/<gpu>/<suite>.json: {"commit", "date", "driver", "ceilings", "libraries", "rows": [{"name", "us", "peer",
"peer_us", "ratio", ...}]}. `ratio` is peer_us / us: above 1 we are faster. Ends with the summary of bench/report.py.

  --python PYTHON   with torch (default: python3); without torch its kernels are no peers. cuBLASLt and cuDNN are taken
                    from its packages where the system has none
  --build DIR       where to build (default: build/bench-cuda)
  --bin DIR         take programs built before
  --out DIR         default: bench/results/<gpu>, such as h100
  --shapes FILE     layers (default: bench/sd15_shapes.csv)
  --only FRAME,...  of attention, conv2d, elementwise, group_norm, linear, reduce, rows, price_list, placements_resnet,
                    placements_images, placements_attention, placements_text, placements_rows, and launch, the host's
                    time of a run (default: all); attention_masks and others run by bench/run_attention.sh
  --build-only      times nothing
  --limit SECONDS   a program that takes longer is ended (default: 600)
  --quick           fewer plans, shapes and replays; nothing is compiled by torch
TEXT
}

python=python3 build=build/bench-cuda bin='' build_only='' out='' shapes=bench/sd15_shapes.csv limit=600 quick=()
only=attention,conv2d,elementwise,group_norm,linear,reduce,rows,price_list,launch
only+=,placements_resnet,placements_images,placements_attention,placements_text,placements_rows
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --quick) quick=(--quick) ;;
        --build-only) build_only=yes ;;
        --python | --build | --bin | --out | --shapes | --only | --limit)
            declare "${1#--}=${2:?$1 needs a value}"
            shift
            ;;
        *)
            echo "bench/run_cuda.sh: unknown argument '$1'; see --help" >&2
            exit 2
            ;;
    esac
    shift
done

source "$(dirname "${BASH_SOURCE[0]}")/../cmake/shell.sh"
cd "$root"
IFS=, read -ra frames <<<"$only"
failed=0
if [[ -z $bin ]]; then
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DINLAY_CUDA=ON \
        -DINLAY_CUDA_ARCHITECTURES="$(gpu_architectures)" -DINLAY_BUILD_BENCH=ON -DINLAY_BUILD_TESTS=OFF \
        -DINLAY_BUILD_EXAMPLES=OFF
    # A program that does not build costs its own rows.
    cmake --build "$build" --target "${frames[@]/#/cuda_}" -- -k 0 || failed=1
    bin=$build/bin
fi
[[ -z $build_only ]] || exit $failed
# Packages of PyPI hold their libraries in nvidia/*/lib beside torch.
packages=$("$python" - <<'PY' 2>/dev/null || true
import glob, importlib.util, os
spec = importlib.util.find_spec("nvidia")
print(":".join(p for root in spec.submodule_search_locations for p in glob.glob(os.path.join(root, "*", "lib"))))
PY
)
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$packages"
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
driver="$gpu, driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
if [[ -z $out ]]; then
    short=$(sed -E 's/NVIDIA //; s/ .*//' <<<"$gpu" | tr '[:upper:]' '[:lower:]')
    out=bench/results/$short
fi
commit=$(git rev-parse --short HEAD 2>/dev/null || echo "${INLAY_COMMIT:-unknown}")

for frame in "${frames[@]}"; do
    begin=$SECONDS
    if [[ ! -x $bin/cuda_$frame ]]; then
        echo "$bin has no cuda_$frame" >&2
        failed=1
        continue
    fi
    timeout "$limit" "$bin/cuda_$frame" --shapes "$shapes" --out "$out" --commit "$commit" --driver "$driver" \
        "${quick[@]}" || failed=1
    echo "$frame took $((SECONDS - begin)) s"
done
if "$python" -c 'import torch' 2>/dev/null; then
    begin=$SECONDS
    "$python" bench/compare.py "$out" "${frames[@]}" "${quick[@]}" || failed=1
    echo "PyTorch took $((SECONDS - begin)) s"
else
    echo "$python has no torch: its kernels are not among the peers" >&2
fi
"$python" bench/report.py "$out"
exit $failed
