#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sanitize.sh CUDA_TEST [SECONDS]: compute-sanitizer's tools over a part of the GPU's tests: one of every kind of
# kernel, in one storage type, small, and all random kernels. Tensors are all of their allocations, so that memcheck
# sees what reads beyond one. Each tool gets that many seconds (600). It needs a GPU.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../../cmake/shell.sh"
program=${1:?usage: sanitize.sh CUDA_TEST [SECONDS]}
seconds=${2:-600}

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
if [[ -z $sanitizer ]]; then
    skipped sanitizer 'compute-sanitizer is not installed'
    exit 0
fi
if ! has_gpu; then
    skipped sanitizer 'there is no GPU'
    exit 0
fi

few='ElementwiseTest/fp16.Views:ElementwiseTest/fp16.Sinks:ElementwiseTest/fp16.StatisticsMergeToThoseOfAnyGroup'
few+=':ElementwiseTest/fp16.StatisticsOfManyPixelsAndFew:ReduceTest/fp16.ManyShortRows'
few+=':LinearTest/fp16.RaggedSizes:LinearTest/fp16.Prologues:LinearTest/fp16.Sinks:LinearTest/fp32.Epilogues'
few+=':Conv2DTest/fp16.Filters:Conv2DTest/fp16.StridesPaddingDilationGroups:Conv2DTest/fp32.Prologues'
few+=':AttentionTest/fp16.HeadDimensions:AttentionTest/fp32.Causal:AttentionTest/fp16.ViewsEpilogueSink'
few+=':AttentionTest/fp16.Base2:TensorMap.*'
few+=':NormTest/fp16.*Ragged:NormTest/fp32.ProloguesEpiloguesSinks:NormTest/fp16.StatisticsOfWhatWasStored'
few+=':SoftmaxTest/fp16.Ragged:ReduceTest/fp16.LongRowsAndColumns:ReduceTest/fp16.PrologueEpilogueSink'
few+=':MixedOperands.*:Launcher.*:Graph.*:RandomKernels.*'

# racecheck does not know what copy engines write: what sm_90a's engine takes is left to the other tools.
portable=${few//LinearTest\/fp16./LinearTest\/fp32.}
portable=${portable//Conv2DTest\/fp16./Conv2DTest\/fp32.}
portable=${portable//AttentionTest\/fp16./AttentionTest\/fp32.}
portable=${portable//MixedOperands.\*/MixedOperands.LinearsOf*}
portable=${portable//:TensorMap.\*/}

one() {
    local tool=$1 log status tests tests_of=$few
    shift
    [[ $tool != racecheck ]] || tests_of=$portable
    log=$(timeout "$seconds" "$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 20 "$@" \
        "$program" --gtest_filter="$tests_of" --gtest_brief=1 2>&1)
    status=$?
    tests=$(sed -n 's/^\[=*\] \([0-9]*\) tests.*ran.*/\1/p' <<<"$log")
    if ((status == 0 && ${tests:-0} > 0)); then
        passed "sanitizer $tool: $tests tests"
    elif ((status == 124)); then
        failed "sanitizer $tool took longer than $seconds s"
    elif ((status == 0)); then
        failed "sanitizer $tool ran no test"
    else
        failed "sanitizer $tool"
        grep -E '^=========|Failure|FAILED' <<<"$log" | cut -c 1-240 | head -n 40 | sed 's/^/    /'
    fi
}

export program seconds sanitizer few portable
printf '%s\0' 'one memcheck' 'one initcheck' 'one synccheck' 'one racecheck' | in_parallel
