#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'TEXT'
tests/parity/run.sh MODEL... [--expected FILE] [--build DIR]

Compares the networks of Stable Diffusion 1.5, read from MODEL (a folder, or a single .safetensors file), with what
diffusers computed, fp32, and prints a table. Fails where the relative L2 error exceeds 1e-4. Not run in CI: the models
are 4 GB each. Make them with tests/parity/make_sd15.py, which says what it writes.

  --expected FILE   what diffusers computed (default: expected.safetensors in the first MODEL that is a folder)
  --build DIR       where to build (default: build/parity)
TEXT
}

models=()
expected=
build=build/parity
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
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
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DINLAY_BUILD_TESTS=ON -DINLAY_BUILD_EXAMPLES=OFF >"$build.log" 2>&1 ||
    { cat "$build.log" >&2 && exit 1; }
cmake --build "$build" --target sd15_parity -j 2 >"$build.log" 2>&1 || { cat "$build.log" >&2 && exit 1; }

failed=0
for model in "${models[@]}"; do
    echo "== $model"
    "$build/bin/sd15_parity" "$model" "$expected" || failed=1
done
exit "$failed"
