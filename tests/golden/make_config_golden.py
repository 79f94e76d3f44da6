# SPDX-License-Identifier: Apache-2.0
"""Writes configs.json: the keys and defaults of every config that diffusers and transformers write for a Stable
Diffusion, and the values that published models have.

    python tests/golden/make_config_golden.py [--out FILE]

Needs diffusers (its sources alone: nothing of it is imported but the version, so torch need not be there) and
transformers.

    classes: {name: {key: default}}, as `save_pretrained` writes an instance made with its defaults
    models: {name: {component: config}}, as published: SD1.4, SD1.5, SD2 base, SD2.1 (v-prediction)
"""

import argparse
import ast
import glob
import importlib.metadata
import importlib.util
import json
import os

from transformers import CLIPTextConfig

HERE = os.path.dirname(os.path.abspath(__file__))
DIFFUSERS = os.path.dirname(importlib.util.find_spec("diffusers").origin)
VERSION = importlib.metadata.version("diffusers")
FILES = [
    "models/unets/unet_2d_condition.py",
    "models/autoencoders/autoencoder_kl.py",
    *(os.path.relpath(p, DIFFUSERS) for p in sorted(glob.glob(f"{DIFFUSERS}/schedulers/scheduling_*.py"))),
]


def value(node):
    text = ast.unparse(node)
    if "float('inf')" in text:
        return float(text.replace("float('inf')", "inf"))
    result = ast.literal_eval(node)
    return list(result) if isinstance(result, tuple) else result


def registered(function):
    return any(ast.unparse(d) == "register_to_config" for d in function.decorator_list)


def classes():
    out = {}
    for file in FILES:
        with open(os.path.join(DIFFUSERS, file), encoding="utf-8") as f:
            tree = ast.parse(f.read())
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            for init in node.body:
                if isinstance(init, ast.FunctionDef) and init.name == "__init__" and registered(init):
                    names = [a.arg for a in init.args.args[1:]]
                    defaults = init.args.defaults
                    if len(names) != len(defaults):
                        continue
                    try:
                        values = [value(d) for d in defaults]
                    except (ValueError, SyntaxError):
                        continue  # a default that is computed: of no Stable Diffusion's scheduler
                    front = {"_class_name": node.name, "_diffusers_version": VERSION}
                    out[node.name] = front | dict(zip(names, values))
    out["CLIPTextModel"] = CLIPTextConfig().to_dict() | {"architectures": ["CLIPTextModel"]}
    return out


DOWN = ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"]
UP = ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3
SCHEDULER_1 = {
    "_class_name": "PNDMScheduler", "_diffusers_version": "0.6.0", "beta_end": 0.012,
    "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": False, "num_train_timesteps": 1000,
    "set_alpha_to_one": False, "skip_prk_steps": True, "steps_offset": 1, "trained_betas": None,
}
TEXT_1 = {
    "_name_or_path": "openai/clip-vit-large-patch14", "architectures": ["CLIPTextModel"], "attention_dropout": 0.0,
    "bos_token_id": 0, "dropout": 0.0, "eos_token_id": 2, "hidden_act": "quick_gelu", "hidden_size": 768,
    "initializer_factor": 1.0, "initializer_range": 0.02, "intermediate_size": 3072, "layer_norm_eps": 1e-05,
    "max_position_embeddings": 77, "model_type": "clip_text_model", "num_attention_heads": 12,
    "num_hidden_layers": 12, "pad_token_id": 1, "projection_dim": 768, "torch_dtype": "float32",
    "transformers_version": "4.22.0.dev0", "vocab_size": 49408,
}
UNET_1 = {
    "_class_name": "UNet2DConditionModel", "_diffusers_version": "0.6.0", "act_fn": "silu", "attention_head_dim": 8,
    "block_out_channels": [320, 640, 1280, 1280], "center_input_sample": False, "cross_attention_dim": 768,
    "down_block_types": DOWN, "downsample_padding": 1, "flip_sin_to_cos": True, "freq_shift": 0, "in_channels": 4,
    "layers_per_block": 2, "mid_block_scale_factor": 1, "norm_eps": 1e-05, "norm_num_groups": 32, "out_channels": 4,
    "sample_size": 64, "up_block_types": UP,
}
VAE_1 = {
    "_class_name": "AutoencoderKL", "_diffusers_version": "0.6.0", "act_fn": "silu",
    "block_out_channels": [128, 256, 512, 512], "down_block_types": ["DownEncoderBlock2D"] * 4, "in_channels": 3,
    "latent_channels": 4, "layers_per_block": 2, "norm_num_groups": 32, "out_channels": 3, "sample_size": 512,
    "up_block_types": ["UpDecoderBlock2D"] * 4,
}
INDEX_1 = {
    "_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.6.0",
    "feature_extractor": ["transformers", "CLIPImageProcessor"],
    "safety_checker": ["stable_diffusion", "StableDiffusionSafetyChecker"], "scheduler": ["diffusers", "PNDMScheduler"],
    "text_encoder": ["transformers", "CLIPTextModel"], "tokenizer": ["transformers", "CLIPTokenizer"],
    "unet": ["diffusers", "UNet2DConditionModel"], "vae": ["diffusers", "AutoencoderKL"],
}
TEXT_2 = TEXT_1 | {
    "_name_or_path": "", "hidden_act": "gelu", "hidden_size": 1024, "intermediate_size": 4096,
    "num_attention_heads": 16, "num_hidden_layers": 23, "projection_dim": 512, "transformers_version": "4.25.0.dev0",
}
UNET_2 = UNET_1 | {
    "_diffusers_version": "0.8.0", "attention_head_dim": [5, 10, 20, 20], "cross_attention_dim": 1024,
    "dual_cross_attention": False, "use_linear_projection": True,
}
MODELS = {
    "sd1.4": {
        "model_index": INDEX_1, "text_encoder": TEXT_1, "unet": UNET_1 | {"_diffusers_version": "0.2.2"},
        "vae": VAE_1 | {"_diffusers_version": "0.2.2"}, "scheduler": SCHEDULER_1 | {"_diffusers_version": "0.7.0.dev0"},
    },
    "sd1.5": {
        "model_index": INDEX_1, "text_encoder": TEXT_1, "unet": UNET_1, "vae": VAE_1, "scheduler": SCHEDULER_1,
    },
    "sd2-base": {
        "text_encoder": TEXT_2, "unet": UNET_2, "vae": VAE_1 | {"sample_size": 768},
        "scheduler": SCHEDULER_1 | {"_diffusers_version": "0.8.0"},
    },
    "sd2.1": {
        "text_encoder": TEXT_2,
        "unet": UNET_2 | {
            "_diffusers_version": "0.10.0.dev0", "class_embed_type": None, "mid_block_type": "UNetMidBlock2DCrossAttn",
            "num_class_embeds": None, "only_cross_attention": False, "resnet_time_scale_shift": "default",
            "sample_size": 96, "upcast_attention": True,
        },
        "vae": VAE_1 | {"sample_size": 768},
        "scheduler": SCHEDULER_1 | {
            "_class_name": "DDIMScheduler", "_diffusers_version": "0.8.0", "prediction_type": "v_prediction",
        },
    },
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join(HERE, "configs.json"))
    result = {"diffusers": VERSION, "transformers": importlib.metadata.version("transformers"), "classes": classes(),
              "models": MODELS}
    with open(parser.parse_args().out, "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
