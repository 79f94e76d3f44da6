#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inlay-sd end to end: a synthetic model, pictures, the same picture twice, batches, every storage type and sampler.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "FAILED: $*" >&2; exit 1; }
sd() { "$INLAY_SD" --quiet --model tiny --prompt "a red fox" --negative "blurry" --size 64x64 --steps 3 --seed 5 "$@"; }

[ "$("$INLAY_SD" --make-model tiny tiny)" = tiny ] || fail "--make-model prints its folder"
[ "$(sd --out a.png)" = a.png ] || fail "the last line is the path of the picture"
sd --out b.png >/dev/null
cmp a.png b.png || fail "two runs with one seed differ"
sd --out t1.png --threads 1 >/dev/null
cmp a.png t1.png || fail "the picture depends on the number of threads"
sd --seed 6 --out c.png >/dev/null
cmp -s a.png c.png && fail "another seed gives the same picture"
[ "$(head -c 8 a.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "no PNG"
grep -aq "a red fox" a.png || fail "the parameters are not in the picture"

sd --batch 2 --out two.png >/dev/null
[ -s two-0.png ] && [ -s two-1.png ] || fail "a batch of two writes two pictures"
for dtype in fp16 bf16; do sd --dtype $dtype --out $dtype.png >/dev/null; done
for scheduler in euler euler_a dpmpp_2m; do sd --scheduler $scheduler --out $scheduler.png >/dev/null; done
sd --guidance 1 --out plain.png >/dev/null
sd --size 128x64 --out wide.png >/dev/null
sd --init a.png --strength 0.7 --out again.png >/dev/null
"$INLAY_SD" --make-model tiny half --dtype fp16 >/dev/null
"$INLAY_SD" --quiet --model half --prompt x --size 64x64 --steps 1 --seed 1 --out half.png >/dev/null

"$INLAY_SD" --model tiny --explain --target host >host.txt
"$INLAY_SD" --model tiny --explain --target sm_80 --dtype fp16 >sm80.txt
grep -q "Launches of one UNet step" sm80.txt || fail "--explain gives the launches"
grep -q "^Code of this build: ${INLAY_HOST_ISA:-}" host.txt || fail "--explain does not name the path"
cmp -s host.txt sm80.txt && fail "--explain says the same of every target"
"$INLAY_SD" --help | grep -q Examples || fail "--help has examples"
long=$(printf 'word %.0s' $(seq 60))
"$INLAY_SD" --quiet --model tiny --prompt "$long" --size 64x64 --steps 1 --seed 1 --out long.png 2>&1 >/dev/null |
    grep -q "longer than 77 tokens" || fail "truncation is told"
echo "all passed"
