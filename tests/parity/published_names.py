# SPDX-License-Identifier: Apache-2.0
"""Copies a diffusers Stable Diffusion 1.x folder, with the tensor names of the files published in 2022.

    python tests/parity/published_names.py MODEL_DIR OUT_DIR

Those files differ from what today's save_pretrained writes in two components, and diffusers and transformers still read
both spellings:
    text_encoder: every name begins with text_model. and there is embeddings.position_ids (I64 [1,77])
    vae:          the attention of the mid blocks has query, key, value, proj_attn for to_q, to_k, to_v, to_out.0
The other files are linked, not copied.
"""

import argparse
import os
import shutil

import torch
from safetensors.torch import load_file, save_file

VAE_NAMES = {".to_q.": ".query.", ".to_k.": ".key.", ".to_v.": ".value.", ".to_out.0.": ".proj_attn."}


def text_names(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    out = {"text_model." + key.removeprefix("text_model."): tensor for key, tensor in tensors.items()}
    positions = out["text_model.embeddings.position_embedding.weight"].shape[0]
    out["text_model.embeddings.position_ids"] = torch.arange(positions)[None]
    return out


def vae_names(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    out = {}
    for key, tensor in tensors.items():
        for new, published in VAE_NAMES.items():
            key = key.replace(new, published)
        out[key] = tensor
    return out


RENAMED = {
    os.path.join("text_encoder", "model.safetensors"): text_names,
    os.path.join("vae", "diffusion_pytorch_model.safetensors"): vae_names,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model_dir")
    parser.add_argument("out_dir")
    args = parser.parse_args()
    if os.path.exists(args.out_dir):
        parser.error(f"{args.out_dir} exists already")
    shutil.copytree(args.model_dir, args.out_dir, copy_function=lambda a, b: os.symlink(os.path.abspath(a), b))
    for path, rename in RENAMED.items():
        target = os.path.join(args.out_dir, path)
        tensors = rename(load_file(target))
        os.unlink(target)
        save_file(tensors, target, metadata={"format": "pt"})


if __name__ == "__main__":
    main()
