#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'TEXT'
examples/quickstart.sh [--model DIR|FILE] [--prompt TEXT] [--steps N] [--size WxH] [--out FILE] [-- ARGUMENT...]

Builds inlay-sd and makes a picture with it. On Debian 12 it first installs what is missing (as root or with sudo).

  --model   a Stable Diffusion 1.5 folder (diffusers' layout) or single .safetensors file. Left out: a tiny synthetic
            model, written to build/tiny-sd; its pictures are noise, made by every layer of the real network
  --prompt  what to draw
  --steps   denoising steps (20)
  --size    a multiple of 64 each way (256x256)
  --out     the PNG (build/quickstart.png)
  --        what follows goes to inlay-sd as it is

The last line printed is the path of the picture.
TEXT
}

model=''
prompt='a photograph of an astronaut riding a horse'
steps=20
size=256x256
out=''
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --model | --prompt | --steps | --size | --out)
            [[ $# -ge 2 ]] || {
                echo "quickstart: $1 needs a value" >&2
                exit 2
            }
            printf -v "${1#--}" '%s' "$2"
            shift 2
            ;;
        --)
            shift
            break
            ;;
        *)
            echo "quickstart: unknown argument '$1'; see examples/quickstart.sh --help" >&2
            exit 2
            ;;
    esac
done
[[ -z $model ]] || model=$(realpath -- "$model")
[[ -z $out ]] || out=$(realpath -m -- "$out")

source "$(dirname "${BASH_SOURCE[0]}")/../cmake/shell.sh"
cd "$root"
exec </dev/null
install_packages "${packages_to_build[@]}"

dir=build/release
cuda=(-DINLAY_CUDA=OFF)
find_nvcc
if [[ -n $nvcc ]] && has_gpu; then
    dir=build/release-cuda
    cuda=(-DINLAY_CUDA=ON -DINLAY_CUDA_ARCHITECTURES="$(gpu_architectures)")
    export CUDACXX=$nvcc
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building inlay-sd"
# A folder that tests/run.sh configured keeps its settings, so nothing is compiled twice.
if ! { { [[ -f $dir/CMakeCache.txt ]] || cmake -S . -B $dir -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DINLAY_BUILD_TESTS=OFF "${cuda[@]}"; } && cmake --build $dir --target inlay-sd -j "$jobs"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    exit 1
fi
inlay_sd=$dir/bin/inlay-sd

if [[ -z $model ]]; then
    model=build/tiny-sd
    [[ -f $model/model_index.json ]] || "$inlay_sd" --make-model tiny $model
fi
out=${out:-$root/build/quickstart.png}
"$inlay_sd" --model "$model" --prompt "$prompt" --steps "$steps" --size "$size" --device auto --out "$out" "$@"
echo "$out"
