# SPDX-License-Identifier: Apache-2.0
"""Writes tiny-sd-fp64.safetensors, what diffusers computes of tiny-sd/ in double, and model_errors.json, how far
diffusers itself is from that in fp32, fp16 and bf16 on the CPU (relative L2). The tests allow 1.25 times as much.

    python tests/golden/make_model_errors.py [--out DIR]

Tensors (fp64 results rounded to fp32; the inputs are those of tiny-sd-expected.safetensors):
    clip.last_hidden_state [2,77,64]; unet.noise.{H}x{W}.t{T}.b2 [2,4,H,W]; vae.decoded.8x16 [1,3,64,128]
    run.{S}.latents.{dtype} [1,4,16,16], S in ddim, dpmpp_2m: 20 guided steps from the noise of seed 42 as torch draws
        it in that dtype, which differs between fp32 and the 16-bit types
Sizes: 16x16, 16x24; T: 1, 500, 999. The weights are rounded to each dtype, as a loader does.
"""

import argparse
import json
import math
import os
import sys

import diffusers
import torch
from diffusers import StableDiffusionPipeline
from diffusers.models import embeddings
from safetensors.torch import load_file, save_file

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from make_model_golden import RUN, SCHEDULERS  # noqa: E402

import pipeline_files  # noqa: E402  (make_model_golden puts its folder on the path)

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


def exact_timestep_embedding(timesteps, dim, flip_sin_to_cos=False, downscale_freq_shift=1, scale=1, max_period=10000):
    """diffusers' own, but in double: it computes the angles in fp32 whatever the model's dtype."""
    half = dim // 2
    exponent = -math.log(max_period) * torch.arange(half, dtype=torch.float64) / (half - downscale_freq_shift)
    angle = scale * timesteps[:, None].double() * exponent.exp()[None]
    parts = [angle.cos(), angle.sin()] if flip_sin_to_cos else [angle.sin(), angle.cos()]
    return torch.cat(parts, dim=-1)


def pipeline(dtype):
    pipe = StableDiffusionPipeline.from_pretrained(os.path.join(HERE, "tiny-sd"), dtype=dtype, local_files_only=True)
    pipe.set_progress_bar_config(disable=True)
    return pipe


def components(pipe, given, dtype):
    out = {"clip.last_hidden_state": pipe.text_encoder(given["clip.ids"].long()).last_hidden_state}
    context = given["unet.context"].to(dtype)
    for size in ("16x16", "16x24"):
        for t in (1, 500, 999):
            noise = pipe.unet(given[f"unet.sample.{size}"].to(dtype), t, encoder_hidden_states=context).sample
            out[f"unet.noise.{size}.t{t}.b2"] = noise
    out["vae.decoded.8x16"] = pipe.vae.decode(given["vae.latent.8x16"].to(dtype)).sample
    return out


def run(pipe, scheduler, config, latents):
    pipe.scheduler = SCHEDULERS[scheduler].from_config(config)
    return pipe(
        RUN["prompt"],
        negative_prompt=RUN["negative"],
        height=128,
        width=128,
        num_inference_steps=RUN["steps"],
        guidance_scale=RUN["guidance"],
        latents=latents,
        output_type="latent",
    ).images


def distance(a, b):
    return float(f"{((a.double() - b.double()).norm() / b.double().norm()).item():.4g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=HERE, help="folder to write into (default: beside this script)")
    out_dir = parser.parse_args().out
    torch.set_num_threads(1)
    given = load_file(os.path.join(HERE, "tiny-sd-expected.safetensors"))
    own_embedding = embeddings.get_timestep_embedding

    with torch.no_grad():
        exact_pipe = pipeline(torch.float64)
        config = exact_pipe.scheduler.config
        embeddings.get_timestep_embedding = exact_timestep_embedding
        exact = components(exact_pipe, given, torch.float64)
        errors = {}
        for name, dtype in DTYPES.items():
            generator = torch.Generator().manual_seed(RUN["seed"])
            initial = torch.randn((1, 4, 16, 16), generator=generator, dtype=dtype)
            pipe = pipeline(dtype)
            for scheduler in ("ddim", "dpmpp_2m"):
                key = f"run.{scheduler}.latents"
                embeddings.get_timestep_embedding = exact_timestep_embedding
                exact[f"{key}.{name}"] = run(exact_pipe, scheduler, config, initial.double())
                embeddings.get_timestep_embedding = own_embedding
                errors.setdefault(key, {})[name] = distance(run(pipe, scheduler, config, initial), exact[f"{key}.{name}"])
            for key, value in components(pipe, given, dtype).items():
                errors.setdefault(key, {})[name] = distance(value, exact[key])

    for key, row in errors.items():
        print(f"{key:32}", row)
    versions = {k: v for k, v in json.loads(pipeline_files.metadata()["golden"]).items() if k != "layout"}
    with open(os.path.join(out_dir, "model_errors.json"), "w") as f:
        json.dump(versions | {"errors": errors}, f, indent=1)
        f.write("\n")
    save_file(
        {key: value.float().contiguous().clone() for key, value in exact.items()},
        os.path.join(out_dir, "tiny-sd-fp64.safetensors"),
        metadata=pipeline_files.metadata(precision="fp64, stored in fp32"),
    )


if __name__ == "__main__":
    main()
