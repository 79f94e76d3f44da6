#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Negative tests. Every tests/compile_fail/*.cpp must be rejected by g++, clang++-19 and nvcc, and the first line of
# the compiler's output that reports an error must match the extended regular expression that the source states:
#
#     // expect: Linear: the weight has rank 3, expected 2
#     // expect-nvcc-only          (the case is about device code: nvcc alone compiles it)
#
# The files in control/ are wrong on purpose, and the harness must say so: it proves that it can fail.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
here=$root/tests/compile_fail

# judge COMPILER FILE: prints why the case fails, or nothing.
judge() {
    local compiler=$1 file=$2 expect output first
    expect=$(sed -n 's|^// expect: ||p' "$file" | head -n 1)
    if [[ -z $expect ]]; then
        echo "$file has no line '// expect: <regex>'"
        return
    fi
    if output=$(compile_only "$compiler" "$file" 2>&1); then
        echo "it compiles; expected an error matching: $expect"
        return
    fi
    first=$(grep -E -m 1 '(^|[ :)])error( #[0-9]+(-D)?)?:' <<<"$output")
    if ! grep -Eq -- "$expect" <<<"$first"; then
        echo "expected: $expect"
        echo "first error: ${first:-none in this output: $output}"
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
for compiler in "${compilers[@]}"; do
    for file in "$here"/control/*.cpp; do printf 'control %s %q\0' "$compiler" "$file"; done
    for file in "$here"/*.cpp; do
        [[ -e $file ]] || continue
        [[ $compiler == nvcc ]] || ! grep -q '^// expect-nvcc-only' "$file" || continue
        printf 'one %s %q\0' "$compiler" "$file"
    done
done | in_parallel
