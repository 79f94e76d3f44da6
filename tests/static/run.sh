#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests made of static_assert, through every compiler there is: to compile without a warning is to pass. Half of each
# compiler's default limits for constant expressions must do, as users set none and have constants of their own. g++
# compiles them for any processor, clang for this one. Those of graphs and plans compile with UBSan too, under which g++
# has no constant for a comparison of an address with null.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"

one() {
    local flags=(-Wall -Wextra -Werror)
    case $1 in
        g++) flags+=(-fconstexpr-ops-limit=16777216 -fconstexpr-loop-limit=131072) ;;
        clang*) flags+=(-fconstexpr-steps=524288 -march=native) ;;
        nvcc) flags=(--Werror all-warnings) ;;
    esac
    check "static ${2#"$root"/tests/static/} ($1)" compile_only "$1" "$2" "${flags[@]}"
}

# sanitized FILE: a test by g++ with UBSan.
sanitized() {
    check "static ${1#"$root"/tests/static/} (g++, UBSan)" compile_only g++ "$1" -Wall -Wextra -Werror -fsanitize=undefined
}

find_compilers static
find "$root/tests/static" -name '*_test.cpp' | sort | while read -r file; do
    for compiler in "${compilers[@]}"; do printf 'one %s %q\0' "$compiler" "$file"; done
    [[ " ${compilers[*]} " != *' g++ '* || ! $file =~ /(dataflow|egraph|extract|planner_rules|plans)_test ]] ||
        printf 'sanitized %q\0' "$file"
done | in_parallel
