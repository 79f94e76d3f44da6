# SPDX-License-Identifier: Apache-2.0
# Shell functions shared by tests/run.sh, its stages and examples/quickstart.sh. To be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)

# Results of checks, one a line, which tests/run.sh counts. A stage's exit status says nothing that these do not.
passed() { printf 'ok       %s\n' "$1"; }
failed() { printf 'FAILED   %s\n' "$1"; }
skipped() { printf 'skipped  %s: %s\n' "$1" "$2"; }

# check NAME COMMAND...: passes when the command does; its output is shown only when it fails.
check() {
    local name=$1 log
    shift
    if log=$("$@" 2>&1); then
        passed "$name"
    else
        failed "$name"
        printf '%s\n' "$log" | head -n 40 | sed 's/^/    /'
    fi
}

# in_parallel: runs the NUL-separated shell commands of its input, a few at a time, each one's output kept together.
# False when one of them printed FAILED.
in_parallel() {
    local log
    log=$(mktemp)
    export root nvcc
    export -f $(compgen -A function)
    xargs -0 -r -P "$jobs" -I {} bash -c 'out=$(eval "$1"); [[ -z $out ]] || printf "%s\n" "$out"' _ {} | tee "$log"
    ! grep -q '^FAILED' "$log" && rm -f "$log"
}

# present PROBE: a command's name, or a file below an include or library folder.
present() {
    case $1 in
        */*) compgen -G "/usr/$1" >/dev/null || compgen -G "/usr/local/$1" >/dev/null ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# install_packages PACKAGE=PROBE...: installs Debian packages whose probe is missing; silent when there is nothing to do.
install_packages() {
    local missing=() entry sudo='' log
    for entry in "$@"; do
        present "${entry#*=}" || missing+=("${entry%%=*}")
    done
    ((${#missing[@]})) || return 0
    if ! command -v apt-get >/dev/null; then
        echo "These are missing, and there is no apt-get to install them: ${missing[*]}" >&2
        return 1
    fi
    if (($(id -u) != 0)); then
        if ! sudo -n true 2>/dev/null; then
            echo "These are missing; install them as root: apt-get install ${missing[*]}" >&2
            return 1
        fi
        sudo='sudo -n'
    fi
    echo "installing ${missing[*]}"
    log=$(mktemp)
    if ! { $sudo apt-get update -q &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

# pip_environment FOLDER PACKAGE: a Python environment below build/ that has the package, made once; false without PyPI.
pip_environment() {
    local folder=$root/build/$1
    ! "$folder/bin/pip" show -q "$2" 2>/dev/null || return 0
    {
        [[ -x $folder/bin/pip ]] || python3 -m venv "$folder" ||
            { install_packages python3-venv='lib/python3*/ensurepip/__init__.py' && python3 -m venv --clear "$folder"; }
    } >/dev/null 2>&1
    "$folder/bin/pip" install -q --disable-pip-version-check "$2" >/dev/null 2>&1
}

packages_to_build=(g++=g++ cmake=cmake ninja-build=ninja nlohmann-json3-dev=include/nlohmann/json.hpp
    libpng-dev=include/png.h zlib1g-dev=include/zlib.h libutf8proc-dev=include/utf8proc.h
    libcli11-dev=include/CLI/CLI.hpp)
packages_to_test=(libgtest-dev=include/gtest/gtest.h libbenchmark-dev=include/benchmark/benchmark.h ccache=ccache
    libdlpack-dev=include/dlpack/dlpack.h pkg-config=pkg-config python3=python3
    python3-numpy='lib/python3/dist-packages/numpy/__init__.py')
packages_of_clang=(clang-19=clang++-19 libclang-rt-19-dev='lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-*.a'
    llvm-19=llvm-symbolizer-19)
packages_of_hip=(libamdhip64-dev=include/hip/hip_runtime.h rocm-device-libs='lib/*/amdgcn/bitcode/ocml.bc'
    clang-tools-19=clang-offload-bundler-19 lld-19=ld.lld-19 llvm-19=llvm-as-19)

# find_nvcc: sets nvcc to a CUDA compiler of 12.4 or newer, or to nothing and no_nvcc to the reason.
find_nvcc() {
    local version
    nvcc=$(command -v nvcc || true)
    [[ -n $nvcc || ! -x /usr/local/cuda/bin/nvcc ]] || nvcc=/usr/local/cuda/bin/nvcc
    no_nvcc='nvcc is not installed'
    [[ -n $nvcc ]] || return 0
    version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    if [[ $(printf '%s\n12.4\n' "$version" | sort -V | head -n 1) != 12.4 ]]; then
        no_nvcc="nvcc $version is older than 12.4"
        nvcc=''
    fi
}

# find_cuobjdump: sets cuobjdump to the disassembler, to nothing and no_cuobjdump to the reason where there is none. Many
# toolkits come without; NVIDIA has it at PyPI, from where it is kept below build/.
find_cuobjdump() {
    local found at=$root/build/cuobjdump
    no_cuobjdump='cuobjdump and nvdisasm are neither in the CUDA toolkit nor could they be installed with pip'
    for found in "$(command -v cuobjdump)" "$(dirname "$nvcc")/cuobjdump" "$at"/nvidia/*/bin/cuobjdump; do
        [[ -x $found && -x $(dirname "$found")/nvdisasm ]] && cuobjdump=$found && break
        cuobjdump=''
    done
    if [[ -z $cuobjdump ]]; then
        rm -rf "$at"
        python3 -m pip install -q --no-deps --disable-pip-version-check --target "$at" \
            nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm >/dev/null 2>&1 || true
        cuobjdump=$(compgen -G "$at/nvidia/*/bin/cuobjdump" | head -n 1)
        [[ -z $cuobjdump ]] || chmod +x "$(dirname "$cuobjdump")"/*
    fi
    export cuobjdump no_cuobjdump
}

# has_gpu: an NVIDIA driver that lists a device.
has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# gpu_architectures: those of this machine's GPUs as CMake wants them, 'sm_90' with what only sm_90a has: "86-real;90a-real".
gpu_architectures() {
    nvidia-smi --query-gpu=compute_cap --format=csv,noheader | tr -d '. ' | sort -u | sed 's/^90$/90a/; s/$/-real/' | paste -sd ';'
}

# gpu_architecture: of the first device, as CMake spells it: "80-real", "90a-real".
gpu_architecture() {
    nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | sed 's/\.//; s/^90$/90a/; s/$/-real/'
}

# find_compilers: fills the array compilers with those present of g++, clang++-19 and nvcc, and reports the others
# as skipped under the name `$1 (compiler)`.
find_compilers() {
    compilers=()
    local c
    for c in g++ clang++-19; do
        if command -v $c >/dev/null; then compilers+=($c); else skipped "$1 ($c)" 'not installed'; fi
    done
    find_nvcc
    if [[ -n $nvcc ]]; then compilers+=(nvcc); else skipped "$1 (nvcc)" "$no_nvcc"; fi
}

# compile_only COMPILER FILE FLAG...: through the whole front end, and with nvcc through the device's back end too.
compile_only() {
    local compiler=$1 file=$2
    shift 2
    case $compiler in
        nvcc) "${nvcc:-nvcc}" -std=c++20 -arch=sm_90 -I "$root/include" -x cu -c -o /dev/null "$@" "$file" ;;
        *) $compiler -std=c++20 -I "$root/include" -fsyntax-only "$@" "$file" ;;
    esac
}

# headers_of VENDOR OTHER: the headers that need a vendor's, as `inlay/...`: those of its folder and of `tile/gpu/`, and
# what includes them, but none that needs the other vendor's.
headers_of() {
    (
        cd "$root/include" || exit
        local all='' found
        found=$(find inlay -path "*/$1/*.hpp" -o -path '*/gpu/*.hpp' | sort)
        while [[ $found != "$all" ]]; do
            all=$found
            found=$({ printf '%s\n' "$all" && grep -rlF -f <(sed 's/.*/#include <&>/' <<<"$all") inlay; } |
                grep -v -e "/$2/" -e "/$2\.hpp" | sort -u)
        done
        printf '%s\n' "$all"
    )
}
cuda_headers() { headers_of cuda hip; }
hip_headers() { headers_of hip cuda; }

# host_headers: all others: what a host compiler takes.
host_headers() {
    (cd "$root/include" && find inlay -name '*.hpp' | sort | grep -vxF -f <(cuda_headers && hip_headers))
}
