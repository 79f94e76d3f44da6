#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'TEXT'
bench/run_cpu.sh [--python PYTHON] [--build DIR] [FILTER]

Times the frames on the CPU beside PyTorch, two threads each, and writes bench/results/cpu/<suite>.json, one file for
each frame: {"commit", "date", "driver", "rows": [{"name", "us", "peer", "peer_us", "ratio"}]}. `us` is the median of 5
repetitions, `ratio` is peer_us / us: above 1 we are faster. Wants a machine that does nothing else; the load average
before is part of "driver".

  --python PYTHON   with torch (default: python3); without torch no peer is timed
  --build DIR       where to build (default: build/bench)
  FILTER            a regular expression of benchmark names (default: all)
TEXT
}

python=python3
build=build/bench
filter=.
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --python)
            python=${2:?--python needs a program}
            shift
            ;;
        --build)
            build=${2:?--build needs a folder}
            shift
            ;;
        -*)
            echo "bench/run_cpu.sh: unknown argument '$1'; see --help" >&2
            exit 2
            ;;
        *) filter=$1 ;;
    esac
    shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DINLAY_BUILD_BENCH=ON -DINLAY_BUILD_TESTS=OFF \
    -DINLAY_BUILD_EXAMPLES=OFF >/dev/null
cmake --build "$build" --target frame_bench -j 2 >/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
load=$(cut -d ' ' -f 1 /proc/loadavg)
"$build/bin/frame_bench" --benchmark_filter="$filter" --benchmark_repetitions=5 --benchmark_min_time=0.1 \
    --benchmark_enable_random_interleaving=true --benchmark_report_aggregates_only=true \
    --benchmark_out="$work/ours.json" --benchmark_out_format=json
if "$python" -c 'import torch' 2>/dev/null; then
    "$build/bin/frame_bench" --benchmark_filter="$filter" --benchmark_list_tests | sed 's:/real_time$::' |
        "$python" bench/kernels_torch_cpu.py --threads 2 >"$work/peer.json"
else
    echo "$python has no torch: no peer is timed" >&2
    echo '{"torch": null, "us": {}}' >"$work/peer.json"
fi
"$python" bench/write_results.py --load "$load" "$work/ours.json" "$work/peer.json" bench/results/cpu
