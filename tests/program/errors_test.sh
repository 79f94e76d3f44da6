#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Bad input: one clear error that names the thing, a non-zero exit, nothing written.
set -uo pipefail
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
failures=0
checks=0

# refuse PATTERN ARGS...: exits non-zero, one line on stderr that matches, no out.png and no partial file.
refuse() {
    local pattern=$1
    shift
    checks=$((checks + 1))
    rm -f out.png
    local said status
    said=$("$INLAY_SD" --quiet "$@" 2>&1 >/dev/null)
    status=$?
    if [ $status -eq 0 ] || [ $status -ge 126 ] || ! grep -qE "$pattern" <<<"$said" || [ "$(wc -l <<<"$said")" -ne 1 ] ||
        [ -e out.png ] || compgen -G '*.part*' >/dev/null; then
        failures=$((failures + 1))
        echo "FAILED ($status): $* said '$said', expected /$pattern/" >&2
    fi
}
run="--prompt x --size 64x64 --steps 1 --seed 1 --out out.png"

"$INLAY_SD" --make-model tiny tiny >/dev/null || exit 1
"$INLAY_SD" --quiet --model tiny --prompt x --size 64x64 --steps 1 --seed 1 --out small.png >/dev/null || exit 1
broken() { rm -rf broken && cp -r tiny broken; }
unet=broken/unet/diffusion_pytorch_model.safetensors

refuse "^inlay: --model: there is no 'absent'$" --model absent $run
refuse "missing: a model folder" $run
refuse "multiples of 64" --model tiny $run --size 100x64
refuse "WIDTHxHEIGHT" --model tiny $run --size huge
refuse "steps is 0" --model tiny $run --steps 0
refuse "steps is 2000" --model tiny $run --steps 2000
refuse "batch is 0" --model tiny $run --batch 0
refuse "guidance is nan" --model tiny $run --guidance nan
refuse "scheduler is 'plms'" --model tiny $run --scheduler plms
refuse "no CUDA|no device|no GPU" --model tiny $run --device cuda
refuse "no HIP" --model tiny $run --device hip
refuse "no HIP|no HIP device 1" --model tiny $run --device hip:1
refuse "device is 'hip:x'" --model tiny $run --device hip:x
refuse "device is 'tpu'" --model tiny $run --device tpu
refuse "no folder 'nowhere'" --model tiny $run --out nowhere/out.png
refuse "exists already" --make-model tiny tiny
refuse "expected tiny or sd15" --make-model huge new
refuse "64x64.*128x64|is 64x64" --model tiny $run --size 128x64 --steps 2 --init small.png
refuse "target" --model tiny --explain --target sm_1
refuse "target is host, expected with --explain" --model tiny $run --target host
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod a-w locked
    refuse "not writable" --model tiny $run --out locked/out.png
else
    refuse "is a folder" --model tiny $run --out tiny
fi

broken; truncate -s 100000 $unet
refuse "unet.*(beyond|end|holds)" --model broken $run
broken; truncate -s 4 $unet
refuse "diffusion_pytorch_model" --model broken $run
broken; printf '\xff\xff\xff\xff\xff\xff\xff\x7f' | dd of=$unet conv=notrunc status=none
refuse "diffusion_pytorch_model.*header" --model broken $run
broken; printf '{{{{' | dd of=$unet bs=1 seek=8 conv=notrunc status=none
refuse "diffusion_pytorch_model.*JSON" --model broken $run
broken; sed -i 's/conv_in.weight/conv_in.weighs/' $unet
refuse "conv_in.weight.*" --model broken $run
broken; sed -i 's/"cross_attention_dim": 64/"cross_attention_dim": 63/' broken/unet/config.json
refuse "cross_attention_dim.*63.*64" --model broken $run
broken; sed -i 's/"hidden_size": 64/"hidden_size": 128/; ' broken/text_encoder/config.json
refuse "hidden_size|cross_attention_dim" --model broken $run
broken; sed -i 's/"intermediate_size": 128/"intermediate_size": 256/' broken/text_encoder/config.json
refuse "mlp.fc1.*128.*256|mlp.fc1.*256.*128" --model broken $run
broken; echo '{' >broken/vae/config.json
refuse "vae.*config.json.*JSON" --model broken $run
broken; sed -i 's/"act_fn": "silu"/"act_fn": "mish"/' broken/unet/config.json
refuse "act_fn.*mish.*silu" --model broken $run
broken; rm -r broken/vae
refuse "no folder 'vae'" --model broken $run
broken; rm broken/tokenizer/vocab.json
refuse "vocab.json" --model broken $run

# Stand-ins that a download or another program leaves in a file's place, and values of configs that are refused.
pointer() { printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 3438167534\n' 0 >"$1"; }
broken; pointer $unet
refuse "diffusion_pytorch_model.safetensors' is a Git LFS pointer to 3438167534 bytes" --model broken $run
broken; pointer broken/tokenizer/merges.txt
refuse "merges.txt' is a Git LFS pointer" --model broken $run
broken; echo '<!DOCTYPE html><html></html>' >broken/vae/config.json
refuse "vae/config.json' is an HTML page" --model broken $run
echo '<html>' >page.png
refuse "page.png' is an HTML page" --model tiny $run --steps 2 --init page.png
broken; sed -i 's/"act_fn"/"time_cond_proj_dim": 256, "act_fn"/' broken/unet/config.json
refuse "unet: config.json: 'time_cond_proj_dim' is 256, expected null" --model broken $run
broken; sed -i 's/"act_fn"/"brand_new": true, "act_fn"/' broken/unet/config.json
refuse "unet: config.json: the key 'brand_new' \(true\) is unknown" --model broken $run
broken; echo '{"_class_name": "LCMScheduler"}' >broken/scheduler/scheduler_config.json
refuse "'_class_name' is \"LCMScheduler\", expected" --model broken $run
broken; echo '{"<cat-toy>": 514}' >broken/tokenizer/added_tokens.json
refuse "tokenizer has 515 tokens, the text encoder embeds 514" --model broken $run

# Names that the system refuses, and a FIFO, which is not waited for.
ln -s loop loop
long=$(printf '%0300d' 0)
refuse "^inlay: cannot use 'loop': Too many levels" --model tiny $run --out loop
refuse "^inlay: cannot use 'loop': Too many levels" --model loop $run
refuse "^inlay: cannot use '$long': File name too long" --model tiny $run --vae $long
refuse "^inlay: cannot use '$long': File name too long" --make-model tiny $long
mkfifo fifo
refuse "cannot read 'fifo': it is not a regular file" --model tiny $run --steps 2 --init fifo

# A new model's folder may be written with a slash; no other folder is touched for it.
checks=$((checks + 1))
mkdir new.part && touch new.part/mine
if ! "$INLAY_SD" --make-model tiny new/ >/dev/null || ! [ -e new/model_index.json ] || ! [ -e new.part/mine ]; then
    failures=$((failures + 1))
    echo "FAILED: --make-model tiny new/ beside new.part" >&2
fi
rm -rf new new.part

# Ctrl-C in mid-run: exit 130, nothing written.
checks=$((checks + 1))
rm -f out.png
"$INLAY_SD" --quiet --model tiny --prompt x --size 256x256 --steps 500 --seed 1 --out out.png 2>said &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid
status=$?
if [ $status -ne 130 ] || [ -e out.png ] || ! grep -q "cancelled after step" said; then
    failures=$((failures + 1))
    echo "FAILED: Ctrl-C gave status $status and said '$(cat said)'" >&2
fi
echo "$((checks - failures)) passed, $failures failed"
exit $((failures > 0))
