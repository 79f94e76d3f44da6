#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'TEXT'
tests/parity/run.sh MODEL... [--device cuda] [--dtype TYPE...] [--expected FILE] [--build DIR]

Compares the networks of Stable Diffusion 1.5, read from MODEL (a folder, or a single .safetensors file), with what
diffusers computed, and prints a table. Fails where the relative L2 error exceeds 1e-4 in fp32, or 1.25 times diffusers'
own in fp16 and bf16. Not run in CI: the models are 4 GB each. Make them with tests/parity/make_sd15.py, which says what
it writes; fp16, bf16 and a guided run of 50 steps need its --errors.

  --device cuda     the networks on the GPU instead of the CPU
  --dtype TYPE      fp32, fp16 or bf16 (fp32; several are run one after the other)

  --expected FILE   what diffusers computed (default: expected.safetensors in the first MODEL that is a folder)
  --build DIR       where to build (build/parity)
TEXT
}

models=()
dtypes=()
expected=
build=build/parity
program=sd15_parity
cuda=OFF
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --device)
            [[ ${2-} == cuda || ${2-} == cpu ]] || { echo "tests/parity/run.sh: --device is cpu or cuda" >&2 && exit 2; }
            if [[ $2 == cuda ]]; then cuda=ON program=sd15_parity_cuda; fi
            shift
            ;;
        --dtype)
            dtypes+=("${2:?--dtype needs fp32, fp16 or bf16}")
            shift
            ;;
        --expected)
            expected=$(realpath "${2:?--expected needs a file}")
            shift
            ;;
        --build)
            build=${2:?--build needs a folder}
            shift
            ;;
        -*)
            echo "tests/parity/run.sh: unknown argument '$1'; see --help" >&2
            exit 2
            ;;
        *) models+=("$(realpath "$1")") ;;
    esac
    shift
done
if ((!${#models[@]})); then
    usage >&2
    exit 2
fi
for model in "${models[@]}"; do
    [[ -n $expected || ! -e $model/expected.safetensors ]] || expected=$model/expected.safetensors
done
if [[ ! -e $expected ]]; then
    echo "tests/parity/run.sh: no expected.safetensors in a MODEL; name it with --expected FILE" >&2
    exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DINLAY_BUILD_TESTS=ON -DINLAY_BUILD_EXAMPLES=OFF \
    -DINLAY_CUDA=$cuda >"$build.log" 2>&1 ||
    { cat "$build.log" >&2 && exit 1; }
cmake --build "$build" --target $program -j 2 >"$build.log" 2>&1 || { cat "$build.log" >&2 && exit 1; }

failed=0
for model in "${models[@]}"; do
    for dtype in "${dtypes[@]:-fp32}"; do
        echo "== $model"
        "$build/bin/$program" "$model" "$expected" "$dtype" || failed=1
    done
done
exit "$failed"
