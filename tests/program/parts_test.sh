#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Parts of a model from elsewhere, models of other shapes, and pictures that are no numbers. Expected pictures are those
# of a model folder that is the same by mathematics.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "FAILED: $*" >&2; exit 1; }
edit() { python3 "$here/edit_model.py" "$@"; }
# config FILE KEY VALUE: sets a key of a JSON file.
config() {
    python3 - "$@" <<'PY'
import json, sys
file, key, value = sys.argv[1:]
with open(file) as f: config = json.load(f)
config[key] = json.loads(value)
with open(file, "w") as f: json.dump(config, f)
PY
}
sd() { "$INLAY_SD" --quiet --prompt "a red fox" --size 64x64 --steps 2 --seed 5 --device cpu "$@"; }
picture() { sd --out "$1.png" "${@:2}" >/dev/null; }
png() { python3 "$here/read_png.py" "$@"; }
# Pixels alone: the text may differ.
same() { cmp -s <(png pixels "$1.png") <(png pixels "$2.png"); }

"$INLAY_SD" --make-model tiny tiny --seed 1 >/dev/null
"$INLAY_SD" --make-model tiny other --seed 2 >/dev/null
picture own --model tiny

# --vae: a folder, a model folder, a file, and a model without one.
cp -r tiny hybrid && rm -r hybrid/vae && cp -r other/vae hybrid/vae
picture hybrid --model hybrid
same own hybrid && fail "another VAE makes another picture"
for vae in other/vae other other/vae/diffusion_pytorch_model.safetensors; do
    picture vae --model tiny --vae $vae
    same vae hybrid || fail "--vae $vae is not the model with that VAE"
done
rm -r hybrid/vae
picture vae --model hybrid --vae other
picture again --model tiny --vae other
same vae again || fail "--vae serves a model without a VAE"

# Text to image reads no encoder of the VAE.
cp -r tiny bare && edit bare/vae/diffusion_pytorch_model.safetensors drop:encoder. drop:quant_conv.
picture bare --model bare
same own bare || fail "a VAE without its encoder draws the same picture"
sd --model bare --init own.png --out no.png 2>said >/dev/null && fail "image to image needs the encoder"
grep -q "vae: no tensor 'encoder" said || fail "it says what is missing: $(cat said)"

# --scheduler-config and --prediction.
cp -r tiny v && config v/scheduler/scheduler_config.json prediction_type '"v_prediction"'
picture v --model v
same own v && fail "v_prediction makes another picture"
picture file --model tiny --scheduler-config v/scheduler/scheduler_config.json
same file v || fail "--scheduler-config is not the model with that file"
picture flag --model tiny --prediction v_prediction
same flag v || fail "--prediction is not the model with that key"
picture flag --model v --prediction epsilon
same flag own || fail "--prediction epsilon overrides the config"
sd --model tiny --scheduler-config absent.json --out no.png 2>said >/dev/null && fail "an absent file is refused"
grep -q "absent.json" said || fail "it names the file: $(cat said)"

# A middle block that adds nothing to its input is none.
cp -r tiny zero
edit zero/unet/diffusion_pytorch_model.safetensors fill:mid_block.resnets.0.conv2:0 fill:mid_block.resnets.1.conv2:0 \
    fill:mid_block.attentions.0.proj_out:0
cp -r zero none && config none/unet/config.json mid_block_type null
edit none/unet/diffusion_pytorch_model.safetensors drop:mid_block.
picture zero --model zero
picture none --model none
same own zero && fail "the middle block does something"
same zero none || fail "a model without a middle block is one whose middle block adds nothing"

# A text encoder of 248 positions reads what one of 77 leaves out.
cp -r tiny long && config long/text_encoder/config.json max_position_embeddings 248
edit long/text_encoder/model.safetensors rows:text_model.embeddings.position_embedding.weight:248
words=$(printf 'word %.0s' $(seq 20))
for model in tiny long; do
    sd --model $model --prompt "$words one" --out one.png >/dev/null 2>said
    sd --model $model --prompt "$words two" --out two.png >/dev/null 2>said
    if [ $model = tiny ]; then
        grep -q "longer than 77 tokens" said || fail "77 positions cut a prompt off"
        same one two || fail "what is cut off is not read"
    else
        [ ! -s said ] || fail "248 positions take the whole prompt: $(cat said)"
        same one two && fail "tokens behind the 77th are read"
    fi
done

# A decoder whose weights are too large for fp16, as its norms do not mind: again in fp32. NaN is never a picture.
cp -r tiny large && edit large/vae/diffusion_pytorch_model.safetensors scale:decoder.conv_in:1e6
sd --model large --dtype fp16 --out large.png >/dev/null 2>said
grep -q "decoding again in fp32" said || fail "decoding again is reported: $(cat said)"
sd --model large --dtype fp32 --out exact.png >/dev/null
[ "$(png pixels large.png | od -An -tu1 -v | tr -s ' ' '\n' | sort -u | wc -l)" -gt 20 ] || fail "a flat picture"
python3 -c "exit($(png difference large.png exact.png) > 2)" || fail "the picture decoded again is not that of fp32"
cp -r tiny nan && edit nan/vae/diffusion_pytorch_model.safetensors fill:decoder.conv_out.bias:nan
for dtype in fp32 fp16; do
    sd --model nan --dtype $dtype --out nan.png >/dev/null 2>said && fail "NaN is no picture"
    grep -q "12288 of 12288 values of the picture NaN or infinite" said || fail "it says so: $(cat said)"
done
cp -r tiny nan2 && edit nan2/unet/diffusion_pytorch_model.safetensors fill:conv_out.bias:inf
sd --model nan2 --out nan.png >/dev/null 2>said && fail "latents of NaN are no picture"
grep -q "256 of 256 latents are NaN or infinite in fp32" said || fail "it says so: $(cat said)"
[ ! -e nan.png ] || fail "nothing is written"
echo "all passed"
