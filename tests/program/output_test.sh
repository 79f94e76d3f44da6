#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The place of a picture and its text: links, FIFOs and devices; the seed; the text that other programs read.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "FAILED: $*" >&2; exit 1; }
sd() { "$INLAY_SD" --quiet --model tiny --prompt fox --size 64x64 --steps 1 --seed 5 --device cpu "$@"; }
"$INLAY_SD" --make-model tiny tiny >/dev/null
sd --out a.png >/dev/null

mkdir real && ln -s real/b.png link.png
sd --out link.png >/dev/null
[ -L link.png ] && cmp -s a.png real/b.png || fail "a link stays, and its file is replaced"
mkfifo fifo
cat fifo >from-fifo.png &
sd --out fifo >/dev/null
wait $!
[ -p fifo ] && cmp -s a.png from-fifo.png || fail "a FIFO gets the picture"
sd --out /dev/null >/dev/null
[ -c /dev/null ] || fail "a device stays one"
sd --out /dev/stdout >piped.png
head -c "$(stat -c %s a.png)" piped.png | cmp -s a.png || fail "standard output gets the picture"

# expect FILE KEY=VALUE: the text of a picture has this line, read as AUTOMATIC1111's program reads it.
expect() {
    python3 "$here/read_png.py" parameters "$1" >told
    grep -qxF -- "$2" told || fail "$1 says $(cat told), expected $2"
}
expect a.png 'prompt="fox"'
expect a.png Steps=1
expect a.png Sampler=DDIM
expect a.png "CFG scale=7.5"
expect a.png Seed=5
expect a.png Size=64x64
expect a.png Model=tiny
[ "$(sed -n '$=' told)" -eq 9 ] || fail "every pair is one: $(cat told)"
sd --model tiny/ --scheduler dpmpp_2m --negative 'blurry: no, "bad"' --prompt $'naïve\nfox' --out b.png >/dev/null
expect b.png Model=tiny
expect b.png "Sampler=DPM++ 2M"
expect b.png 'prompt="naïve\nfox\nNegative prompt: blurry: no, \"bad\""'
(cd tiny && "$INLAY_SD" --quiet --model . --prompt fox --size 64x64 --steps 1 --seed 5 --out ../c.png >/dev/null)
expect c.png Model=tiny
odd='a, b: "c"'
cp -r tiny "$odd"
sd --model "$odd" --out d.png >/dev/null
expect d.png "Model=$odd"
expect d.png "Precision=fp32"
ill=$'caf\xe9'
cp -r tiny "$ill"
sd --model "$ill" --init a.png --out e.png --steps 3 --strength 0.5 >/dev/null
expect e.png $'Model=caf\xef\xbf\xbd'
expect e.png "Denoising strength=0.5"

# -1 is a random seed, which is printed and makes the same picture again.
"$INLAY_SD" --model tiny --prompt fox --size 64x64 --steps 1 --seed -1 --device cpu --out r.png >/dev/null 2>said
seed=$(sed -n 's/^seed: //p' said)
[ -n "$seed" ] || fail "a random seed is printed: $(cat said)"
expect r.png "Seed=$seed"
sd --seed "$seed" --out r2.png >/dev/null
cmp -s r.png r2.png || fail "the printed seed makes the picture again"
sd --seed 18446744073709551615 --out max.png >/dev/null
expect max.png Seed=18446744073709551615

refuse() {
    local said
    if said=$("$INLAY_SD" --quiet --model tiny --prompt fox --size 64x64 --steps 1 --out no.png "${@:2}" 2>&1); then
        fail "${*:2} is accepted"
    fi
    [ "$said" = "inlay: $1" ] || fail "${*:2} says '$said', expected 'inlay: $1'"
    [ ! -e no.png ] || fail "${*:2} writes"
}
range="expected -1 (random) or a whole number from 0 to 18446744073709551615"
refuse "--seed is -2, $range" --seed -2
refuse "--seed is 18446744073709551616, $range" --seed 18446744073709551616
refuse "--seed is 7x, $range" --seed 7x
refuse "--seed is 18446744073709551615, which leaves the last of 2 images none, expected at most 18446744073709551614" \
    --seed 18446744073709551615 --batch 2
refuse "--steps is 1.5, expected a whole number from 1 to 1000" --steps 1.5
refuse "--steps is 4294967297, expected a whole number from 1 to 1000" --steps 4294967297
refuse "--batch is -1, expected a whole number from 1 to 64" --batch -1
refuse "--batch is empty, expected a whole number from 1 to 64" --batch ""
refuse "--guidance is inf, expected a number from 0 to 1000" --guidance inf
refuse "--guidance is 1e400, expected a number from 0 to 1000" --guidance 1e400
refuse "--strength is -0.1, expected a number from 0 to 1" --strength -0.1
refuse "--threads is -3, expected a whole number from 0 to 1024" --threads -3
refuse "--replays is 99999999999, expected a whole number from 0 to 100000" --replays 99999999999
refuse "--size is '65536x64', expected multiples of 64 up to 16384" --size 65536x64
refuse "--out /dev/null takes one picture, expected a file name for 2" --out /dev/null --batch 2
echo "all passed"
