# SPDX-License-Identifier: Apache-2.0
"""Writes Stable Diffusion 1.5's real architecture with random weights, and what diffusers computes from them.

    python tests/parity/make_sd15.py DIR [--merges clip_bpe_merges.txt[.gz]] [--shard] [--ldm FILE] [--skip-expected]

DIR gets diffusers' layout in fp32 (4.3 GB), saved by save_pretrained; --shard splits the UNet into files of at most
1 GB with an index; --ldm writes the same weights as a single file under the original LDM names (ldm_names.py;
published_names.py makes a folder with the names of 2022). Without --merges the tokenizer knows bytes only; 49406 and
49407 stay the ids of start and end.

DIR/expected.safetensors (fp32, CPU, torch's layout: images and latents NCHW, text [batch, token, channel]):
    clip.ids I32 [2,77] (random ids between start and end tokens), clip.last_hidden_state [2,77,768]
    unet.context [2,77,768] (= clip.last_hidden_state), unet.sample.{H}x{W} [2,4,H,W],
    unet.noise.{H}x{W}.t{T}.b{B} [B,4,H,W]: H x W in 64x64, 96x64; T in 1, 500, 999; B in 1, 2 (B=1 is item 0)
    vae.latent.64x64 [1,4,64,64] (already divided by the scaling factor), vae.decoded.64x64 [1,3,512,512], unclipped
    vae.image [1,3,256,256], vae.mean and vae.logvar [1,4,32,32] (logvar clamped to [-30, 20], unscaled)
--errors adds, computed in fp32 too:
    run.latents.{D} [1,4,64,64], run.image.{D} [1,3,512,512], D in fp32, fp16, bf16: 50 guided DDIM steps at 7.5, the
    negative prompt and the prompt being the two rows of clip.ids, from the noise of seed 42, rounded to D;
    the latents unclipped, before the division by the scaling factor
and in the metadata, "errors": how far diffusers itself is from all that in fp16 and bf16 (relative L2), and the PSNR of
its picture in dB. --device cuda computes everything there, without TF32.
"""

import argparse
import gzip
import os
import sys
import time

import diffusers
import torch
from diffusers import AutoencoderKL, StableDiffusionPipeline, UNet2DConditionModel
from safetensors.torch import save_file
from transformers import CLIPTextConfig, CLIPTextModel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import healthy  # noqa: E402
import ldm_names  # noqa: E402
import pipeline_files  # noqa: E402

SEED = 15
BOS, EOS = 49406, 49407
MERGES = 48894  # CLIP keeps this many of the merges file: 49408 - 2 * 256 - 2


def text_encoder() -> CLIPTextModel:
    return CLIPTextModel(
        CLIPTextConfig(
            vocab_size=49408,
            hidden_size=768,
            intermediate_size=3072,
            projection_dim=768,
            num_hidden_layers=12,
            num_attention_heads=12,
            max_position_embeddings=77,
            hidden_act="quick_gelu",
            bos_token_id=BOS,
            eos_token_id=EOS,
        )
    )


def unet() -> UNet2DConditionModel:
    return UNet2DConditionModel(
        sample_size=64,
        block_out_channels=(320, 640, 1280, 1280),
        layers_per_block=2,
        attention_head_dim=8,  # the number of heads, under its historical name
        cross_attention_dim=768,
        norm_num_groups=32,
    )


def vae() -> AutoencoderKL:
    return AutoencoderKL(
        sample_size=512,
        block_out_channels=(128, 256, 512, 512),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        layers_per_block=2,
        latent_channels=4,
        norm_num_groups=32,
        scaling_factor=0.18215,
    )


def read_merges(path: str) -> list[str]:
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        lines = f.read().split("\n")
    merges = [line for line in lines if line and not line.startswith(("#version", '"bpe_simple_vocab'))][:MERGES]
    assert len(merges) == MERGES, f"{path} has {len(merges)} merges, CLIP uses {MERGES}"
    return merges


def write_folder(folder: str, merges: list[str], shard: bool) -> None:
    for offset, (name, make) in enumerate([("text_encoder", text_encoder), ("unet", unet), ("vae", vae)]):
        begin = time.monotonic()
        with torch.device("meta"):  # skips torch's own initialisation, every parameter is overwritten
            model = make()
        model = model.to_empty(device="cpu").eval()
        restore_buffers(model)
        healthy.fill(model, SEED + offset, image_gain=0.5)
        limit = {"max_shard_size": "1GB"} if name == "unet" and shard else {"max_shard_size": "10GB"}
        model.save_pretrained(os.path.join(folder, name), **limit)
        print(f"{name}: {sum(p.numel() for p in model.parameters())} parameters, {time.monotonic() - begin:.1f} s")
        del model
    pipeline_files.write_tokenizer(os.path.join(folder, "tokenizer"), merges, EOS + 1)
    pipeline_files.write_scheduler(os.path.join(folder, "scheduler"))
    pipeline_files.write_index(folder, diffusers.__version__)


def restore_buffers(model: torch.nn.Module) -> None:
    for name, buffer in model.named_buffers():
        if name.endswith("position_ids"):
            buffer.copy_(torch.arange(buffer.shape[-1])[None])


def randn(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def timed(label: str, call):
    begin = time.monotonic()
    out = call()
    print(f"{label}: {time.monotonic() - begin:.1f} s, std {out.std():.4f}", flush=True)
    return out


def expected(pipe: StableDiffusionPipeline, given: dict[str, torch.Tensor] | None = None) -> dict[str, torch.Tensor]:
    """`given`: an fp32 run's, whose text the UNet is then given."""
    out = {}
    device, dtype = pipe.device, pipe.dtype
    ids = torch.full((2, 77), EOS)
    ids[:, 0] = BOS
    for row, length in enumerate((12, 75)):  # a short prompt, and one that fills the window
        ids[row, 1 : 1 + length] = torch.randint(0, BOS, (length,), generator=torch.Generator().manual_seed(row))
    out["clip.ids"] = ids.to(torch.int32)
    context = timed("clip", lambda: pipe.text_encoder(ids.to(device)).last_hidden_state)
    out["clip.last_hidden_state"] = out["unet.context"] = context
    if given:
        context = given["unet.context"].to(device, dtype)

    for seed, (h, w) in enumerate([(64, 64), (96, 64)]):
        size = f"{h}x{w}"
        out[f"unet.sample.{size}"] = sample = randn(2, 4, h, w, seed=100 + seed)
        sample = sample.to(device, dtype)
        for t in (1, 500, 999):
            for batch in (1, 2):
                name = f"unet.noise.{size}.t{t}.b{batch}"
                run = lambda: pipe.unet(sample[:batch], t, encoder_hidden_states=context[:batch]).sample  # noqa: E731
                out[name] = timed(name, run)

    latent = out["vae.latent.64x64"] = randn(1, 4, 64, 64, seed=200) / pipe.vae.config.scaling_factor
    out["vae.decoded.64x64"] = timed("vae decode", lambda: pipe.vae.decode(latent.to(device, dtype)).sample)
    image = out["vae.image"] = (0.5 * randn(1, 3, 256, 256, seed=300)).clamp(-1, 1)
    posterior = pipe.vae.encode(image.to(device, dtype)).latent_dist
    out["vae.mean"], out["vae.logvar"] = posterior.mean, posterior.logvar
    return {name: t if name == "clip.ids" else t.float().cpu() for name, t in out.items()}


def guided_run(pipe: StableDiffusionPipeline, ids: torch.Tensor, drawn_in: torch.dtype) -> dict[str, torch.Tensor]:
    context = pipe.text_encoder(ids.long().to(pipe.device)).last_hidden_state
    noise = randn(1, 4, 64, 64, seed=42).to(drawn_in)  # what today's torch draws in that dtype; older ones draw otherwise
    pipe.scheduler = diffusers.DDIMScheduler.from_config(pipe.scheduler.config)
    pipe.set_progress_bar_config(disable=True)
    latents = pipe(
        prompt_embeds=context[1:],
        negative_prompt_embeds=context[:1],
        height=512,
        width=512,
        num_inference_steps=50,
        guidance_scale=7.5,
        latents=noise.to(pipe.device, pipe.dtype),
        output_type="latent",
    ).images
    image = pipe.vae.decode(latents / pipe.vae.config.scaling_factor).sample
    return {"run.latents": latents.float().cpu(), "run.image": image.float().cpu()}


def distance(a: torch.Tensor, b: torch.Tensor) -> float:
    return ((a.double() - b.double()).norm() / b.double().norm()).item()


def psnr(a: torch.Tensor, b: torch.Tensor) -> float:
    return (10 * torch.log10(4 / (a.double() - b.double()).square().mean())).item()


def own_errors(load, exact: StableDiffusionPipeline, tensors: dict[str, torch.Tensor]) -> dict[str, dict[str, float]]:
    """diffusers in fp16 and bf16 against itself in fp32. Adds the guided runs to `tensors`."""
    errors = {}
    ids = tensors["clip.ids"]
    for name, dtype in {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}.items():
        run = guided_run(exact, ids, dtype)
        tensors |= {f"{key}.{name}": value for key, value in run.items()}
        if name == "fp32":
            continue
        own = load(dtype)
        theirs = guided_run(own, ids, dtype)
        errors.setdefault("run.latents", {})[name] = distance(theirs["run.latents"], run["run.latents"])
        errors.setdefault("run.psnr", {})[name] = psnr(theirs["run.image"], run["run.image"])
        for key, value in expected(own, tensors).items():
            if key in ("clip.last_hidden_state", "vae.decoded.64x64") or key.startswith("unet.noise."):
                errors.setdefault(key, {})[name] = distance(value, tensors[key])
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--merges", help="CLIP's merges file, plain or .gz")
    parser.add_argument("--shard", action="store_true", help="split the UNet into files of at most 1 GB")
    parser.add_argument("--ldm", metavar="FILE", help="also write a single file under the original LDM names")
    parser.add_argument("--errors", action="store_true", help="also what diffusers itself loses in fp16 and bf16")
    parser.add_argument("--device", default="cpu", help="where diffusers computes: cpu or cuda")
    parser.add_argument("--skip-expected", action="store_true", help="write the model only")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)

    begin = time.monotonic()
    write_folder(args.dir, read_merges(args.merges) if args.merges else [], args.shard)
    if args.ldm:
        ldm_names.write(args.dir, args.ldm)
    print(f"model written: {time.monotonic() - begin:.1f} s", flush=True)
    if not args.skip_expected:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

        def load(dtype: torch.dtype) -> StableDiffusionPipeline:
            return StableDiffusionPipeline.from_pretrained(args.dir, dtype=dtype, local_files_only=True).to(args.device)

        pipe = load(torch.float32)
        with torch.no_grad():
            tensors = expected(pipe)
            more = {"errors": own_errors(load, pipe, tensors)} if args.errors else {}
        for name, tensor in tensors.items():
            assert tensor.isfinite().all(), name
        tensors = {name: tensor.contiguous().clone() for name, tensor in tensors.items()}
        save_file(tensors, os.path.join(args.dir, "expected.safetensors"), pipeline_files.metadata(**more))
    print(f"total: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
