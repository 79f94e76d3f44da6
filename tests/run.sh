#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

usage() {
    cat <<'TEXT'
tests/run.sh [--quick] [STAGE...]

Builds and runs all tests of Inlay. On Debian 12 it first installs what is missing (as root or with sudo).
What a machine cannot run (a compiler that is not there) is reported as skipped, by name.

Stages, in this order; naming some runs those alone:
  unit          build everything, run the tests and the small examples
  static        tests made of static_assert, through g++, clang++-19 and nvcc
  compile_fail  wrong programs and the first error each compiler prints for them
  consumer      bare compiler commands, the CMake package, each header alone, the cost of the include
  site          the documentation as a site, built by MkDocs from PyPI without a warning
  compile_time  counts of what each compiler does for a node of an expression, and their limits
  cuda          compile the CUDA code for sm_80 and sm_90a (nvcc 12.4 or newer): no spilled register, its price in time
  gpu           build for the GPU of this machine, run its tests, and compute-sanitizer over a part of them
  hip           compile the HIP code for gfx942, gfx90a and gfx1100 (clang++-19): no spilled register, matrix instructions
  sanitize      the tests again, built by clang++-19 with ASan and UBSan
  fuzz          each fuzz target for 20 s

  --quick       unit, static, compile_fail and consumer with one compiler and no timing: for the work between commits
  --fuzz-seconds N   how long each fuzz target runs
  --help        this text

The last line is 'N passed, N failed, N skipped'; the exit status is 0 when nothing failed.
TEXT
}

quick=()
fuzz_seconds=20
stages=()
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --quick) quick=(--quick) ;;
        --fuzz-seconds)
            fuzz_seconds=${2:?--fuzz-seconds needs a number}
            shift
            ;;
        unit | static | compile_fail | consumer | site | compile_time | cuda | gpu | hip | sanitize | fuzz)
            stages+=("$1")
            ;;
        *)
            echo "tests/run.sh: unknown argument '$1'; see tests/run.sh --help" >&2
            exit 2
            ;;
    esac
    shift
done
if ((!${#stages[@]})); then
    stages=(unit static compile_fail consumer site compile_time cuda gpu hip sanitize fuzz)
    ((!${#quick[@]})) || stages=(unit static compile_fail consumer)
fi

source "$(dirname "${BASH_SOURCE[0]}")/../cmake/shell.sh"
cd "$root"
exec </dev/null
mkdir -p build
results=$(mktemp)
timings=$(mktemp)
log=$(mktemp)
trap 'rm -f "$results" "$timings" "$log"' EXIT

# count_results FILE: the line 'N passed, N failed, N skipped'; false when something failed.
count_results() {
    awk '/^ok / { ++ok }  /^FAILED / { ++bad }  /^skipped / { ++skip }
         /^count / { ok += $2; bad += $3; skip += $4 }
         END { printf "%d passed, %d failed, %d skipped\n", ok, bad, skip; exit bad > 0 }' "$1"
}

wants() { [[ " ${stages[*]} " == *" $1 "* ]]; }

# Without a compiler nothing can be tested; without clang or HIP their stages say so themselves.
install_packages "${packages_to_build[@]}" "${packages_to_test[@]}" || exit 1
if ((!${#quick[@]})); then
    install_packages "${packages_of_clang[@]}" || echo 'clang 19 could not be installed'
    ! wants hip || install_packages "${packages_of_hip[@]}" || echo 'the HIP packages could not be installed'
fi

# build DIR FLAG...: configures and builds; one line when all is well.
build() {
    local dir=$1 log
    shift
    log=$(mktemp)
    if { cmake -S . -B "$dir" -G Ninja -DINLAY_BUILD_TESTS=ON -DINLAY_WERROR=ON "$@" &&
        cmake --build "$dir" -- -k 0 -j "$jobs"; } >"$log" 2>&1; then
        passed "build $dir"
    else
        failed "build $dir"
        grep -E -A 12 -m 5 '(FAILED|[Ee]rror)' "$log" | cut -c 1-400 | head -n 60 | sed 's/^/    /'
    fi
    rm -f "$log"
}

# gtest_cases FILE: one line a case, `ok`, `FAILED` or `skipped` and its name; nothing when the report is not whole.
gtest_cases() {
    [[ -s $1 ]] && grep -q '</testsuites>' "$1" || return 1
    awk 'function attribute(key) { return match($0, " " key "=\"[^\"]*\"") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4) : "" }
         function report() { if (name != "") print verdict, name; name = "" }
         /<testcase / {
             report()
             name = attribute("classname") "." attribute("name")
             verdict = attribute("result") == "skipped" || attribute("status") == "notrun" ? "skipped" : "ok"
         }
         /<failure / { verdict = "FAILED" }
         /<skipped / { why = attribute("message"); gsub(/^[^&]*&#x0A;|&#x0A;$/, "", why); if (why != "") name = name ": " why }
         END { report() }' "$1"
}

# run_ctest DIR FLAG...: runs its tests. A GoogleTest program is one line with its counts, and one more for each case that
# failed or was skipped; if it dies before its report is whole, it counts as one failure.
run_ctest() {
    local dir=$1 reports name status seconds cases label log=$1/ctest.log
    shift
    label=$(basename "$dir")
    reports=$root/$dir/gtest
    rm -rf "$reports"
    GTEST_OUTPUT=xml:$reports/ ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-19 || true) \
        ctest --test-dir "$dir" -LE toolchain -j "$jobs" --output-on-failure "$@" >"$log" 2>&1
    sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) [ .]*\**\(.*[^ ]\) *  *\([0-9.]*\) sec.*$/\1 \3 \2/p' "$log" |
        while read -r name seconds status; do
            if [[ $name == unit.* ]] && cases=$(gtest_cases "$reports/${name#unit.}_test.xml"); then
                awk -v name="$name ($label, $seconds s)" '{ ++n[$1] }
                    END { printf "count    %d %d %d  %s\n", n["ok"], n["FAILED"], n["skipped"], name }' <<<"$cases"
                sed -n 's/^\(FAILED\|skipped\) /         \1 /p' <<<"$cases"
                [[ $status == Passed || $cases == *FAILED* ]] || failed "$name ($label): $status"
            elif [[ $status == Passed ]]; then
                passed "$name ($label, $seconds s)"
            elif [[ $status == Skipped ]]; then
                skipped "$name ($label)" 'it says why in its output'
            else
                failed "$name ($label): $status"
            fi
        done
    ! grep -q 'No tests were found' "$log" || failed "$dir has no tests"
    grep -E -A 15 '(: Failure$|ERROR: |runtime error:|terminate called)' "$log" | cut -c 1-300 | head -n 120 | sed 's/^/    /'
    return 0
}

stage_unit() {
    local bench=ON
    ((!${#quick[@]})) || bench=OFF
    build build/release -DCMAKE_BUILD_TYPE=Release -DINLAY_BUILD_BENCH=$bench -DINLAY_PRECOMPILE_TESTS=ON
    run_ctest build/release
}
stage_static() { bash tests/static/run.sh; }
stage_compile_fail() { bash tests/compile_fail/run.sh; }
stage_consumer() { bash tests/consumer/run.sh "${quick[@]}"; }
stage_site() { bash tests/docs/site.sh; }
stage_compile_time() { bash tests/compile_time/run.sh; }
stage_cuda() { bash tests/gpu/compile/run.sh "${quick[@]}"; }
stage_gpu() {
    find_nvcc
    if [[ -z $nvcc ]]; then skipped gpu "$no_nvcc" && return; fi
    if ! has_gpu; then skipped gpu 'there is no NVIDIA GPU' && return; fi
    CUDACXX=$nvcc build build/release-cuda -DCMAKE_BUILD_TYPE=Release -DINLAY_CUDA=ON \
        -DINLAY_CUDA_ARCHITECTURES="$(gpu_architecture)"
    run_ctest build/release-cuda -R '[._]cuda|inlay-sd|program'
    bash tests/gpu/device/sanitize.sh build/release-cuda/bin/cuda_test
}
stage_hip() { bash tests/hip/run.sh "${quick[@]}"; }
sanitizers() {
    command -v clang++-19 >/dev/null || return 1
    build build/sanitize -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=None -DINLAY_SANITIZE=ON \
        -DINLAY_PRECOMPILE_TESTS=ON -DINLAY_BUILD_EXAMPLES=OFF
}
stage_sanitize() {
    sanitizers || { skipped sanitize 'clang++-19 is not installed' && return; }
    run_ctest build/sanitize
}
stage_fuzz() {
    wants sanitize || sanitizers >/dev/null
    command -v clang++-19 >/dev/null || { skipped fuzz 'clang++-19 is not installed' && return; }
    bash tests/fuzz/run.sh "$root/build/sanitize/bin" "$fuzz_seconds"
}

for stage in "${stages[@]}"; do
    echo "== $stage"
    start=$SECONDS
    # There are hundreds of headers: those that are fine only count.
    "stage_$stage" 2>&1 | tee "$log" | grep -v '^ok  *[a-z]* *header '
    # A stage that dies before it reports would otherwise pass.
    ((PIPESTATUS[0] == 0)) || grep -q '^FAILED' "$log" || failed "$stage ended with an error" | tee -a "$log"
    grep -Eq '^(ok|FAILED|skipped|count) ' "$log" || skipped "$stage" 'there is nothing in it' | tee -a "$log"
    cat "$log" >>"$results"
    printf '%5d s  %-12s  %s\n' $((SECONDS - start)) "$stage" "$(count_results "$log")" >>"$timings"
done

echo '== time'
cat "$timings"
printf '%5d s  all\n' "$SECONDS"
if grep -q '^ \{0,9\}FAILED ' "$results"; then
    echo '== failed'
    grep '^ \{0,9\}FAILED ' "$results" | sed 's/^ *//'
fi
count_results "$results"
