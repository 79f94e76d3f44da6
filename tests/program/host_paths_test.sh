#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A portable program: each path by its name, what is refused, and that no code of a path is another's.
set -uo pipefail
[[ -e ${INLAY_HOST_PATHS:-} ]] || { echo 'this build has no portable program'; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }
unset INLAY_HOST_ISA

# The features without which a path does not run; the others are those of the same level of x86-64.
has() { for feature in "$@"; do grep -q "^flags.*\b$feature\b" /proc/cpuinfo || return 1; done; }
best=baseline
check() {
    local path=$1 said
    shift
    said=$(INLAY_HOST_ISA=$path "$INLAY_HOST_PATHS" 2>&1)
    local status=$?
    if has "$@"; then
        best=$path
        [[ $status == 0 && $said == "$path"*": largest error"* ]] || fail "$path says '$said' ($status)"
    else
        echo "skipped: path $path, as this processor has not all of $*"
        [[ $status == 1 && $said == "inlay: INLAY_HOST_ISA is '$path', which this processor does not run, "* ]] ||
            fail "$path, which does not run here, says '$said' ($status)"
    fi
}
check baseline sse2
check avx2 avx2 fma f16c bmi2 movbe
check avx512 avx2 avx512f avx512bw avx512dq avx512vl avx512_bf16
[[ $("$INLAY_HOST_PATHS") == "$best"* ]] || fail "the best path is $best, not that of '$("$INLAY_HOST_PATHS")'"

# Tile registers are code of the path avx512, which only their own name chooses.
said=$(INLAY_HOST_ISA=amx "$INLAY_HOST_PATHS" 2>&1)
status=$?
if has amx_tile amx_bf16 avx512_bf16; then
    [[ $status == 0 && $said == avx512*": largest error"* ]] || fail "amx says '$said' ($status)"
else
    echo 'skipped: amx, which this processor does not have'
    [[ $status == 1 && $said == "inlay: INLAY_HOST_ISA is 'amx', which this processor does not run, "* ]] ||
        fail "amx, which does not run here, says '$said' ($status)"
fi

said=$(INLAY_HOST_ISA=sse "$INLAY_HOST_PATHS" 2>&1) && fail "a path 'sse' is taken"
[[ $said == "inlay: INLAY_HOST_ISA is 'sse', of which this program has no code, "*"one of amx, baseline, avx2, avx512" ]] ||
    fail "of a path 'sse' it says '$said'"

bash "$(dirname "${BASH_SOURCE[0]}")/local_avx.sh" "$INLAY_HOST_PATHS" || exit 1
echo "all passed"
