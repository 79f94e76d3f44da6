# SPDX-License-Identifier: Apache-2.0
"""Writes random.json (what torch.randn draws on the CPU) and scheduler.json (what diffusers' schedulers do).

    python tests/golden/make_scheduler_golden.py [--out DIR]

Needs torch and diffusers; their versions stand in the files. torch must run its AVX2 or AVX-512 kernels: without them
its normals differ in the last bit.

random.json
    draws: {seed, calls: [{n, dtype, first, last, fnv1a}]}, calls on one generator in turn. `first` and `last` hold up
        to 8 values as the bits of their fp32 form; `fnv1a` is the 64-bit FNV-1a hash, in hex, of the little-endian
        fp32 forms of all values.
scheduler.json
    alphas: {config, t: [...], alphas_cumprod: [...]}
    timesteps: {kind, spacing, steps: [...], checksums: [...]}: for each number of steps, the sum of (i + 1) t_i
        over the timesteps, less the -1 that numpy's arange sometimes adds to trailing spacing
    cases: {kind, config, steps, strength or null, init_noise_sigma, timesteps, first, middle, last}: 16 latents run
        through the scheduler in fp32. They begin as init_noise_sigma times randn(16) of seed 3; with a strength, as
        diffusers' add_noise of the same noise to cos(0), cos(1), … The network is 0.5 sin(2 x + t / 1000) of the scaled
        input; ancestral noise is drawn onwards from the same generator. `first`, `middle` and `last` are the latents
        after that step.
"""

import argparse
import itertools
import json
import os

import diffusers
import numpy as np
import torch

KINDS = {
    "ddim": diffusers.DDIMScheduler,
    "euler": diffusers.EulerDiscreteScheduler,
    "euler_a": diffusers.EulerAncestralDiscreteScheduler,
    "dpmpp_2m": diffusers.DPMSolverMultistepScheduler,
}
SD15 = {
    "_class_name": "PNDMScheduler", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085,
    "num_train_timesteps": 1000, "set_alpha_to_one": False, "skip_prk_steps": True, "steps_offset": 1,
    "trained_betas": None, "clip_sample": False,
}


def short(values):
    """fp32 values as the shortest decimals that read back as the same."""
    return [float(str(np.float32(v))) for v in values]


def fnv1a(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


def draws():
    f32, f16, bf16 = torch.float32, torch.float16, torch.bfloat16
    plans = [(seed, [(n, dtype)]) for seed in (0, 42, 2**32 - 1, 2**40 + 7) for dtype in (f32, f16, bf16)
             for n in (1, 2, 7, 15, 16, 17, 31, 33, 64, 100)]
    plans += [(seed, [(n, dtype)]) for seed in (7, 1234567890123) for dtype in (f32, f16, bf16)
              for n in (4 * 64 * 64, 4 * 96 * 64 + 5)]
    plans += [
        (5, [(16384, f32)] * 3),
        (5, [(4096, f16)] * 3),
        (6, [(3, f32), (3, f32), (16, f32), (1, f32), (5, f16), (20, f32), (2, bf16)]),  # the waiting normal
        (8, [(33, f16), (33, f32), (33, bf16), (9, f32), (48, f16)]),
    ]
    out = []
    for seed, calls in plans:
        generator = torch.Generator("cpu").manual_seed(seed)
        entry = {"seed": seed, "calls": []}
        for n, dtype in calls:
            x = torch.randn(n, generator=generator, dtype=dtype).float().numpy()
            bits = x.view(np.uint32).tolist()
            entry["calls"].append({"n": n, "dtype": str(dtype).removeprefix("torch."), "first": bits[:8],
                                   "last": bits[-8:], "fnv1a": fnv1a(x.astype("<f4").tobytes())})
        out.append(entry)
    return out


def run(kind, config, steps, strength=None):
    scheduler = KINDS[kind].from_config(config)
    scheduler.set_timesteps(steps)
    generator = torch.Generator("cpu").manual_seed(3)
    noise = torch.randn(1, 1, 4, 4, generator=generator)
    timesteps = scheduler.timesteps
    if strength is None:
        x = noise * scheduler.init_noise_sigma
    else:  # as StableDiffusionImg2ImgPipeline.get_timesteps
        start = max(steps - min(int(steps * strength), steps), 0)
        timesteps = timesteps[start:]
        if hasattr(scheduler, "set_begin_index"):
            scheduler.set_begin_index(start)
        x = scheduler.add_noise(torch.cos(torch.arange(16.0)).reshape(1, 1, 4, 4), noise, timesteps[:1])
    extra = {"generator": generator} if kind == "euler_a" else {}
    states = []
    for t in timesteps:
        out = 0.5 * torch.sin(2 * scheduler.scale_model_input(x, t) + t / 1000).float()
        x = scheduler.step(out, t, x, **extra).prev_sample
        states.append(x.flatten().tolist())
    return {
        "kind": kind, "config": config, "steps": steps, "strength": strength,
        "init_noise_sigma": short([scheduler.init_noise_sigma])[0], "timesteps": short(timesteps.tolist()),
        "first": short(states[0]), "middle": short(states[len(states) // 2]), "last": short(states[-1]),
    }


def cases():
    spacings = ("leading", "linspace", "trailing")
    predictions = ("epsilon", "v_prediction", "sample")
    for kind in KINDS:
        # What the file of SD1.5 means.
        for steps in (1, 4, 20, 50):
            yield run(kind, SD15, steps)
        yield run(kind, {}, 20)
        for spacing, offset, prediction in itertools.product(spacings, (0, 1), predictions):
            if kind == "euler_a" and prediction == "sample":
                continue
            config = SD15 | {"timestep_spacing": spacing, "steps_offset": offset, "prediction_type": prediction}
            for alpha_to_one in (False, True) if kind == "ddim" else (False,):
                yield run(kind, config | {"set_alpha_to_one": alpha_to_one}, 20)
            yield run(kind, config, 7)
        for schedule in ("linear", "squaredcos_cap_v2"):
            yield run(kind, SD15 | {"beta_schedule": schedule}, 20)
        for strength in (0.3, 0.8, 1.0):
            yield run(kind, SD15, 20, strength)
        yield run(kind, SD15 | {"num_train_timesteps": 400}, 30)
        yield run(kind, SD15, 333)
    for clip, prediction in itertools.product((0.5, 1.0), predictions):
        yield run("ddim", SD15 | {"clip_sample": True, "clip_sample_range": clip, "prediction_type": prediction}, 20)
    for kind, steps in itertools.product(("euler", "dpmpp_2m"), (8, 25)):
        yield run(kind, SD15 | {"use_karras_sigmas": True}, steps)
        yield run(kind, SD15 | {"use_karras_sigmas": True, "timestep_spacing": "leading"}, steps)
        yield run(kind, SD15 | {"use_karras_sigmas": True, "final_sigmas_type": "sigma_min"}, steps)
        yield run(kind, SD15 | {"final_sigmas_type": "sigma_min"}, steps)
    yield run("euler", SD15 | {"use_karras_sigmas": True, "sigma_min": 0.1, "sigma_max": 10.0}, 20)
    for steps, change in itertools.product((8, 25), (
            {"solver_type": "heun"}, {"lower_order_final": False}, {"euler_at_final": True},
            {"final_sigmas_type": "sigma_min", "lower_order_final": False},
            {"final_sigmas_type": "sigma_min", "euler_at_final": True})):
        yield run("dpmpp_2m", SD15 | change, steps)


def alphas():
    for config in (SD15, {}, {"beta_schedule": "squaredcos_cap_v2"}, SD15 | {"num_train_timesteps": 400}):
        table = diffusers.DDIMScheduler.from_config(config).alphas_cumprod
        t = [i for i in (0, 1, 2, 3, 10, 50, 199, 200, 201, 399, 499, 500, 750, 998, 999) if i < len(table)]
        yield {"config": config, "t": t, "alphas_cumprod": short(table[t].tolist())}


def timesteps():
    steps = sorted({*range(1, 1000, 7), *range(48, 1000, 16), 61, 103, 999})
    for kind, spacing in itertools.product(KINDS, ("leading", "linspace", "trailing")):
        scheduler = KINDS[kind].from_config(SD15 | {"timestep_spacing": spacing})
        checksums = []
        for n in steps:
            scheduler.set_timesteps(n)
            t = scheduler.timesteps.double()[:n]
            checksums.append(float(torch.sum(t * torch.arange(1, n + 1))))
        yield {"kind": kind, "spacing": spacing, "steps": steps, "checksums": checksums}


def write(path, value):
    with open(path, "w") as f:
        lines = []
        for key, entry in value.items():
            if isinstance(entry, list):
                body = ",\n".join(json.dumps(item, separators=(",", ":")) for item in entry)
                lines.append(f"{json.dumps(key)}: [\n{body}\n]")
            else:
                lines.append(f"{json.dumps(key)}: {json.dumps(entry)}")
        f.write("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    out = parser.parse_args().out
    if torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"):
        raise SystemExit("torch runs without AVX2 here: its normals would differ in the last bit")
    versions = {"torch": torch.__version__, "diffusers": diffusers.__version__}
    write(os.path.join(out, "random.json"), {"versions": versions, "draws": draws()})
    write(os.path.join(out, "scheduler.json"),
          {"versions": versions, "alphas": list(alphas()), "timesteps": list(timesteps()),
           "cases": list(cases())})


if __name__ == "__main__":
    main()
