#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What of the CUDA code needs no GPU, only nvcc:
#   every header that needs CUDA by itself, for sm_90a, and all headers through the host compiler with -Wall -Wextra
#   examples/*.cu, and tests/gpu/compile/*.cu, for sm_80 and sm_90a, with what their lines `// ptx:
#   COUNT REGEX` say of their PTX for sm_90
#   every frame with the schedules that are shipped, for sm_80 and sm_90a, and Stable Diffusion in fp16, for sm_90a:
#   ptxas warns of nothing, no kernel spills a register, and for sm_90a no kernel has the comparison that ptxas 13.0 gets
#   wrong, the kernels that lines `// sass: KERNEL INSTRUCTION...` of a file name have these instructions, and those of
#   lines `// no loop over MARK: KERNEL INSTRUCTION...` have these in no loop over products (HGMMA), or over copies
#   (UTMALDG)
#   the tests of the GPU in fp16, through the front end, since without a GPU nothing else compiles them
#   what they cost to compile
# `--quick` leaves all but the second out, and sm_80.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../../cmake/shell.sh"
quick=0
[[ ${1-} != --quick ]] || quick=1

find_nvcc
if [[ -z $nvcc ]]; then
    skipped cuda "$no_nvcc"
    exit 0
fi
targets="-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a"
((!quick)) || targets=-arch=sm_90a
export targets  # no array: those are not exported

# compile FLAG... FILE: as a user would, with warnings as errors.
compile() { "$nvcc" -std=c++20 --Werror all-warnings -I "$root/include" -c "${@:1:$#-1}" -o /dev/null "${@: -1}"; }

unit() {
    local name="cuda ${1#"$root"/tests/gpu/compile/}" want regex ptx
    check "$name" compile $targets "$1"
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
    check "cuda header $1" compile -arch=sm_90a -ptx "$unit"  # the device's side alone: half the price
    rm -f "$unit"
}

# warnings_of_the_host: nvcc's host compiler over all headers but those that it does not take, and what users
# instantiate. The device's side ends behind its front end.
warnings_of_the_host() {
    local unit
    unit=$(mktemp --suffix=.cu)
    {
        cuda_headers
        host_headers | grep -vE '/(tile/host/.*|exec/host.hpp)$'
        echo consumer/every_kernel.cpp
    } | sed 's/.*/#include <&>/' >"$unit"
    check 'cuda warnings of the host compiler' \
        compile -arch=sm_90a -fdevice-syntax-only -Xcompiler=-Wall,-Wextra,-Werror,-fsyntax-only -I "$root/tests" "$unit"
    rm -f "$unit"
}

# behind_macros: all headers that nvcc takes, behind the macros of other libraries.
behind_macros() {
    local unit
    unit=$(mktemp --suffix=.cu)
    {
        printf 'consumer/names/%s.hpp\n' before macros
        cuda_headers
        host_headers | grep -vE '/(tile/host/.*|exec/host.hpp)$|/io/'
    } | sed 's/.*/#include <&>/' >"$unit"
    check 'cuda headers behind the macros of others' compile -arch=sm_90a -ptx -I "$root/tests" "$unit"
    rm -f "$unit"
}

# gpu_tests FILE...: tests of the GPU as gpu/device/device_tests.cmake has them compiled, through the front end: half of
# the price. Several in one unit, each in a namespace behind what it includes, for headers are half of what is left.
gpu_tests() {
    local unit file names=''
    if ((!$#)); then failed 'cuda tests: there are none' && return; fi
    unit=$(mktemp --suffix=.cu)
    sed '/^#include <@source@>/d; s|@type@|inlay::fp16|; s|@untyped@|1|' "$root/tests/gpu/device/unit.cu.in" >"$unit"
    for file in "$@"; do
        sed -n "s|^#include \"|#include \"$(dirname "$file")/|p; /^#include </p" "$file"
    done >>"$unit"
    for file in "$@"; do
        names+=" ${file#"$root"/tests/}"
        printf 'namespace test_%s {\n#include "%s"\n}\n' "$(tr -c '[:alnum:]\n' _ <<<"${file#"$root"/tests/}")" "$file"
    done >>"$unit"
    check "cuda tests in$names" \
        "$nvcc" -std=c++20 -arch=sm_90a -G -ptx -fdevice-syntax-only -I "$root/include" -I "$root/tests" \
        -o /dev/null "$unit"
    rm -f "$unit"
}

# spilled: of what `ptxas -v` says, the kernels that spill and the warnings of performance (C75xx), such as of products
# of warpgroups that it puts one after the other.
spilled() {
    awk '/Compiling entry function/ { split($0, part, "\047"); kernel = part[2] }
         /bytes spill stores/ && !/ 0 bytes spill stores, 0 bytes spill loads/ { print $5, "bytes:", kernel }
         /\(C75[0-9][0-9]\)/ { print }' |
        c++filt | sed 's/inlay::abi_[0-9a-f_]*:://g; s/void on_gpu:://; s/on_gpu:://g' | cut -c 1-230
}

# loops_without SASS KERNEL MARK INSTRUCTION...: kernels whose loops over MARK have one of the instructions, and how many
# kernels there are. HGMMA: the loop is that of the first one, from where the first branch behind it goes back to, before
# it; others may follow behind the loop. UTMALDG: a loop of at most 100 instructions around each, of which a kernel has
# one for A and one for W; others are a block's first copies.
loops_without() {
    awk -v kernel="$2" -v mark="$3" -v unwanted="${*:4}" '
        BEGIN { n = split(unwanted, not_one, " ") }
        function padded(hex) { return substr("00000000" hex, length(hex) + 1) }
        function look(first, last, most, i, j, k, from) {
            for (i = last; i <= count && from == ""; ++i)
                if (to[i] != "" && to[i] <= at[first]) from = to[i]
            for (j = first; j > 1 && at[j - 1] >= from; --j) {}
            if (from == "" || i - j > most) return 0
            for (; j < i; ++j)
                for (k = 1; k <= n; ++k)
                    if (index(text[j], " " not_one[k])) found = not_one[k]
            return 1
        }
        function report(i, loops) {
            if (name == "") return
            ++kernels
            found = ""
            if (mark == "HGMMA") loops = 2 * look(marked[1], marked[1], count)
            else for (i = 1; i <= marks; ++i) loops += look(marked[i], marked[i], 100)
            if (loops < 2) print "no loop:", name
            else if (found != "") print found ":", name
        }
        /Function : / { report(); name = index($0, kernel) ? $3 : ""; count = marks = 0 }
        name != "" && match($0, "/[*][0-9a-f]+[*]/") && RSTART < 20 {
            ++count
            at[count] = padded(substr($0, RSTART + 2, RLENGTH - 4))
            text[count] = substr($0, RSTART + RLENGTH, 80)
            to[count] = ""
            if (text[count] ~ / BRA / && match(text[count], "0x[0-9a-f]+"))
                to[count] = padded(substr(text[count], RSTART + 2, RLENGTH - 2))
            if (index(text[count], " " mark)) marked[++marks] = count
        }
        END { report(); if (!kernels) print "there is no such kernel"; else print "kernels", kernels }' "$1"
}

# sass OBJECT: its instructions.
sass() { PATH=$(dirname "$cuobjdump"):$PATH "$cuobjdump" -sass "$1"; }

# cut_wrongly SASS: kernels that compare a number which is cut to [0, N] with N by the predicate of VIMNMX.RELU. ptxas
# 13.0 takes it for 'equal'; it says 'not above'.
cut_wrongly() { awk '/Function : / { name = $3 } / VIMNMX[.]RELU R[0-9]+, P[0-6]/ { print name }' "$1" | sort -u; }

# sees_mistakes: kernels that spill, that ptxas warns of, and whose loops have what they should not, are seen.
sees_mistakes() {
    local file=$root/tests/gpu/compile/controls/mistakes.cu object bad
    object=$(mktemp --suffix=.o)
    bad=$("$nvcc" -std=c++20 -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -I "$root/include" -c -o "$object" \
        "$file" 2>&1 | spilled)
    [[ -z $cuobjdump ]] || sass "$object" >"$object.sass"
    grep -q 'bytes: spills' <<<"$bad" && grep -q 'C75[0-9][0-9].*serialised' <<<"$bad" &&
        [[ -z $cuobjdump || $(loops_without "$object.sass" finds_addresses HGMMA R2UR) == R2UR:* &&
            $(loops_without "$object.sass" brings_coordinates UTMALDG R2UR) == R2UR:* &&
            $(loops_without "$object.sass" finds_addresses UTMALDG R2UR) == 'no loop:'* &&
            $(cut_wrongly "$object.sass") == *compares_what_is_cut* ]]
    bad=$?
    rm -f "$object" "$object.sass"
    return $bad
}

# judged FOUND GOOD BAD: passed, with N for @, where 'kernels N' is all that was found; else failed, and what was found.
judged() {
    if [[ $1 == "kernels "* ]]; then
        passed "${2/@/${1#kernels }}"
    else
        failed "$3"
        grep -v '^kernels ' <<<"$1" | c++filt | head -n 10 | cut -c 1-230 | sed 's/^/    /'
    fi
}

# compared NAME OBJECT: no kernel for sm_90a is cut wrongly.
compared() {
    local code found
    if [[ -z $cuobjdump ]]; then skipped "$1: comparisons" "$no_cuobjdump" && return; fi
    code=$(mktemp)
    sass "$2" >"$code"
    found=$(cut_wrongly "$code")
    judged "${found:-kernels $(grep -c 'Function : ' "$code")}" "$1: none of @ kernels has the comparison ptxas gets wrong" \
        "$1: kernels that compare with N what is cut to [0, N]"
    rm -f "$code"
}

# instructions NAME FILE OBJECT: the kernels for sm_90a that lines `// sass: KERNEL INSTRUCTION...` of the file name, at
# least one each, have these instructions, and the loops of those of lines `// no loop over MARK: KERNEL INSTRUCTION...`
# none of these. Kernels are found by the part of their symbol.
instructions() {
    local name=$1 mark kernel wanted code found
    grep -q '^// sass: ' "$2" || return 0
    if [[ -z $cuobjdump ]]; then skipped "$name: instructions" "$no_cuobjdump" && return; fi
    code=$(mktemp)
    sass "$3" >"$code"
    sed -n 's|^// no loop over ||p' "$2" | while read -r mark kernel wanted; do
        found=$(loops_without "$code" "$kernel" "${mark%:}" $wanted)
        judged "$found" "$name: no loop over ${mark%:} of @ of $kernel has ${wanted// / or }" \
            "$name: loops over ${mark%:} of $kernel that have ${wanted// / or }"
    done
    sed -n 's|^// sass: ||p' "$2" | while read -r kernel wanted; do
        found=$(awk -v kernel="$kernel" -v wanted="$wanted" '
            BEGIN { n = split(wanted, want, " ") }
            function report(i) {
                if (name == "") return
                ++kernels
                for (i = 1; i <= n; ++i) if (!(want[i] in seen)) print "no", want[i] ":", name
            }
            /Function : / { report(); name = index($0, kernel) ? $3 : ""; split("", seen) }
            name != "" { for (i = 1; i <= n; ++i) if (index($0, " " want[i])) seen[want[i]] }
            END { report(); if (!kernels) print "there is no such kernel"; else print "kernels", kernels }' "$code")
        judged "$found" "$name: all @ of $kernel have $wanted" "$name: $kernel, which should have $wanted"
    done
    rm -f "$code"
}

# shipped NAME ARCH LIMIT FILE FLAG...: its kernels neither spill nor warn, and compiling takes at most LIMIT seconds of
# one processor, for sm_80 on the device's side alone; 0: the seconds are only told.
shipped() {
    local name=$1 arch=$2 limit=$3 file=$4 log=$(mktemp) times=$(mktemp) object=$(mktemp --suffix=.o)
    local kernels seconds bad output=-c TIMEFORMAT='%U %S'
    shift 4
    [[ $arch == 90a ]] || output=-cubin  # the host's side is the same: a quarter of the price
    if ! { time "$nvcc" -std=c++20 -gencode=arch=compute_$arch,code=sm_$arch -Xptxas -v -I "$root/include" "$@" \
        $output -o "$object" "$file" >"$log" 2>&1; } 2>"$times"; then
        failed "cuda $name (sm_$arch)"
        grep -m 5 -A 3 error "$log" | cut -c 1-300 | sed 's/^/    /'
    else
        kernels=$(grep -c 'Compiling entry function' "$log")
        seconds=$(awk '{ printf "%d", $1 + $2 + 0.5 }' "$times")
        bad=$(spilled <"$log")
        if [[ -z $bad ]]; then
            passed "cuda $name (sm_$arch): $kernels kernels, none spills"
        else
            failed "cuda $name (sm_$arch): of $kernels kernels, these spill or make ptxas warn"
            head -n 20 <<<"$bad" | sed 's/^/    /'
        fi
        [[ $arch != 90a ]] || compared "cuda $name (sm_$arch)" "$object"
        [[ $arch != 90a ]] || instructions "cuda $name (sm_$arch)" "$file" "$object"
        if ((limit == 0)); then
            printf '         cuda %s (sm_%s): compiled in %s s\n' "$name" "$arch" "$seconds"
        elif ((seconds <= limit)); then
            passed "cuda $name (sm_$arch): compiled in $seconds s, limit $limit s"
        else
            failed "cuda $name (sm_$arch): compiled in $seconds s, limit $limit s"
        fi
    fi
    rm -f "$log" "$times" "$object"
}

((quick)) || find_cuobjdump
((quick)) || check 'cuda spills, warnings of ptxas, wrong comparisons and instructions in loops are seen' sees_mistakes
{
    # The longest first.
    ((quick)) || printf 'shipped "Stable Diffusion in fp16" 90a 1440 %q --split-compile=0\0' \
        "$root/examples/stable_diffusion/generate_f16.cu"
    ((quick)) || for type in f16 f32 bf16; do
        for arch in 90a 80; do
            printf 'shipped "frames in %s" %s 300 %q\0' $type $arch "$root/tests/gpu/compile/frames/frames_$type.cu"
        done
    done
    ((quick)) || printf 'warnings_of_the_host\0behind_macros\0'
    ((quick)) || printf '%q\0' "$root"/tests/frame/*_test.cpp \
        "$root"/tests/{gpu/device,exec,exec/cuda,exec/gpu,tile/cuda,tile/cuda/runtime,tile/gpu/runtime}/*_test.cu |
        xargs -0 -n 6 bash -c 'printf gpu_tests && printf " %q" "$@" && printf "\0"' _
    ((quick)) || printf 'shipped "attention over fp8" %s 60 %q\0' 80 "$root/tests/gpu/compile/frames/attention_fp8.cu" 90a "$root/tests/gpu/compile/frames/attention_fp8.cu"
    ((quick)) || printf 'shipped "attention over pages" 90a 60 %q\0' "$root/tests/gpu/compile/frames/attention_pages.cu"
    ((quick)) || printf 'shipped "products of evaluated inputs" 90a 120 %q\0' "$root/tests/gpu/compile/frames/products_f16.cu"
    ((quick)) || printf 'shipped "a decoder in one launch" 90a 60 %q\0' "$root/tests/gpu/compile/frames/decoder.cu"
    ((quick)) || printf 'shipped "a decoder in one launch, in fp32" 90a 60 %q\0' "$root/tests/gpu/compile/frames/decoder_f32.cu"
    ((quick)) || printf 'shipped "a transformer in one launch" 90a 120 %q\0' "$root/tests/gpu/compile/frames/transformer.cu"
    printf 'unit %q\0' "$root"/examples/*.cu
    printf 'unit %q\0' "$root"/tests/gpu/compile/*.cu "$root/tests/gpu/device/device_check.cu"
    ((quick)) || cuda_headers | while read -r file; do printf 'header %s\0' "$file"; done
} | in_parallel
if ((!quick)); then
    # By itself, so that nothing else takes its time: a Linear whose input is evaluated and one whose input is copied
    # (10 s is the aim: told, not judged).
    shipped 'one fused Linear, evaluated input' 90a 0 "$root/tests/gpu/compile/frames/one_linear.cu"
    shipped 'one fused Linear' 90a 0 "$root/tests/gpu/compile/frames/one_product.cu"
fi
