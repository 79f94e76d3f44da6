#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BIN_DIR SECONDS: runs each built target of tests/fuzz/*_fuzz.cpp for that long. Seeds lie in
# tests/fuzz/seeds/<target>/; what a run finds stays in build/fuzz/<target>/, where the next one starts.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/shell.sh"
bin=${1:?usage: run.sh BIN_DIR SECONDS}
seconds=${2:?usage: run.sh BIN_DIR SECONDS}
export ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-$(command -v llvm-symbolizer-19)}

one() {
    local corpus=$root/build/fuzz/$1 seeds=$root/tests/fuzz/seeds/$1 log
    mkdir -p "$corpus"
    [[ -d $seeds ]] || seeds=''
    if log=$("$bin/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$corpus/" \
        -print_final_stats=1 "$corpus" $seeds 2>&1); then
        passed "fuzz $1: $(sed -n 's/^stat::number_of_executed_units: *//p' <<<"$log") executions"
    else
        failed "fuzz $1"
        tail -n 40 <<<"$log" | sed 's/^/    /'
    fi
}

export bin seconds
for source in "$root"/tests/fuzz/*_fuzz.cpp; do
    [[ ! -e $source ]] || printf 'one %s\0' "$(basename "$source" .cpp)"
done | in_parallel
