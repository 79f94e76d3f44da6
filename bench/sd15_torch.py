# SPDX-License-Identifier: Apache-2.0
"""Times a guided step of Stable Diffusion 1.x and its decoder on the GPU beside diffusers, and writes DIR/sd15.json.

    python bench/sd15_torch.py INLAY_SD MODEL DIR [--images 1,4,8] [--replays 60] [--commit C] [--driver D]

INLAY_SD is the program built for the GPU, MODEL a folder as `INLAY_SD --make-model sd15 MODEL --dtype fp16` makes it. A
step is the UNet on both halves of the guidance, so a batch of two for each image. The peers' networks are built from
MODEL's configuration with random weights. All is fp16, the peers' in channels-last memory, each captured in a CUDA
graph; a time is the median of its replays. Needs torch with a GPU, and diffusers.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

import diffusers
import torch

import replay


def microseconds(run):
    """Median time of run(), of replays of a graph of it."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        run()
    return replay.microseconds(graph, 1)


def ours(program, model, images, replays):
    """Microseconds of a step and of the decoder of so many images."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--model", model, "--prompt", "a lighthouse", "--steps", "20", "--batch", str(images)]
        command += ["--dtype", "fp16", "--device", "cuda", "--replays", str(replays), "--quiet"]
        done = subprocess.run(command + ["--out", os.path.join(folder, "image.png")], stderr=subprocess.PIPE, text=True)
    found = re.search(r"step ([\d.e+-]+) ms \(.*decode ([\d.e+-]+) ms", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{' '.join(command)} gave {done.returncode} and no times:\n{done.stderr[-2000:]}")
    return [1e3 * float(ms) for ms in found.groups()]


def network(kind, model, part):
    kind = getattr(diffusers, kind)
    config = kind.load_config(os.path.join(model, part))
    torch.set_default_dtype(torch.float16)
    with torch.device("cuda"):
        built = kind.from_config(config).eval().requires_grad_(False)
    torch.set_default_dtype(torch.float32)
    return built.to(memory_format=torch.channels_last)


def normals(*extents):
    x = torch.randn(*extents, device="cuda", dtype=torch.float16)
    return x.to(memory_format=torch.channels_last) if x.dim() == 4 else x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("dir")
    parser.add_argument("--images", default="1,4,8")
    parser.add_argument("--replays", type=int, default=60)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--driver", default="unknown")
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    unet = network("UNet2DConditionModel", args.model, "unet")
    vae = network("AutoencoderKL", args.model, "vae")
    size = unet.config.sample_size
    pixels = size << (len(vae.config.block_out_channels) - 1)
    rows = []

    def compare(name, us, f):
        """Our time beside those of f, eager and compiled."""
        torch._dynamo.reset()
        compiled = torch.compile(f, dynamic=False)
        for peer, g in {"torch.compile": compiled, "diffusers eager": f}.items():
            peer_us = microseconds(g)
            row = {"name": f"{name}/fp16/graph", "us": round(us, 1), "peer": f"{peer} in a CUDA graph"}
            row |= {"peer_us": round(peer_us, 1), "ratio": round(peer_us / us, 3), "accumulator": "fp32"}
            print(f"{row['name']:40} {us:10.1f} us  {row['peer']} {peer_us:.1f} us  x{row['ratio']}", flush=True)
            rows.append(row)

    with torch.no_grad():
        for images in map(int, args.images.split(",")):
            batch = 2 * images
            latents, text = normals(batch, 4, size, size), normals(batch, 77, unet.config.cross_attention_dim)
            time = torch.full((batch,), 501, device="cuda")
            step, decode = ours(args.program, args.model, images, args.replays)
            name = f"unet_step/{pixels}x{pixels}/batch{batch}"
            compare(name, step, lambda: unet(latents, time, text, return_dict=False)[0])
            if images == 1:
                latent = normals(1, 4, size, size)
                name = f"vae_decode/{pixels}x{pixels}/batch1"
                compare(name, decode, lambda: vae.decode(latent, return_dict=False)[0])

    head = {"commit": args.commit, "date": datetime.date.today().isoformat(), "driver": args.driver}
    head["libraries"] = {"PyTorch": torch.__version__, "diffusers": diffusers.__version__}
    os.makedirs(args.dir, exist_ok=True)
    with open(os.path.join(args.dir, "sd15.json"), "w") as f:
        f.write(json.dumps(head)[:-1] + ', "rows": [\n' + ",\n".join("  " + json.dumps(r) for r in rows) + "\n]}\n")


if __name__ == "__main__":
    main()
