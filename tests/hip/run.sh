#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Code for AMD's architectures, compiled without such a GPU:
#   every tests/hip/*.hip, one family of frames in one dtype each: fp16 for gfx942, gfx90a and gfx1100, fp32 for gfx942;
#   bf16, whose code is that of fp16 with other conversions, with `--all` alone. No kernel spills to memory, and the
#   kernels of lines `// code: ARCHITECTURE KERNEL INSTRUCTION...` of a file have these instructions (check_code.py)
#   Stable Diffusion in fp16 for gfx942
#   all headers of core, expr and frame, and those that need HIP, in one unit, forwards and backwards, and by itself each
#   that no other stage compiles by itself or that has text for HIP; with `--all` each
#   a program of one file: compiled, linked, started without a GPU, and refused by a sentence on gfx1030
# `--quick` compiles fp16 for gfx942 alone, `--all` every dtype for every architecture.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
mode=${1-}
archs=(gfx942 gfx90a gfx1100)
find_nvcc
[[ $mode != --quick ]] || archs=(gfx942)

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

# one ARCH FILE [SCALARS PRIVATE]: compiles it, and checks its code.
one() {
    local name object start=$SECONDS
    name=$(basename "$2")
    object=$work/$1-$name.o
    check "hip $name ($1)" device "$1" "$2" -c -o "$object"
    [[ -e $object ]] || return 0
    printf '         hip %s (%s): compiled in %s s\n' "$name" "$1" $((SECONDS - start))
    python3 "$root/tests/hip/check_code.py" "hip $name" "$1" "$object" "$2" "${@:3}"
    rm -f "$object"
}

header() {
    local unit
    unit=$(mktemp --suffix=.hip -p "$work")
    printf '#include <%s>\n' "$2" >"$unit"
    check "hip header $2 ($1)" device "$1" "$unit" -fsyntax-only
}

# checked_headers: those of core, expr and frame, and those that need HIP.
checked_headers() {
    (cd "$root/include" && find inlay/core inlay/expr inlay/frame -name '*.hpp' | sort) && hip_headers
}
# headers_alone: with `--all` all of these, else those that the stages `consumer` and `cuda` do not compile alone, and those
# with text for HIP. Most of what each costs, a second, is HIP's own headers.
headers_alone() {
    if [[ $mode == --all || -z $nvcc ]]; then checked_headers && return; fi
    local elsewhere
    elsewhere=$({ host_headers && cuda_headers; } | sort)
    checked_headers | sort | comm -23 - <(echo "$elsewhere")
    checked_headers | sort | comm -12 - <(echo "$elsewhere") |
        while read -r file; do ! grep -qE '__HIP|/hip/' "$root/include/$file" || echo "$file"; done
}
# headers_together NAME ORDER...: all in one unit, in an order. What one lacks, another before it may have; in the order
# of `tac` it follows.
headers_together() {
    checked_headers | sort | "${@:2}" | sed 's/.*/#include <&>/' >"$work/$1.hip"
    check "hip headers in one unit, $1 (gfx942)" device gfx942 "$work/$1.hip" -fsyntax-only
}

# consumer: a program of one file by the command of docs/amd.md, without a GPU, on an architecture without schedules
# (outside/runtime.cpp is its device), and compiled for one.
consumer() {
    local file=$root/tests/hip/consumer.hip program=$work/consumer expected
    check 'hip consumer.hip links' clang++-19 -x hip -std=c++20 --rocm-path="$rocm" --offload-arch=gfx942 \
        -I "$root/include" "$file" -o "$program"
    expected='inlay: no HIP device: this machine has no AMD GPU, or this user may not open /dev/kfd'
    if [[ -e /dev/kfd ]]; then skipped 'hip consumer.hip without a GPU' 'this machine has one'
    else check 'hip consumer.hip without a GPU' says "$expected" "$program"; fi
    check 'hip consumer.hip links with a device of no known architecture' clang++-19 -std=c++20 --rocm-path="$rocm" \
        --offload-arch=gfx942 -I "$root/include" -no-hip-rt -D__HIP_PLATFORM_AMD__ -x hip "$file" \
        -x c++ "$root/tests/hip/outside/runtime.cpp" -o "$program"
    expected='inlay: HIP device 0 is gfx1030, for which there are no schedules: expected gfx90a, gfx942 or gfx1100'
    check 'hip consumer.hip on gfx1030' says "$expected" env INLAY_HIP_DEVICE=gfx1030 "$program"
    expected='the HIP executor has schedules for gfx90a, gfx942 and gfx1100: compile with --offload-arch of these'
    check 'hip consumer.hip for gfx1030' refuses "$expected" device gfx1030 "$file" -fsyntax-only
    expected='exec/host.hpp is compiled as C++, a file .cpp'
    check 'hip Host in device code' refuses "$expected" device gfx942 "$file" -include inlay/exec/host.hpp -fsyntax-only
}
# says SENTENCE COMMAND...: the command's whole output.
says() { diff <(printf '%s\n' "$1") <("${@:2}" 2>&1); }
# refuses SENTENCE COMMAND...: the command fails, its first error with the sentence.
refuses() {
    local output
    if output=$("${@:2}" 2>&1); then echo 'it compiles' && return 1; fi
    printf '%s\n' "$output" | grep -m 1 'error: ' | grep -F "$1" || { echo "$output" && return 1; }
}

# sees_mistakes: kernels that spill, that keep an array in private memory, that lack an instruction, or that are not
# there, are seen.
sees_mistakes() {
    local file=$root/tests/hip/controls/mistakes.hip object=$work/mistakes.o found
    device gfx942 "$file" -c -o "$object" || return 1
    found=$(python3 "$root/tests/hip/check_code.py" mistakes gfx942 "$object" "$file" 64 1024)
    grep -q 'scratch_[a-z0-9_]* in private memory: keeps_an_array' <<<"$found" || { echo "$found" && return 1; }
    found=$(python3 "$root/tests/hip/check_code.py" mistakes gfx942 "$object" "$file")
    echo "$found"
    grep -q 'vgpr_spill_count [1-9][0-9]*: spills' <<<"$found" &&
        grep -q 'private_segment_fixed_size [1-9][0-9]*: keeps_an_array' <<<"$found" &&
        grep -q 'no v_mfma_f32_16x16x16_?f16: multiplies' <<<"$found" &&
        grep -q 'there is no kernel is_not_there' <<<"$found" &&
        grep -q '^ok .* all 1 of multiplies have' <<<"$found"
}

# architectures FILE: those that it is compiled for.
architectures() {
    case $mode:$1 in
        --quick:*_bf16.hip | --quick:*_f32.hip | :*_bf16.hip) ;;
        :*_f32.hip) echo gfx942 ;;
        *) echo "${archs[@]}" ;;
    esac
}

check 'hip spills, private memory and missing instructions are seen' sees_mistakes
# Whole models, of which the sampler's maps reserve private memory for scalars that then lie in lanes.
networks() {
    local types=f16 type arch
    [[ $mode != --all ]] || types='f16 bf16 f32'
    for type in $types; do
        for arch in $([[ $mode == --all ]] && echo "${archs[@]}" || echo gfx942); do
            printf 'one %s %q 64 196\0' "$arch" "$root/examples/stable_diffusion/generate_$type.hip"
        done
    done
}

{
    [[ $mode == --quick ]] || networks
    for file in "$root"/tests/hip/*.hip; do
        [[ $file != */consumer.hip ]] || continue
        for arch in $(architectures "$file"); do printf 'one %s %q\0' "$arch" "$file"; done
    done
    printf 'headers_together forwards cat\0headers_together backwards tac\0'
    headers_alone | while read -r file; do
        printf 'header gfx942 %q\0' "$file"
    done
} | in_parallel
consumer
