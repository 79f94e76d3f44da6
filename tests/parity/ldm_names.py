# SPDX-License-Identifier: Apache-2.0
"""Writes a diffusers Stable Diffusion 1.x folder as a single file under the original LDM names.

    python tests/parity/ldm_names.py MODEL_DIR OUT.safetensors [--check]

The names are derived from the folder's configs, so any number of levels and layers works. The original keeps the VAE's
attention projections as 1x1 convolutions and carries a few tensors that nobody needs to run the model (the schedule,
position_ids); they are written too, as a loader has to step over them. --check converts the file back with diffusers'
own single-file converters and compares every tensor.
"""

import argparse
import json
import os
import re

import torch
from safetensors.torch import load_file, save_file

RESNET = {
    "norm1": "in_layers.0",
    "conv1": "in_layers.2",
    "time_emb_proj": "emb_layers.1",
    "norm2": "out_layers.0",
    "conv2": "out_layers.3",
    "conv_shortcut": "skip_connection",
}
VAE_ATTENTION = {"group_norm": "norm", "to_q": "q", "to_k": "k", "to_v": "v", "to_out.0": "proj_out"}


def load_component(folder: str) -> tuple[dict, dict[str, torch.Tensor]]:
    """The config and the tensors of one component, from one file or several shards."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    tensors = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".safetensors"):
            tensors |= load_file(os.path.join(folder, name))
    return config, tensors


def unet_prefixes(config: dict) -> dict[str, str]:
    """Module prefix in diffusers -> module prefix in LDM, resnet and sampler internals excluded."""
    out = {
        "conv_in.": "input_blocks.0.0.",
        "time_embedding.linear_1.": "time_embed.0.",
        "time_embedding.linear_2.": "time_embed.2.",
        "conv_norm_out.": "out.0.",
        "conv_out.": "out.2.",
        "mid_block.resnets.0.": "middle_block.0.",
        "mid_block.attentions.0.": "middle_block.1.",
        "mid_block.resnets.1.": "middle_block.2.",
    }
    layers = config["layers_per_block"]
    levels = len(config["block_out_channels"])
    block = 1
    for level in range(levels):
        for layer in range(layers):
            out[f"down_blocks.{level}.resnets.{layer}."] = f"input_blocks.{block}.0."
            out[f"down_blocks.{level}.attentions.{layer}."] = f"input_blocks.{block}.1."
            block += 1
        if level < levels - 1:
            out[f"down_blocks.{level}.downsamplers.0.conv."] = f"input_blocks.{block}.0.op."
            block += 1
    block = 0
    for level in range(levels):
        attends = config["up_block_types"][level].startswith("CrossAttn")
        for layer in range(layers + 1):
            out[f"up_blocks.{level}.resnets.{layer}."] = f"output_blocks.{block}.0."
            out[f"up_blocks.{level}.attentions.{layer}."] = f"output_blocks.{block}.1."
            if layer == layers and level < levels - 1:
                place = 2 if attends else 1  # the upsampler follows whatever the block holds
                out[f"up_blocks.{level}.upsamplers.0.conv."] = f"output_blocks.{block}.{place}.conv."
            block += 1
    return out


def renamed(prefixes: dict[str, str], key: str) -> tuple[str, str]:
    """The LDM prefix of the module that owns `key`, and the rest of the key."""
    prefix = max((p for p in prefixes if key.startswith(p)), key=len, default=None)
    if prefix is None:
        raise KeyError(f"no LDM name known for tensor '{key}'")
    return prefixes[prefix], key[len(prefix) :]


def swapped(table: dict[str, str], rest: str) -> str:
    owner, _, leaf = rest.rpartition(".")
    return f"{table[owner]}.{leaf}"


def unet_to_ldm(config: dict, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    prefixes = unet_prefixes(config)
    out = {}
    for key, tensor in tensors.items():
        prefix, rest = renamed(prefixes, key)
        if ".resnets." in key:
            rest = swapped(RESNET, rest)
        out["model.diffusion_model." + prefix + rest] = tensor
    return out


def vae_prefixes(config: dict) -> dict[str, str]:
    levels = len(config["block_out_channels"])
    layers = config["layers_per_block"]
    out = {"quant_conv.": "quant_conv.", "post_quant_conv.": "post_quant_conv."}
    for side in ("encoder", "decoder"):
        out |= {
            f"{side}.conv_in.": f"{side}.conv_in.",
            f"{side}.conv_norm_out.": f"{side}.norm_out.",
            f"{side}.conv_out.": f"{side}.conv_out.",
            f"{side}.mid_block.resnets.0.": f"{side}.mid.block_1.",
            f"{side}.mid_block.attentions.0.": f"{side}.mid.attn_1.",
            f"{side}.mid_block.resnets.1.": f"{side}.mid.block_2.",
        }
    for level in range(levels):
        for layer in range(layers):
            out[f"encoder.down_blocks.{level}.resnets.{layer}."] = f"encoder.down.{level}.block.{layer}."
        out[f"encoder.down_blocks.{level}.downsamplers.0."] = f"encoder.down.{level}.downsample."
        up = levels - 1 - level  # LDM counts the decoder's levels from the full resolution
        for layer in range(layers + 1):
            out[f"decoder.up_blocks.{level}.resnets.{layer}."] = f"decoder.up.{up}.block.{layer}."
        out[f"decoder.up_blocks.{level}.upsamplers.0."] = f"decoder.up.{up}.upsample."
    return out


def vae_to_ldm(config: dict, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    prefixes = vae_prefixes(config)
    out = {}
    for key, tensor in tensors.items():
        prefix, rest = renamed(prefixes, key)
        if ".attentions." in key:
            rest = swapped(VAE_ATTENTION, rest)
            tensor = tensor[:, :, None, None] if tensor.ndim == 2 else tensor
        rest = rest.replace("conv_shortcut", "nin_shortcut")
        out["first_stage_model." + prefix + rest] = tensor
    return out


def text_to_ldm(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """transformers < 5 wrote the prefix text_model., later versions do not."""
    prefix = "cond_stage_model.transformer.text_model."
    return {prefix + re.sub(r"^text_model\.", "", key): tensor for key, tensor in tensors.items()}


def convert(model_dir: str) -> dict[str, torch.Tensor]:
    unet = load_component(os.path.join(model_dir, "unet"))
    vae = load_component(os.path.join(model_dir, "vae"))
    _, text = load_component(os.path.join(model_dir, "text_encoder"))
    out = unet_to_ldm(*unet) | vae_to_ldm(*vae) | text_to_ldm(text)
    betas = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float64) ** 2
    out["betas"] = betas.float()
    out["alphas_cumprod"] = torch.cumprod(1 - betas, 0).float()
    positions = out["cond_stage_model.transformer.text_model.embeddings.position_embedding.weight"].shape[0]
    out["cond_stage_model.transformer.text_model.embeddings.position_ids"] = torch.arange(positions)[None]
    return out


def write(model_dir: str, path: str) -> None:
    save_file({name: t.contiguous() for name, t in convert(model_dir).items()}, path)


def check(model_dir: str, path: str) -> None:
    """Reads the single file back with diffusers' converters, and compares with the folder."""
    from diffusers.loaders import single_file_utils as single

    ldm = load_file(path)
    unet_config, unet = load_component(os.path.join(model_dir, "unet"))
    vae_config, vae = load_component(os.path.join(model_dir, "vae"))
    _, text = load_component(os.path.join(model_dir, "text_encoder"))
    skipped = "embeddings.position_ids"
    text = {re.sub(r"^text_model\.", "", k): t for k, t in text.items()}
    back_text = single.convert_ldm_clip_checkpoint(dict(ldm))
    pairs = {
        "unet": (unet, single.convert_ldm_unet_checkpoint(dict(ldm), config=unet_config)),
        "vae": (vae, single.convert_ldm_vae_checkpoint(dict(ldm), config=vae_config)),
        "text_encoder": (text, {re.sub(r"^text_model\.", "", k): t for k, t in back_text.items()}),
    }
    for component, (expected, actual) in pairs.items():
        expected, actual = ({k: t for k, t in d.items() if k != skipped} for d in (expected, actual))
        assert expected.keys() == actual.keys(), (component, sorted(expected.keys() ^ actual.keys())[:10])
        for key, tensor in expected.items():
            assert torch.equal(tensor, actual[key].reshape(tensor.shape)), (component, key)
        print(f"{component}: {len(expected)} tensors agree")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model_dir")
    parser.add_argument("out")
    parser.add_argument("--check", action="store_true", help="read the file back with diffusers and compare")
    args = parser.parse_args()
    write(args.model_dir, args.out)
    if args.check:
        check(args.model_dir, args.out)


if __name__ == "__main__":
    main()
