#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# local_avx.sh PROGRAM: fails where a portable program has a global function with an instruction of AVX, whose names
# begin with v: the linker may have given it to units for any processor. Functions are compared by address, as each path
# has its own copies of one name.
set -uo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
objdump -d --no-show-raw-insn "$1" | awk '/^[0-9a-f]+ <.*>:$/ { at = $1 } /\tv[a-z]/ { print at }' | sort -u >"$dir/avx"
nm "$1" | awk '$2 ~ /^[A-Zuvwi]$/ { print $1 }' | sort -u >"$dir/global"
for kind in avx global; do
    (($(wc -l <"$dir/$kind") > 10)) || { echo "FAILED: $1 has hardly a symbol of kind $kind" >&2 && exit 1; }
done
shared=$(comm -12 "$dir/avx" "$dir/global")
[[ -z $shared ]] || { echo "FAILED: global functions with AVX:" $(nm "$1" | grep -F "$shared") >&2 && exit 1; }
