#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A portable program on processors without AVX, and with AVX2 alone, as qemu-user has them.
set -uo pipefail
[[ -e ${INLAY_HOST_PATHS:-} ]] || { echo 'this build has no portable program'; exit 77; }
qemu=$(command -v qemu-x86_64 || command -v qemu-x86_64-static) || { echo 'qemu-user is not installed'; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }
unset INLAY_HOST_ISA
on() { "$qemu" -cpu "$1" "$INLAY_HOST_PATHS" 2> >(grep -v '^qemu.*warning: TCG' >&2); }

for cpu in Opteron_G1 Nehalem; do
    said=$(on $cpu 2>&1) || fail "on a $cpu it says '$said'"
    [[ $said == 'baseline: largest error'* ]] || fail "on a $cpu it says '$said'"
    said=$(INLAY_HOST_ISA=avx2 on $cpu 2>&1) && fail "on a $cpu it takes the path avx2"
    [[ $said == "inlay: INLAY_HOST_ISA is 'avx2', which this processor does not run, expected baseline" ]] ||
        fail "on a $cpu, of the path avx2, it says '$said'"
done
# qemu has AVX2 from 7.2 on.
if "$qemu" -cpu Haswell "$INLAY_HOST_PATHS" 2>/dev/null | grep -q '^avx2'; then
    said=$(INLAY_HOST_ISA=avx512 on Haswell 2>&1) && fail "on a Haswell it takes the path avx512"
    [[ $said == "inlay: INLAY_HOST_ISA is 'avx512', which this processor does not run, expected"* ]] ||
        fail "on a Haswell, of the path avx512, it says '$said'"
else
    said=$(on Haswell 2>&1) || fail "on a Haswell it says '$said'"
    [[ $said == 'baseline: largest error'* ]] || fail "on a Haswell it says '$said'"
    echo "skipped: path avx2, which this $("$qemu" --version | head -n 1) does not have"
fi
echo "all passed"
