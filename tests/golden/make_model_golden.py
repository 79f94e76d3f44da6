# SPDX-License-Identifier: Apache-2.0
"""Writes tiny-sd/ (a pipeline folder in diffusers' layout) and tiny-sd-expected.safetensors (what diffusers computes).

    python tests/golden/make_model_golden.py [--out DIR]

Needs torch, diffusers, transformers, safetensors; the versions used stand in the metadata of the expected file, whose
one key "golden" holds JSON: versions, layout, prompts (of clip.ids) and run (prompt, negative, steps, guidance, seed).
Weights are stored in fp16; everything expected is computed in fp32 from those values, on one CPU thread. Tensors keep
torch's layout: images and latents NCHW, text [batch, token, channel].

Expected tensors (B=2 items; batch-1 outputs use item 0 of the same inputs):
    clip.ids I32 [2,77], clip.last_hidden_state [2,77,64]
    unet.context [2,77,64], unet.sample.{H}x{W} [2,4,H,W], unet.noise.{H}x{W}.t{T}.b{B} [B,4,H,W]
        H x W in 16x16, 24x24, 16x24; T in 1, 500, 999; B in 1, 2
    vae.latent.{H}x{W} [1,4,H,W] (already divided by the scaling factor), vae.decoded.{H}x{W} [1,3,8H,8W], unclipped
        H x W in 16x16, 8x16
    vae.image [1,3,64,96] in [-1, 1], vae.mean and vae.logvar [1,4,8,12] (logvar clamped to [-30, 20], unscaled)
    run.initial [1,4,16,16]: randn of seed 42, before any scaling by the scheduler
    run.{S}.latents [1,4,16,16], S in ddim, euler, euler_a, dpmpp_2m: 20 guided steps from run.initial, final latents,
        unclipped, before the division by the scaling factor; euler_a draws its noise from the same generator, onwards
    run.{S}.timesteps [20], run.{S}.sigmas [21] (all but ddim), as the scheduler lists them
    run.ddim.image [1,3,128,128]: decoded, unclipped, range about [-1, 1]
    image_run.image [1,3,128,128] in [-1, 1], image_run.latents: strength 0.5 of 10 guided DDIM steps from it
"""

import argparse
import os
import shutil
import sys

import diffusers
import torch
from diffusers import (
    AutoencoderKL,
    DDIMScheduler,
    PNDMScheduler,
    StableDiffusionImg2ImgPipeline,
    StableDiffusionPipeline,
    UNet2DConditionModel,
)
from safetensors.torch import save_file
from transformers import CLIPTextConfig, CLIPTextModel

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import healthy  # noqa: E402
import pipeline_files  # noqa: E402

SEED = 20
PROMPTS = ["a photograph of an astronaut riding a horse", "Ein Café am Meer, 夕日 🌅"]
RUN = {"prompt": "a red fox in the snow", "negative": "blurry, low quality", "steps": 20, "guidance": 7.5, "seed": 42}
SCHEDULERS = {
    "ddim": diffusers.DDIMScheduler,
    "euler": diffusers.EulerDiscreteScheduler,
    "euler_a": diffusers.EulerAncestralDiscreteScheduler,
    "dpmpp_2m": diffusers.DPMSolverMultistepScheduler,
}


def build() -> tuple[CLIPTextModel, UNet2DConditionModel, AutoencoderKL]:
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=514,
            hidden_size=64,
            intermediate_size=128,
            projection_dim=64,
            num_hidden_layers=2,
            num_attention_heads=1,
            max_position_embeddings=77,
            hidden_act="quick_gelu",
            bos_token_id=512,
            eos_token_id=513,
        )
    )
    unet = UNet2DConditionModel(
        sample_size=16,
        block_out_channels=(32, 64, 64),
        down_block_types=("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
        layers_per_block=1,
        attention_head_dim=1,  # as in Stable Diffusion 1.5's file, this key holds the number of heads
        cross_attention_dim=64,
        norm_num_groups=32,
    )
    vae = AutoencoderKL(
        sample_size=128,
        block_out_channels=(32, 32, 32, 64),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        layers_per_block=1,
        latent_channels=4,
        norm_num_groups=32,
        scaling_factor=0.18215,
    )
    for offset, model in enumerate((text, unet, vae)):
        healthy.fill(model, SEED + offset, image_gain=0.5)
        model.half().eval()
    return text, unet, vae


def write_folder(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    text, unet, vae = build()
    text.save_pretrained(os.path.join(folder, "text_encoder"))
    unet.save_pretrained(os.path.join(folder, "unet"))
    vae.save_pretrained(os.path.join(folder, "vae"))
    pipeline_files.write_tokenizer(os.path.join(folder, "tokenizer"), merges=[], size=514)
    pipeline_files.write_scheduler(os.path.join(folder, "scheduler"))
    pipeline_files.write_index(folder, diffusers.__version__)


def randn(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def tokenize(pipe: StableDiffusionPipeline, prompts: list[str]) -> torch.Tensor:
    return pipe.tokenizer(prompts, padding="max_length", max_length=77, truncation=True, return_tensors="pt").input_ids


def component_outputs(pipe: StableDiffusionPipeline) -> dict[str, torch.Tensor]:
    out = {}
    ids = tokenize(pipe, PROMPTS)
    out["clip.ids"] = ids.to(torch.int32)
    out["clip.last_hidden_state"] = context = pipe.text_encoder(ids).last_hidden_state

    out["unet.context"] = context
    for seed, (h, w) in enumerate([(16, 16), (24, 24), (16, 24)]):
        size = f"{h}x{w}"
        out[f"unet.sample.{size}"] = sample = randn(2, 4, h, w, seed=100 + seed)
        for t in (1, 500, 999):
            for batch in (1, 2):
                noise = pipe.unet(sample[:batch], t, encoder_hidden_states=context[:batch]).sample
                out[f"unet.noise.{size}.t{t}.b{batch}"] = noise

    for seed, (h, w) in enumerate([(16, 16), (8, 16)]):
        size = f"{h}x{w}"
        out[f"vae.latent.{size}"] = latent = randn(1, 4, h, w, seed=200 + seed) / pipe.vae.config.scaling_factor
        out[f"vae.decoded.{size}"] = pipe.vae.decode(latent).sample

    y, x = torch.meshgrid(torch.linspace(-1, 1, 64), torch.linspace(-1, 1, 96), indexing="ij")
    image = torch.stack([torch.sin(5 * x + 3 * y), torch.cos(4 * x * y), x * y + 0.2 * torch.sin(20 * y)])[None]
    image = (image + 0.1 * randn(1, 3, 64, 96, seed=300)).clamp(-1, 1)
    posterior = pipe.vae.encode(image).latent_dist
    out["vae.image"], out["vae.mean"], out["vae.logvar"] = image, posterior.mean, posterior.logvar
    return out


def guided_runs(pipe: StableDiffusionPipeline) -> dict[str, torch.Tensor]:
    out = {"run.initial": randn(1, 4, 16, 16, seed=RUN["seed"])}
    published = pipe.scheduler.config
    for name, scheduler in SCHEDULERS.items():
        pipe.scheduler = scheduler.from_config(published)
        latents = pipe(
            RUN["prompt"],
            negative_prompt=RUN["negative"],
            height=128,
            width=128,
            num_inference_steps=RUN["steps"],
            guidance_scale=RUN["guidance"],
            generator=torch.Generator().manual_seed(RUN["seed"]),
            output_type="latent",
        ).images
        out[f"run.{name}.latents"] = latents
        out[f"run.{name}.timesteps"] = pipe.scheduler.timesteps.to(torch.float32)
        if hasattr(pipe.scheduler, "sigmas"):
            out[f"run.{name}.sigmas"] = pipe.scheduler.sigmas.to(torch.float32)
        if name == "ddim":
            out["run.ddim.image"] = pipe.vae.decode(latents / pipe.vae.config.scaling_factor).sample
    return out


def image_run(pipe: StableDiffusionPipeline) -> dict[str, torch.Tensor]:
    """Image to image: the last half of 10 guided DDIM steps, from a smooth picture."""
    y, x = torch.meshgrid(torch.linspace(-1, 1, 128), torch.linspace(-1, 1, 128), indexing="ij")
    image = torch.stack([torch.sin(4 * x + 2 * y), torch.cos(3 * x * y), x * y])[None].clamp(-1, 1)
    from_image = StableDiffusionImg2ImgPipeline.from_pipe(pipe)
    from_image.scheduler = DDIMScheduler.from_config(pipe.scheduler.config)
    from_image.set_progress_bar_config(disable=True)
    latents = from_image(
        RUN["prompt"],
        image=image / 2 + 0.5,
        strength=0.5,
        negative_prompt=RUN["negative"],
        num_inference_steps=10,
        guidance_scale=RUN["guidance"],
        generator=torch.Generator().manual_seed(RUN["seed"]),
        output_type="latent",
    ).images
    return {"image_run.image": image, "image_run.latents": latents}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=HERE, help="folder to write into (default: beside this script)")
    out_dir = parser.parse_args().out
    torch.set_num_threads(1)

    folder = os.path.join(out_dir, "tiny-sd")
    write_folder(folder)
    pipe = StableDiffusionPipeline.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    pipe.set_progress_bar_config(disable=True)
    with torch.no_grad():
        tensors = component_outputs(pipe) | guided_runs(pipe)
        pipe.scheduler = PNDMScheduler.from_pretrained(folder, subfolder="scheduler")
        tensors |= image_run(pipe)
    for name, tensor in tensors.items():
        print(f"{name:32} {list(tensor.shape)} mean {tensor.float().mean():.4g} std {tensor.float().std():.4g}")
        assert tensor.isfinite().all(), name

    metadata = pipeline_files.metadata(prompts=PROMPTS, run=RUN)
    tensors = {name: tensor.contiguous().clone() for name, tensor in tensors.items()}
    save_file(tensors, os.path.join(out_dir, "tiny-sd-expected.safetensors"), metadata=metadata)


if __name__ == "__main__":
    main()
