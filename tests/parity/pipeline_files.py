# SPDX-License-Identifier: Apache-2.0
"""The parts of a Stable Diffusion 1.5 folder that are the same for every size: tokenizer and scheduler files."""

import json
import os

import diffusers
import torch
import transformers

# The file published with Stable Diffusion 1.5, key for key: what it leaves out (timestep_spacing, prediction_type)
# each scheduler class fills with its own default, so a file with PNDM's defaults written out would mean another Euler.
SCHEDULER_CONFIG = {
    "_class_name": "PNDMScheduler",
    "_diffusers_version": "0.6.0",
    "beta_end": 0.012,
    "beta_schedule": "scaled_linear",
    "beta_start": 0.00085,
    "clip_sample": False,
    "num_train_timesteps": 1000,
    "set_alpha_to_one": False,
    "skip_prk_steps": True,
    "steps_offset": 1,
    "trained_betas": None,
}

BOS, EOS = "<|startoftext|>", "<|endoftext|>"


def byte_symbols() -> list[str]:
    """The 256 printable stand-ins for bytes, in the order of CLIP's vocabulary."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [b for b in range(256) if b not in printable]
    return [chr(b) for b in printable] + [chr(256 + i) for i in range(len(others))]


def vocabulary(merges: list[str], size: int) -> dict[str, int]:
    """CLIP's vocabulary: bytes, bytes that end a word, one token a merge, and the two specials as the last ids."""
    symbols = byte_symbols()
    tokens = symbols + [s + "</w>" for s in symbols] + ["".join(m.split()) for m in merges]
    assert len(tokens) + 2 <= size, (len(tokens), size)
    return {token: i for i, token in enumerate(tokens)} | {BOS: size - 2, EOS: size - 1}


def write_json(path: str, value: object) -> None:
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=2, ensure_ascii=False)
        f.write("\n")


def write_tokenizer(folder: str, merges: list[str], size: int) -> None:
    """CLIPTokenizer's four files, as published with Stable Diffusion 1.5 (padding is the end token).

    `size` is the number of rows of the embedding table; with fewer merges some ids in the middle stay unused.
    """
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as f:
        json.dump(vocabulary(merges, size), f, ensure_ascii=False, separators=(",", ":"))
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as f:
        f.write("#version: 0.2\n" + "".join(m + "\n" for m in merges))

    def special(content: str, added: bool = False) -> dict:
        token = {"content": content, "lstrip": False, "normalized": True, "rstrip": False, "single_word": False}
        return {"__type": "AddedToken", **token} if added else token

    write_json(
        os.path.join(folder, "special_tokens_map.json"),
        {"bos_token": special(BOS), "eos_token": special(EOS), "pad_token": EOS, "unk_token": special(EOS)},
    )
    write_json(
        os.path.join(folder, "tokenizer_config.json"),
        {
            "add_prefix_space": False,
            "bos_token": special(BOS, True),
            "do_lower_case": True,
            "eos_token": special(EOS, True),
            "errors": "replace",
            "model_max_length": 77,
            "pad_token": EOS,
            "tokenizer_class": "CLIPTokenizer",
            "unk_token": special(EOS, True),
        },
    )


def write_scheduler(folder: str) -> None:
    os.makedirs(folder, exist_ok=True)
    write_json(os.path.join(folder, "scheduler_config.json"), SCHEDULER_CONFIG)


def write_index(folder: str, diffusers_version: str) -> None:
    """model_index.json of a pipeline without safety checker."""
    write_json(
        os.path.join(folder, "model_index.json"),
        {
            "_class_name": "StableDiffusionPipeline",
            "_diffusers_version": diffusers_version,
            "feature_extractor": [None, None],
            "image_encoder": [None, None],
            "requires_safety_checker": False,
            "safety_checker": [None, None],
            "scheduler": ["diffusers", "PNDMScheduler"],
            "text_encoder": ["transformers", "CLIPTextModel"],
            "tokenizer": ["transformers", "CLIPTokenizer"],
            "unet": ["diffusers", "UNet2DConditionModel"],
            "vae": ["diffusers", "AutoencoderKL"],
        },
    )


def metadata(**more: object) -> dict[str, str]:
    """One key holding sorted JSON: safetensors writes several keys in a random order, and files would not compare."""
    versions = {
        "torch": torch.__version__.split("+")[0],
        "diffusers": diffusers.__version__,
        "transformers": transformers.__version__,
        "layout": "NCHW",
    }
    return {"golden": json.dumps(versions | more, sort_keys=True, ensure_ascii=False)}
