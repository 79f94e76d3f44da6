#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inlay as its users meet it: bare compiler commands, warnings as errors, two units in one program, units and values
# under other flags, the CMake package, every header by itself, and what the one include costs.  `--quick` leaves out
# the second compiler and the cost.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
here=$root/tests/consumer
source "$here/single_header.sh"
source "$here/packages.sh"
quick=0
[[ ${1-} != --quick ]] || quick=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
find_compilers consumer

warnings=(-Wall -Wextra -Werror)
io_libraries=(-lpng -lutf8proc -pthread)

bare() {
    check "consumer bare g++" g++ -std=c++20 -I "$root/include" "$here/algebra.cpp" -o bare
    check "consumer bare g++ runs" ./bare
    for compiler in "${compilers[@]}"; do
        case $compiler in
            nvcc)
                cp "$here/algebra.cpp" algebra.cu
                check "consumer bare nvcc" "$nvcc" -std=c++20 -arch=sm_90 -I "$root/include" algebra.cu -o bare_cuda
                check "consumer bare nvcc runs" ./bare_cuda
                check "consumer warnings (nvcc)" "$nvcc" -std=c++20 -arch=sm_90 --Werror all-warnings \
                    -Xcompiler=-Wall,-Wextra,-Werror -I "$root/include" -c algebra.cu -o /dev/null
                ;;
            *) check "consumer warnings ($compiler)" \
                $compiler -std=c++20 "${warnings[@]}" -I "$root/include" -c "$here/algebra.cpp" -o /dev/null ;;
        esac
    done
}

# Warnings that users turn on for their own code. clang lacks some of them.
strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wdouble-promotion
    -Wuseless-cast -Wcast-align -Wno-unknown-warning-option -Werror)
# Headers of CUDA, compiled by g++ for the emulator. Indices are int there, so that signs are not looked at.
emulated=(-I "$root/tests/gpu/emulated/include" -include cuda_runtime.h -D__CUDACC__ -D__CUDA_ARCH_LIST__=900
    -D__CUDA_ARCH_FEAT_SM90_ALL -fno-extern-tls-init -Wno-pedantic -Wno-sign-conversion -Wno-unknown-pragmas -Wno-unused
    -Wno-psabi)

# without_warnings NAME COMPILER UNIT FLAG...: the command, for in_parallel.
without_warnings() {
    printf 'check %q compile_only ' "consumer strict warnings, $(basename "$3")${1:+, $1} ($2)"
    printf '%q ' "${@:2:2}" "${strict[@]}" "${@:4}"
    printf '\0'
}

# All headers in one unit, and what users instantiate.
strict_warnings() {
    local compiler node kernels=$here/every_kernel.cpp
    for node in $(sed -n 's/^| .*`\([A-Z][A-Za-z0-9]*\)[<`].*/\1/p; s/^`\([A-Z][A-Za-z0-9]*\)<.*/\1/p' \
        "$root"/docs/{expressions,frames}.md); do
        grep -qw "$node" "$kernels" || failed "consumer every_kernel.cpp has no $node"
    done
    host_headers | sed 's/.*/#include <&>/' >every_header.cpp
    for compiler in "${compilers[@]}"; do
        [[ $compiler != nvcc ]] || continue
        ((!quick)) || [[ $compiler == g++ ]] || continue
        without_warnings '' $compiler "$PWD/every_header.cpp"
        without_warnings '' $compiler "$kernels"
        ((!quick)) && [[ $(uname -m) == x86_64 ]] || continue
        without_warnings AVX2 $compiler "$kernels" -march=x86-64-v3
        without_warnings AVX-512 $compiler "$kernels" -march=x86-64-v4
    done | in_parallel
    ((quick)) || check 'consumer strict warnings, every_kernel.cpp, headers of CUDA (g++)' \
        g++ -std=c++20 -fsyntax-only "${strict[@]}" "${emulated[@]}" -I "$root/include" "$kernels"
}

# All headers behind the macros of other libraries, and a program that takes everyone's names for its own.
names() {
    local compiler
    {
        printf '#include "%s"\n' "$here/names/before.hpp" "$here/names/macros.hpp"
        host_headers | sed 's/.*/#include <&>/'
    } >behind_macros.cpp
    for compiler in "${compilers[@]}"; do
        ((!quick)) || [[ $compiler == g++ ]] || continue
        [[ $compiler == nvcc ]] ||
            check "consumer behind the macros of others ($compiler)" compile_only $compiler "$PWD/behind_macros.cpp"
        check "consumer beside the names of others ($compiler)" compile_only $compiler "$here/names/beside.cpp"
    done
    check "consumer beside the names of others" \
        g++ -std=c++20 -I "$root/include" "$here/names/beside.cpp" -pthread -o beside_others
    check "consumer beside the names of others runs" ./beside_others
}

# Names of one word in the namespace are those of docs/names.md. The list of clang has template parameters among them,
# which cannot be brought by a using declaration. Headers of GPUs are not looked at.
documented_names() {
    [[ " ${compilers[*]} " == *" clang++-19 "* ]] || return 0
    local -x LC_ALL=C
    local several_words='_|[a-z0-9][A-Z]' clang=(clang++-19 -std=c++20 -I "$root/include" -fsyntax-only)
    host_headers | sed 's/.*/#include <&>/' >every_header.cpp
    "${clang[@]}" -Xclang -ast-list every_header.cpp | grep -E '^inlay(::abi_\w+)?::\w+$' | sed 's/.*:://' |
        grep -vE "$several_words" | sort -u >listed
    { cat every_header.cpp && sed 's/.*/namespace of_& { using inlay::&; }/' listed; } >listed.cpp
    "${clang[@]}" -ferror-limit=0 listed.cpp 2>&1 |
        sed -n "s/.*error: no member named '\([^']*\)' in namespace.*/\1/p" | sort -u >parameters
    sed '1,/^## /d' "$root/docs/names.md" | grep -oE '`\w+`' | tr -d '`' | grep -vE "$several_words" |
        grep -vxE 'Cuda|Hip|Graph|Uploads' | sort -u >documented
    check "consumer names of one word are documented" diff documented <(comm -23 listed parameters)
}

# says NAME SENTENCE COMMAND...: passes where the command fails and says the sentence.
says() {
    local name=$1 sentence=$2 log
    shift 2
    if ! log=$("$@" 2>&1) && grep -qF -- "$sentence" <<<"$log"; then
        passed "$name"
    else
        failed "$name: ${log:0:300}"
    fi
}

compilers_that_cannot() {
    local compiler
    local -A no_exceptions=([nvcc]=-Xcompiler=-fno-exceptions)
    echo '#include <inlay/exec/cuda.hpp>' >cuda.cu
    says "consumer an old clang" 'inlay: a compiler whose template arguments may be of double is needed' \
        g++ -std=c++20 -D__clang__ -D__clang_major__=14 -I "$root/include" -E "$here/algebra.cpp"
    for compiler in "${compilers[@]}"; do
        says "consumer no exceptions ($compiler)" \
            'inlay: exceptions are needed: compile without -fno-exceptions the files that include Inlay' \
            compile_only $compiler "$here/algebra.cpp" "${no_exceptions[$compiler]:--fno-exceptions}"
    done
    says "consumer the CUDA executor without nvcc" 'inlay: exec/cuda.hpp is compiled by nvcc' \
        g++ -std=c++20 -I "$root/include" -x c++ -fsyntax-only cuda.cu
    says "consumer the HIP executor without HIP" 'inlay: exec/hip.hpp is compiled by clang, as HIP' \
        g++ -std=c++20 -I "$root/include" -include inlay/exec/hip.hpp -x c++ -fsyntax-only /dev/null
    [[ -z $nvcc ]] ||
        says "consumer the CUDA executor for sm_75" 'inlay: the CUDA executor needs -arch=sm_80 or newer' \
        "$nvcc" -std=c++20 -arch=sm_75 -I "$root/include" -c cuda.cu -o /dev/null
}

# As wide as the vectors of the least, of AVX2 and of this processor are the panels of products.
panels() {
    local flags
    for flags in '' '-mavx2 -mfma' '-march=native'; do
        [[ $flags != *avx2* ]] || grep -q '\bavx2\b' /proc/cpuinfo || continue
        check "consumer panels${flags:+ ($flags)}" g++ -std=c++20 -O1 $flags -I "$root/include" "$here/panels.cpp" \
            -pthread -o panels
        check "consumer panels${flags:+ ($flags)} run" ./panels
    done
}

# Libraries of files that a project has already, whatever it has them from.
beside() {
    local how
    for how in 'by hand' 'by its build'; do
        check "consumer beside libraries that are there $how" bash -ec '
            cmake -S "$1" -B "build-$3" "${@:4}" -DINLAY_SOURCE="$2" -DHOW="$3"
            cmake --install "build-$3" --prefix "$PWD/beside"' _ "$here/beside" "$root" "$how" "${fresh[@]}"
    done
    check "consumer find_package of what was installed beside them" \
        cmake -S "$here/find_package" -B build-beside "${fresh[@]}" -DCMAKE_PREFIX_PATH="$PWD/beside"
    check "consumer find_package beside libraries that are there by hand" \
        cmake -S "$here/find_package" -B build-found-beside "${fresh[@]}" -DCMAKE_PREFIX_PATH="$PWD/prefix" -DBY_HAND=ON
    check "consumer versions" cmake -S "$here/versions" -B build-versions "${fresh[@]}" -DCMAKE_PREFIX_PATH="$PWD/prefix"
}

# Every header defined twice in one program: a function that lacks `inline` shows as a duplicate symbol.
linked_twice() {
    { host_headers | sed 's/.*/#include <&>/' && cat "$here/algebra.cpp"; } >first.cpp
    { host_headers | sed 's/.*/#include <&>/' && sed 's/int main/int other_main/' "$here/algebra.cpp"; } >second.cpp
    check "consumer two units" g++ -std=c++20 -I "$root/include" -c first.cpp second.cpp
    check "consumer two units linked" g++ first.o second.o "${io_libraries[@]}" -o twice
    check "consumer two units run" ./twice
}

# One program of units whose flags differ, linked so that each is the first once: of a weak symbol the first is taken.
mixed_units() {
    local unit flags i names=() list='' order
    while read -r unit flags; do
        case $flags in
            clang*) [[ " ${compilers[*]} " == *" clang++-19 "* ]] || continue ;;
        esac
        [[ $flags != *x86-64-v3* ]] || grep -q '\bavx2\b' /proc/cpuinfo || continue
        names+=("$unit")
        printf 'check "consumer mixed units, %s" %s -DUNIT=%s -I %q -c %q -o %q\0' "$unit" "$flags" "$unit" \
            "$root/include" "$here/units/unit.cpp" "$work/$unit.o"
    done <<'TEXT' > >(in_parallel)
plain            g++ -std=c++20 -O0
v2               g++ -std=c++23 -O3 -march=x86-64-v2
v3_no_rtti       g++ -std=c++20 -O2 -march=x86-64-v3 -fno-rtti
native           g++ -std=c++20 -O2 -march=native
containers       g++ -std=c++20 -O0 -D_GLIBCXX_DEBUG
clang_no_rtti    clang++-19 -std=c++20 -O2 -fno-rtti
clang_v3         clang++-19 -std=c++26 -O0 -march=x86-64-v3
clang_native     clang++-19 -std=c++23 -O3 -march=native
TEXT
    wait $!
    for unit in "${names[@]}"; do list+=" X($unit)"; done
    check "consumer mixed units, main" g++ -std=c++20 -I "$root/include" "-DUNITS(X)=$list" -c "$here/units/main.cpp"
    # Types of differing units differ: a function of one is not found by the other, instead of being called wrongly.
    printf '#include <inlay/exec/tensor.hpp>\nvoid f(inlay::Tensor<float, 1>) {}\n' >callee.cpp
    printf '#include <inlay/exec/tensor.hpp>\nvoid f(inlay::Tensor<float, 1>);\nint main() { f({}); }\n' >caller.cpp
    g++ -std=c++20 -I "$root/include" -c callee.cpp
    says "consumer a Tensor from a unit of other flags" 'undefined reference to `f(inlay::abi_' \
        g++ -std=c++20 -mavx2 -I "$root/include" caller.cpp callee.o -o /dev/null
    for ((i = 0; i < ${#names[@]}; ++i)); do
        order=("${names[@]:i}" "${names[@]:0:i}")
        check "consumer mixed units, ${order[0]} first" \
            bash -ec 'g++ main.o "$@" -pthread -o mixed && ./mixed' _ "${order[@]/%/.o}"
    done
}

# right_values PROGRAM COMMAND...: compiled so, the program finds its values right.
right_values() {
    local program=$1 out
    out=$(mktemp -p "$work")
    shift
    check "consumer $program, $*" bash -ec '"${@:3}" -I "$1/include" "$1/tests/consumer/flags/$2.cpp" -pthread -o "$0" && "$0"' \
        "$out" "$root" "$program" "$@"
    rm -f "$out"
}
# refused SENTENCE COMMAND...: compiled so, a header says the sentence.
refused() {
    says "consumer refuses ${*:2}" "$1" "${@:2}" -std=c++20 -I "$root/include" -fsyntax-only "$here/flags/functions.cpp"
}

# Flags of floating point, each of which leaves values as they are or is refused; docs/numerics.md lists them.
float_flags() {
    local compiler flags fast='inlay: -ffast-math (-Ofast) makes kernels wrong' clang=0
    [[ " ${compilers[*]} " != *" clang++-19 "* ]] || ((quick)) || clang=1
    while read -r flags; do
        [[ $flags != *clang* ]] || ((clang)) || continue
        printf 'right_values %s\0' "$flags"
    done <<'TEXT' | in_parallel
kernels g++ -std=c++20 -O2 -march=native -ffast-math -fno-finite-math-only -fno-associative-math
kernels clang++-19 -std=c++20 -O2 -march=native -funsafe-math-optimizations -fapprox-func
random g++ -std=c++20 -O2 -march=native -ffast-math -fno-finite-math-only -fno-associative-math
random clang++-19 -std=c++20 -O3 -funsafe-math-optimizations
functions g++ -std=c++20 -O0
functions g++ -std=c++20 -O3 -march=native -fno-signed-zeros -freciprocal-math -fno-trapping-math -fno-math-errno
functions g++ -std=c++20 -O2 -frounding-math -fsignaling-nans -ffp-contract=off
functions g++ -std=c++20 -O2 -march=native -fsingle-precision-constant -mrecip
functions g++ -std=c++20 -O2 -mfpmath=387
functions clang++-19 -std=c++20 -O3 -march=native -funsafe-math-optimizations -ffp-contract=fast
functions clang++-19 -std=c++20 -O2 -fassociative-math -fno-signed-zeros -fno-trapping-math -freciprocal-math
functions clang++-19 -std=c++20 -O2 -march=native -ffp-model=strict
TEXT
    # A program that g++ links so makes denormals 0 from its start.
    check "consumer functions, linked with -ffast-math" bash -ec '
        g++ -std=c++20 -O1 -I "$1/include" -c "$1/tests/consumer/flags/functions.cpp" -o functions.o
        g++ -ffast-math functions.o -o functions
        ./functions' _ "$root"
    refused "$fast" g++ -ffast-math
    refused "$fast" g++ -Ofast
    refused 'inlay: -ffinite-math-only makes' g++ -ffinite-math-only
    refused 'inlay: -fassociative-math (or -funsafe-math-optimizations) makes' g++ -funsafe-math-optimizations
    refused 'inlay: -fassociative-math (or -funsafe-math-optimizations) makes' \
        g++ -fassociative-math -fno-signed-zeros -fno-trapping-math
    ((clang)) || return 0
    refused "$fast" clang++-19 -ffast-math
    refused "$fast" clang++-19 -ffp-model=fast
    refused 'inlay: -ffinite-math-only makes' clang++-19 -ffinite-math-only
}

# PTX of the functions of core/math.hpp: what flags of nvcc leave as it is, and what they make of the others.
device_flags() {
    [[ -n $nvcc ]] || return 0
    local flags
    for flags in '' --use_fast_math '--ftz=true --prec-div=false --prec-sqrt=false --fmad=false'; do
        check "consumer device functions${flags:+, nvcc $flags}" bash -ec '
            "$1" -std=c++20 -arch=sm_90 ${@:3} -I "$2/include" -ptx "$2/tests/consumer/flags/device.cu" -o device.ptx
            awk -f "$2/tests/consumer/flags/device.awk" -v flags="${*:3}" device.ptx' _ "$nvcc" "$root" $flags
    done
}

# one_header COMPILER HEADER: compiles it included twice and nothing else.
one_header() {
    local unit
    unit=$(mktemp --suffix=.cpp)
    printf '#include <%s>\n#include <%s>\n' "$2" "$2" >"$unit"
    check "header $2 ($1)" compile_only "$1" "$unit" -Wall -Wextra -Werror
    rm -f "$unit"
}

# By clang where it is, which takes half of g++'s time: what a header lacks does not depend on the compiler, and the
# warnings of both are those of strict_warnings.
headers_alone() {
    local compiler=g++ header
    ((quick)) || [[ " ${compilers[*]} " != *" clang++-19 "* ]] || compiler=clang++-19
    host_headers | while read -r header; do printf 'one_header %s %s\0' $compiler "$header"; done | in_parallel
}

fresh=(-G Ninja -DCMAKE_BUILD_TYPE=Debug)
command -v ninja >/dev/null || fresh=(-DCMAKE_BUILD_TYPE=Debug)

packages() {
    check "consumer install" bash -ec '
        cmake -S "$1" -B build-inlay "${@:2}" -DINLAY_BUILD_TESTS=OFF -DINLAY_BUILD_EXAMPLES=OFF -DINLAY_IO=ON
        cmake --build build-inlay
        cmake --install build-inlay --prefix "$PWD/prefix"' _ "$root" "${fresh[@]}"
    check "consumer install of a default configure, nothing built" bash -ec '
        cmake -S "$1" -B build-default
        cmake --install build-default --prefix "$PWD/default"
        test -e default/include/inlay/inlay.hpp' _ "$root"
    check "consumer io that was not installed" bash -ec '
        cmake -S "$1" -B build-bare "${@:3}" -DINLAY_BUILD_TESTS=OFF -DINLAY_BUILD_EXAMPLES=OFF -DINLAY_IO=OFF
        cmake --install build-bare --prefix "$PWD/bare-prefix"
        ! cmake -S "$2" -B build-missing "${@:3}" -DCMAKE_PREFIX_PATH="$PWD/bare-prefix" 2>missing
        tr -s "\n " " " <missing | grep "inlay was installed without its component io: configure it with -DINLAY_IO=ON"
        ' _ "$root" "$here/find_package" "${fresh[@]}"
    check "consumer find_package" bash -ec '
        cmake -S "$1" -B build-found "${@:2}" -DCMAKE_PREFIX_PATH="$PWD/prefix"
        cmake --build build-found
        ./build-found/algebra
        [[ ! -e build-found/portable ]] || ./build-found/portable' _ "$here/find_package" "${fresh[@]}"
    check "consumer add_subdirectory" bash -ec '
        cmake -S "$1" -B build-added "${@:3}" -DINLAY_SOURCE="$2"
        cmake --build build-added
        ./build-added/algebra' _ "$here/add_subdirectory" "$root" "${fresh[@]}"
}

# least_seconds COMMAND...: processor time of the best of seven runs: what else the machine does only adds to it.
least_seconds() {
    local TIMEFORMAT='%U %S' i
    for i in 1 2 3 4 5 6 7; do { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'; done | sort -n | sed -n 1p
}

# include_cost NAME LIMIT COMMAND...: the command takes a source file; the limit is in seconds over an empty file, on a
# machine for which g++ takes 0.8 s over an empty file for the standard headers below. A slower one has more time.
include_cost() {
    local name=$1 limit=$2 empty full
    shift 2
    : >empty.cu
    echo '#include <inlay/inlay.hpp>' >include.cu
    if ! "$@" include.cu; then
        failed "include cost ($name): the include does not compile"
        return
    fi
    empty=$(least_seconds "$@" empty.cu)
    full=$(least_seconds "$@" include.cu)
    standard=$({ echo "$standard"; least_seconds "${standards[@]}"; } | sort -n | tail -n 1)  # before and after
    limit=$(awk -v l="$limit" -v s="$standard" 'BEGIN { print l * (s > 0.8 ? s / 0.8 : 1) }')
    name="include cost ($name): $(awk -v a="$full" -v b="$empty" -v l="$limit" -v s="$standard" \
        'BEGIN { printf "%.2f s over an empty file (%.2f - %.2f), limit %.2f s where standard headers take %.2f s", \
                 a - b, a, b, l, s }')"
    if awk -v a="$full" -v b="$empty" -v l="$limit" 'BEGIN { exit !(a - b <= l) }'; then
        passed "$name"
    else
        failed "$name"
    fi
}

costs() {
    local standard standards=(g++ -std=c++20 -c -o /dev/null standard.cpp)
    printf '#include <%s>\n' algorithm map memory string thread vector >standard.cpp
    standard=$(least_seconds "${standards[@]}")
    include_cost g++ 1.5 g++ -std=c++20 -I "$root/include" -x c++ -c -o /dev/null
    [[ -z $nvcc ]] || include_cost nvcc 3.0 "$nvcc" -std=c++20 -arch=sm_90 -I "$root/include" -c -o /dev/null
}

bare
strict_warnings
names
((quick)) || documented_names
compilers_that_cannot
panels
linked_twice
mixed_units
float_flags
device_flags
packages
beside
fetched
by_pkg_config
debian_package
deprecated
single_header
headers_alone
((quick)) || costs
