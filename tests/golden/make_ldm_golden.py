# SPDX-License-Identifier: Apache-2.0
"""Writes ldm_names.json: the tensor names of a single-file checkpoint, and what diffusers' converters make of them.

    python tests/golden/make_ldm_golden.py [--out FILE]

The original names come from tests/parity/ldm_names.py, the answers from diffusers.loaders.single_file_utils. Each
tensor carries its number, so the pairs follow from the contents and not from the names. Two architectures: Stable
Diffusion 1.5, and the one of golden/tiny-sd, which has other numbers of levels and layers.
"""

import argparse
import json
import os
import sys

import diffusers
import torch
from diffusers import AutoencoderKL, UNet2DConditionModel
from diffusers.loaders import single_file_utils as single
from transformers import CLIPTextConfig, CLIPTextModel

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import ldm_names  # noqa: E402


def numbered(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """One element a tensor: its number. The rank is kept, as the converters look at it."""
    return {k: torch.full([1] * t.ndim, float(i)) for i, (k, t) in enumerate(model.state_dict().items())}


def sd15() -> tuple[UNet2DConditionModel, AutoencoderKL, CLIPTextModel]:
    unet = UNet2DConditionModel(cross_attention_dim=768)
    blocks = 4
    vae = AutoencoderKL(
        block_out_channels=(128, 256, 512, 512),
        down_block_types=("DownEncoderBlock2D",) * blocks,
        up_block_types=("UpDecoderBlock2D",) * blocks,
        layers_per_block=2,
    )
    return unet, vae, CLIPTextModel(CLIPTextConfig(num_hidden_layers=12))


def tiny() -> tuple[UNet2DConditionModel, AutoencoderKL, CLIPTextModel]:
    folder = os.path.join(HERE, "tiny-sd")
    unet = UNet2DConditionModel.from_config(UNet2DConditionModel.load_config(folder, subfolder="unet"))
    vae = AutoencoderKL.from_config(AutoencoderKL.load_config(folder, subfolder="vae"))
    return unet, vae, CLIPTextModel(CLIPTextConfig.from_pretrained(os.path.join(folder, "text_encoder")))


def pairs(unet: torch.nn.Module, vae: torch.nn.Module, text: torch.nn.Module) -> dict[str, dict[str, str]]:
    ldm = {
        "unet": ldm_names.unet_to_ldm(unet.config, numbered(unet)),
        "vae": ldm_names.vae_to_ldm(vae.config, numbered(vae)),
        "text_encoder": ldm_names.text_to_ldm(numbered(text)),
    }
    back = {
        "unet": single.convert_ldm_unet_checkpoint(dict(ldm["unet"]), config=dict(unet.config)),
        "vae": single.convert_ldm_vae_checkpoint(dict(ldm["vae"]), config=dict(vae.config)),
        "text_encoder": single.convert_ldm_clip_checkpoint(dict(ldm["text_encoder"])),
    }
    out = {}
    for component, tensors in ldm.items():
        names = {t.item(): name for name, t in back[component].items()}
        assert len(names) == len(tensors), component
        out[component] = {name: names[t.item()] for name, t in tensors.items()}
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join(HERE, "ldm_names.json"))
    out = parser.parse_args().out
    with torch.device("meta"):
        models = {"sd15": sd15(), "tiny": tiny()}
    result = {"diffusers": diffusers.__version__} | {name: pairs(*m) for name, m in models.items()}
    with open(out, "w", encoding="utf-8") as f:
        json.dump(result, f, separators=(",", ":"))
        f.write("\n")
    for name in models:
        print(name, {component: len(p) for component, p in result[name].items()})


if __name__ == "__main__":
    main()
