#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inlay-sd --requests: pictures by lines of JSON, the same as without; wrong lines, cancelled requests, Ctrl-C.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "FAILED: $*" >&2; exit 1; }
"$INLAY_SD" --make-model tiny tiny >/dev/null
sd() { "$INLAY_SD" --quiet --model tiny --size 64x64 --steps 3 --device cpu "$@"; }
# said PATTERN: a line of said.txt.
said() { grep -qE "$1" said.txt || fail "no line $1 in: $(cat said.txt)"; }

sd --prompt "a red fox" --negative blurry --seed 5 --out fox.png >/dev/null
sd --prompt "a wolf" --seed 7 --out wolf.png >/dev/null
cat >lines.txt <<'TEXT'
{"id": "one", "prompt": "a red fox", "negative": "blurry", "seed": 5, "out": "r-fox.png"}

{"id": 2, "images": [{"prompt": "a wolf", "seed": 7, "out": "r-wolf.png"}, {"prompt": "a wolf", "out": "r-wolf-2.png"}]}
{"id": 3, "prompt": "gone", "out": "gone.png"}
{"cancel": 3}
{"cancel": "nobody"}
TEXT
sd --seed 7 --batch 2 --requests lines.txt >said.txt
cmp fox.png r-fox.png && cmp wolf.png r-wolf.png && cmp wolf.png r-wolf-2.png || fail "pictures of requests differ"
[ ! -e gone.png ] || fail "a cancelled request drew"
[ "$(grep -c '"event":"ready"' said.txt)" = 1 ] || fail "one line says that it is ready"
[ "$(grep -c '"event":"progress"' said.txt)" = 6 ] || fail "each step of each run is a line"
said '"event":"done","id":"one","images":\[\{"out":"r-fox.png","seed":5\}\]'
said '"event":"cancelled","id":3'

refused=0
# refuse PATTERN LINE: an error that matches, and a picture of the next line all the same.
refuse() {
    refused=$((refused + 1))
    rm -f next.png
    printf '%s\n%s\n' "$2" '{"id": "next", "prompt": "x", "seed": 1, "out": "next.png"}' |
        sd --steps 1 --batch 2 --requests - >said.txt
    said "\"error\":\".*$1.*\"event\":\"error\""
    [ -s next.png ] || fail "nothing was drawn after $2"
}
refuse 'no JSON object' 'draw a fox'
refuse 'no JSON object' '[1, 2]'
refuse 'no JSON object' '{"id": 1'
refuse 'is missing: a text or a number' '{"prompt": "x", "out": "x.png"}'
refuse 'expected a text or a whole number' '{"id": [1], "prompt": "x", "out": "x.png"}'
refuse 'prompt.. is missing' '{"id": 1, "out": "x.png"}'
refuse 'out.. is missing' '{"id": 1, "prompt": "x"}'
refuse 'expected a text' '{"id": 1, "prompt": 7, "out": "x.png"}'
refuse 'did you mean negative' '{"id": 1, "prompt": "x", "negativ": "y", "out": "x.png"}'
refuse 'seed.. is 1.5' '{"id": 1, "prompt": "x", "seed": 1.5, "out": "x.png"}'
refuse 'cannot write' '{"id": 1, "prompt": "x", "out": "nowhere/x.png"}'
refuse '3 images, expected an array of 1 to 2' '{"id": 1, "images": [{}, {}, {}]}'
refuse 'expected an array' '{"id": 1, "images": 5}'
refuse 'which another request has' '{"id": 8, "prompt": "x", "out": "x.png"}
{"id": 8, "prompt": "x", "out": "x.png"}'
refuse 'longer than 1048576 bytes' "{\"id\": 1, \"prompt\": \"$(head -c 1100000 /dev/zero | tr '\0' a)\"}"
[ $refused = 15 ] || fail "not all wrong lines were tried"

# A request is cancelled while it is drawn; the next one is not.
mkfifo in
"$INLAY_SD" --quiet --model tiny --size 64x64 --device cpu --steps 900 --requests - <in >said.txt &
worker=$!
exec 3>in
echo '{"id": 1, "prompt": "x", "out": "long.png"}' >&3
for _ in $(seq 200); do ! grep -q progress said.txt || break; sleep 0.05; done
echo '{"cancel": 1}' >&3
for _ in $(seq 200); do ! grep -q cancelled said.txt || break; sleep 0.05; done
said '"done":[0-9]+,"event":"cancelled","id":1'
# Ctrl-C.
echo '{"id": 2, "prompt": "x", "out": "long.png"}' >&3
for _ in $(seq 200); do ! grep -q '"progress","id":2' said.txt || break; sleep 0.05; done
kill -INT $worker
exec 3>&-
status=0
wait $worker || status=$?
[ $status = 130 ] || fail "Ctrl-C ends it with $status"
[ ! -e long.png ] || fail "a stopped request drew"
echo "all passed"
