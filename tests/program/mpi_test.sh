#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inlay-sd under Open MPI, on the CPU: the bits of one process, by images and by halves of guidance; errors.
set -euo pipefail
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "FAILED: $*" >&2; exit 1; }
"$INLAY_SD" --make-model tiny tiny >/dev/null
sd="$INLAY_SD --quiet --model tiny --prompt fox --negative blurry --size 64x64 --steps 3 --seed 5"
sd="$sd --device cpu --threads 1"
# ranks N ARGS...
ranks() {
    local n=$1
    shift
    mpirun --allow-run-as-root --oversubscribe -n "$n" "$@" 2>err.txt
}
if ! ranks 2 $sd --batch 2 --out probe.png >/dev/null && grep -q 'a build without MPI' err.txt; then
    [ "$(grep -c '^inlay: a launcher of MPI started 2' err.txt)" = 1 ] || fail "not one sentence: $(cat err.txt)"
    echo "skipped: $INLAY_SD has no MPI"
    exit 77
fi

$sd --batch 5 --out one.png >/dev/null
for n in 2 3; do
    [ "$(ranks $n $sd --batch 5 --out $n.png)" = $n-0.png ] || fail "one path, of the first picture"
    for i in 0 1 2 3 4; do cmp one-$i.png $n-$i.png || fail "image $i of $n ranks"; done
done
for scheduler in ddim dpmpp_2m euler_a; do
    $sd --scheduler $scheduler --dtype fp16 --out whole.png >/dev/null
    ranks 2 $sd --scheduler $scheduler --dtype fp16 --split guidance --out half.png >/dev/null
    cmp whole.png half.png || fail "guidance on two ranks, $scheduler"
done
ranks 4 $sd --batch 5 --split guidance --out pairs.png >/dev/null
for i in 0 1 2 3 4; do cmp one-$i.png pairs-$i.png || fail "image $i of two pairs"; done
$sd --batch 5 --at-once 2 --out groups.png >/dev/null
for i in 0 1 2 3 4; do cmp one-$i.png groups-$i.png || fail "image $i by groups of 2"; done

# refuse PATTERN N ARGS...: one sentence, beside what mpirun says of a status that is not 0.
refuse() {
    local pattern=$1
    shift
    ! ranks "$@" >/dev/null || fail "$* passed"
    [ "$(grep -c '^inlay: ' err.txt)" = 1 ] && grep -q "$pattern" err.txt || fail "$*: $(cat err.txt)"
}
refuse "no folder 'nowhere'" 2 $sd --batch 2 --out nowhere/x.png
refuse 'expected at least 2 groups' 2 $sd --batch 1
refuse 'has 3 ranks, expected pairs' 3 $sd --split guidance
refuse 'guidance is 1, expected more than 1' 2 $sd --split guidance --guidance 1
refuse 'has 2 ranks, expected one process' 2 $sd --requests -
refuse 'did you mean --model' 2 $sd --modle x
refuse 'a red \[0xff\]\|UTF-8' 2 $sd --batch 2 --prompt "$(printf 'a red \xff')"
# One rank alone fails: all hear of it.
cat >each.sh <<TEXT
[ \$OMPI_COMM_WORLD_RANK = 0 ] || cd other
exec $sd --batch 2 --out x.png
TEXT
mkdir other
refuse "no 'tiny'.*rank 1 of 2" 2 bash each.sh
[ ! -e x-0.png ] || fail "a picture was written although a rank failed"
echo "all passed"
