#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests made of static_assert, through every compiler there is: to compile without a warning is to pass.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"

one() {
    local flags=(-Wall -Wextra -Werror)
    [[ $1 != nvcc ]] || flags=(--Werror all-warnings)
    check "static ${2#"$root"/tests/static/} ($1)" compile_only "$1" "$2" "${flags[@]}"
}

find_compilers static
find "$root/tests/static" -name '*_test.cpp' | sort | while read -r file; do
    for compiler in "${compilers[@]}"; do printf 'one %s %q\0' "$compiler" "$file"; done
done | in_parallel
