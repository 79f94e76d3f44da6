#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Negative tests. Every tests/compile_fail/*.cpp must be rejected by g++, clang++-19 and nvcc, and the first line of
# the compiler's output that reports an error must match the extended regular expression that the source states:
#
#     // expect: Linear: the weight has rank 3, expected 2
#     // expect-nvcc-only          (the case is about device code: nvcc alone compiles it)
#     // expect-alone              (no other error follows)
#
# A case that no header can catch has the compilers' own lines instead, each for one and to the letter but for what `…`
# stands for, and the right spelling between #ifdef RIGHT and #else, which compiles. docs/errors.md shows them:
#
#     // g++: no matching function for call to 'exp(const …Buf<0>&)'
#
# The files in control/ are wrong on purpose, and the harness must say so: it proves that it can fail.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
here=$root/tests/compile_fail
export LC_ALL=C  # quotes of ASCII

# precompile: inlay.hpp for the host compilers, as every case includes it.
precompile() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    export work
    echo '#include <inlay/inlay.hpp>' >"$work/all.hpp"
    for compiler in "${compilers[@]}"; do
        case $compiler in
            g++) g++ -std=c++20 -I "$root/include" -x c++-header "$work/all.hpp" -o "$work/all.hpp.gch" ;;
            clang*) $compiler -std=c++20 -I "$root/include" -x c++-header "$work/all.hpp" -o "$work/all.pch" ;;
        esac
    done
}

# compiled COMPILER FILE FLAG...: compile_only with what was precompiled.
compiled() {
    case $1 in
        g++) compile_only "$@" -include "$work/all.hpp" ;;
        clang*) compile_only "$@" -include-pch "$work/all.pch" ;;
        *) compile_only "$@" ;;
    esac
}

# judge COMPILER FILE: prints why the case fails, or nothing.
judge() {
    local compiler=$1 file=$2 expect output errors first
    expect=$(sed -n 's|^// expect: ||p' "$file" | head -n 1)
    [[ -n $expect ]] || expect=$(sed -n "s|^// $compiler: ||p" "$file" | sed 's/[][\\.*^$+?(){}|]/\\&/g; s/…/.*/g')
    if [[ -z $expect ]]; then
        echo "$file has no line '// expect: <regex>' or '// $compiler: <line>'"
        return
    fi
    if grep -q '^#ifdef RIGHT' "$file" && [[ $compiler != nvcc ]] && ! output=$(compiled "$compiler" "$file" -DRIGHT 2>&1); then
        echo "the right spelling does not compile: $output"
        return
    fi
    if output=$(compiled "$compiler" "$file" 2>&1); then
        echo "it compiles; expected an error matching: $expect"
        return
    fi
    errors=$(grep -E '(^|[ :)])error( #[0-9]+(-D)?)?:' <<<"$output")
    first=$(head -n 1 <<<"$errors")
    if ! grep -Eq -- "$expect" <<<"$first"; then
        echo "expected: $expect"
        echo "first error: ${first:-none in this output: $output}"
    elif grep -q '^// expect-alone' "$file" && [[ $(wc -l <<<"$errors") != 1 ]]; then
        echo "errors follow: $(tail -n +2 <<<"$errors")"
    fi
}

# one COMPILER FILE: a case, reported.
one() {
    local name="compile_fail $(basename "$2" .cpp) ($1)" why
    why=$(judge "$1" "$2")
    if [[ -z $why ]]; then
        passed "$name"
    else
        failed "$name"
        sed 's/^/    /' <<<"$why" | head -n 12
    fi
}

# control COMPILER FILE: passes when the harness finds fault.
control() {
    local name="compile_fail control: $(basename "$2" .cpp) is caught ($1)"
    if [[ -n $(judge "$1" "$2") ]]; then passed "$name"; else failed "$name"; fi
}

find_compilers compile_fail
precompile
for compiler in "${compilers[@]}"; do
    for file in "$here"/control/*.cpp; do printf 'control %s %q\0' "$compiler" "$file"; done
    for file in "$here"/*.cpp; do
        [[ -e $file ]] || continue
        [[ $compiler == nvcc ]] || ! grep -q '^// expect-nvcc-only' "$file" || continue
        printf 'one %s %q\0' "$compiler" "$file"
    done
done | in_parallel
