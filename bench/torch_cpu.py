# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's CPU fp32 Stable Diffusion 1.x, the peer of the host executor, and prints one JSON object.

    python bench/torch_cpu.py DIR [--size 256x256] [--steps 4] [--guidance 7.5] [--threads 2] [--repeats 3]

DIR is a diffusers folder. A picture is: text encoder on prompt and negative prompt, guided DDIM steps with both halves
in one batch, VAE decode. Loading is timed apart. Every memory format runs once untimed and then `repeats` times; a
stage's figure is the median, in seconds, and "best" is the format with the least total. UNet and VAE run as in
diffusers, without torch.compile, which would need a C++ compiler at run time.
"""

import argparse
import json
import os
import statistics
import time

import diffusers
import torch
import transformers
from diffusers import DDIMScheduler, StableDiffusionPipeline

FORMATS = {"contiguous": torch.contiguous_format, "channels_last": torch.channels_last}


def size(text: str) -> tuple[int, int]:
    width, height = (int(v) for v in text.split("x"))
    return width, height


@torch.no_grad()
def picture(pipe: StableDiffusionPipeline, args: argparse.Namespace, memory_format: torch.memory_format) -> dict:
    """Seconds of each stage of one picture."""
    width, height = args.size
    marks = [time.perf_counter()]
    ids = pipe.tokenizer(
        ["blurry, low quality", "a photograph of an astronaut riding a horse"],
        padding="max_length",
        max_length=77,
        truncation=True,
        return_tensors="pt",
    ).input_ids
    context = pipe.text_encoder(ids).last_hidden_state
    marks.append(time.perf_counter())

    pipe.scheduler.set_timesteps(args.steps)
    latents = torch.randn(1, 4, height // 8, width // 8, generator=torch.Generator().manual_seed(42))
    for t in pipe.scheduler.timesteps:
        both = torch.cat([latents, latents]).to(memory_format=memory_format)
        without, with_prompt = pipe.unet(both, t, encoder_hidden_states=context).sample.chunk(2)
        noise = without + args.guidance * (with_prompt - without)
        latents = pipe.scheduler.step(noise, t, latents).prev_sample
    marks.append(time.perf_counter())

    image = pipe.vae.decode((latents / pipe.vae.config.scaling_factor).to(memory_format=memory_format)).sample
    marks.append(time.perf_counter())
    assert image.isfinite().all()
    stages = [b - a for a, b in zip(marks, marks[1:])]
    return {"text": stages[0], "denoise": stages[1], "vae_decode": stages[2], "total": marks[-1] - marks[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--size", type=size, default=(256, 256), metavar="WxH")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--guidance", type=float, default=7.5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    load_average = os.getloadavg()

    begin = time.perf_counter()
    pipe = StableDiffusionPipeline.from_pretrained(args.dir, dtype=torch.float32, local_files_only=True)
    load = time.perf_counter() - begin
    pipe.scheduler = DDIMScheduler.from_config(pipe.scheduler.config)

    results = {}
    for name, memory_format in FORMATS.items():
        pipe.unet.to(memory_format=memory_format)
        pipe.vae.to(memory_format=memory_format)
        picture(pipe, args, memory_format)
        runs = [picture(pipe, args, memory_format) for _ in range(args.repeats)]
        results[name] = {stage: round(statistics.median(r[stage] for r in runs), 4) for stage in runs[0]}
        results[name]["runs_total"] = [round(r["total"], 4) for r in runs]
    best = min(results, key=lambda name: results[name]["total"])
    report = {
        "torch": torch.__version__,
        "diffusers": diffusers.__version__,
        "transformers": transformers.__version__,
        "dtype": "float32",
        "threads": args.threads,
        "size": "{}x{}".format(*args.size),
        "steps": args.steps,
        "guidance": args.guidance,
        "load_seconds": round(load, 3),
        "formats": results,
        "best": {"format": best, **results[best]},
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "load_average_before": [round(v, 2) for v in load_average],
        "load_average_after": [round(v, 2) for v in os.getloadavg()],
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
