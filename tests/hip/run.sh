#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The vendor seam: device code for AMD's architectures, compiled without such a GPU. Every tests/hip/*.hip, and the
# headers that must not know a vendor, one by one. `--quick` compiles for gfx942 alone.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
archs=(gfx942 gfx90a gfx1100)
[[ ${1-} != --quick ]] || archs=(gfx942)

if ! command -v clang++-19 >/dev/null; then
    skipped hip 'clang++-19 is not installed'
    exit 0
fi
rocm=$root/build/hip-root
if ! why=$(bash "$root/cmake/hip-root.sh" "$rocm" 2>&1); then
    skipped hip "${why:-no ROCm root}"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export rocm work

# device ARCH FILE FLAG...: the device side of one file.
device() {
    clang++-19 -x hip -std=c++20 -O2 -Wall -Wextra -Werror --rocm-path="$rocm" -I "$root/include" \
        --cuda-device-only --no-gpu-bundle-output --offload-arch="$1" "${@:3}" "$2"
}

one() { check "hip ${2#"$root"/tests/hip/} ($1)" device "$1" "$2" -c -o "$work/$1-$(basename "$2").o"; }

header() {
    local unit
    unit=$(mktemp --suffix=.hip -p "$work")
    printf '#include <%s>\n' "$2" >"$unit"
    check "hip header $2 ($1)" device "$1" "$unit" -fsyntax-only
}

links() {
    check "hip $(basename "$1") links" clang++-19 -x hip -std=c++20 -O1 --rocm-path="$rocm" -I "$root/include" \
        "${archs[@]/#/--offload-arch=}" --hip-link "$1" -o "$work/linked"
    check "hip $(basename "$1") starts" "$work/linked"
}

{
    for file in "$root"/tests/hip/*.hip; do
        for arch in "${archs[@]}"; do printf 'one %s %q\0' "$arch" "$file"; done
    done
    cd "$root/include" && find inlay/core inlay/expr inlay/frame -name '*.hpp' | sort | while read -r file; do
        printf 'header gfx942 %q\0' "$file"
    done
} | in_parallel
links "$root/tests/hip/core.hip"
