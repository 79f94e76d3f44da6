#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every tests/cuda/*.cu, with what its lines `// ptx: COUNT REGEX` say of its PTX for sm_90, and every header of
# include/inlay/**/cuda/ by itself, compiled for sm_80 and sm_90a. It needs no GPU. `--quick` compiles for sm_90a alone.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
gencode=(-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a)
[[ ${1-} != --quick ]] || gencode=(-arch=sm_90a)

find_nvcc
if [[ -z $nvcc ]]; then
    skipped cuda "$no_nvcc"
    exit 0
fi
export flags="${gencode[*]}"

compile() {
    "$nvcc" -std=c++20 $flags --Werror all-warnings -I "$root/include" -c -o /dev/null "$1"
}
one() {
    local name="cuda ${1#"$root"/tests/cuda/}" want regex ptx
    check "$name" compile "$1"
    grep -q '^// ptx: ' "$1" || return 0
    ptx=$("$nvcc" -std=c++20 -arch=sm_90 -I "$root/include" -ptx -o - "$1")
    sed -n 's|^// ptx: ||p' "$1" | while read -r want regex; do
        check "$name: $want of $regex in its PTX" test "$(grep -cE -- "$regex" <<<"$ptx")" = "$want"
    done
}
header() {
    local unit
    unit=$(mktemp --suffix=.cu)
    printf '#include <%s>\n#include <%s>\n' "$1" "$1" >"$unit"
    check "cuda header $1" compile "$unit"
    rm -f "$unit"
}

{
    find "$root/tests/cuda" -name '*.cu' -printf 'one %p\0' | sort -z
    cd "$root/include" && find inlay -path '*/cuda/*.hpp' -printf 'header %p\0' | sort -z
} | in_parallel
