# SPDX-License-Identifier: Apache-2.0
"""Writes kernel_errors.json: how far PyTorch's own kernels are from an fp64 evaluation of the same inputs on the CPU.

    python tests/golden/make_kernel_errors.py [--device cuda] [--out FILE] [--attention]

With --device cuda the kernels are the GPU's, TF32 off, and the file is kernel_errors_cuda.json.

The measure is the relative L2 error over the whole output, median of 5 seeds, one CPU thread. Inputs are normal,
rounded to the dtype first, so that the error is that of the kernel alone. The tests of the frames may be 1.25 times as
far off.

Each entry of "cases" is {"op", "shape", "mean", "errors": {"fp32", "fp16", "bf16"}}; the shapes:
    linear [m, n, k] with bias; conv2d [b, h, w, c, o], 3x3, padding 1, with bias; layernorm [rows, c];
    groupnorm [b, h, w, c], 32 groups; softmax [rows, n]; silu, gelu [n];
    attention [b, heads, queries, keys, d], alone, or causal; with a window of 40 keys; with slopes 2^(-head) times the
    distance; with scores softcap to 5; with a sink of score 1 - head / 4.
Weights are divided by the root of the number of terms of a sum. "mean" is added to the input (in standard deviations).
The last three are of flex_attention, compiled on a GPU. --attention measures attention's variants alone, and keeps the
other cases of the file.
"""

import argparse
import json
import math
import os
import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import flex_attention

SEEDS = range(5)
DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
CASES = [
    ("linear", [77, 320, 320], 0),
    ("linear", [64, 320, 1280], 0),
    ("linear", [1, 1280, 1280], 0),
    ("linear", [77, 100, 768], 0),
    ("conv2d", [2, 12, 10, 64, 32], 0),
    ("conv2d", [1, 16, 16, 320, 16], 0),
    ("layernorm", [77, 768], 0),
    ("layernorm", [77, 768], 10),
    ("layernorm", [30, 1280], 1000),
    ("groupnorm", [2, 12, 10, 320], 0),
    ("groupnorm", [2, 12, 10, 320], 10),
    ("groupnorm", [1, 16, 16, 64], 1000),
    ("softmax", [64, 77], 0),
    ("softmax", [16, 4096], 0),
    ("attention", [2, 4, 64, 64, 40], 0),
    ("attention", [1, 4, 96, 77, 64], 0),
    ("attention", [1, 2, 64, 256, 160], 0),
    ("attention", [1, 1, 64, 64, 512], 0),
    ("silu", [16384], 0),
    ("gelu", [16384], 0),
]
VARIANTS = ["causal", "window", "slopes", "softcap", "sink"]
CASES += [(f"attention {v}", shape, 0) for v in VARIANTS for shape in ([1, 4, 160, 160, 64], [2, 4, 33, 200, 64])]


def normal(generator, *shape, mean=0.0, scale=1.0):
    return torch.randn(shape, generator=generator, dtype=torch.float64) * scale + mean


def inputs(op, shape, mean, g):
    if op == "linear":
        m, n, k = shape
        return [normal(g, m, k, mean=mean), normal(g, n, k, scale=k**-0.5), normal(g, n)]
    if op == "conv2d":
        b, h, w, c, o = shape
        return [normal(g, b, c, h, w, mean=mean), normal(g, o, c, 3, 3, scale=(9 * c) ** -0.5), normal(g, o)]
    if op == "layernorm":
        return [normal(g, *shape, mean=mean), normal(g, shape[-1]), normal(g, shape[-1])]
    if op == "groupnorm":
        b, h, w, c = shape
        return [normal(g, b, c, h, w, mean=mean), normal(g, c), normal(g, c)]
    if op.startswith("attention"):
        b, heads, queries, keys, d = shape
        return [normal(g, b, heads, queries, d)] + [normal(g, b, heads, keys, d) for _ in range(2)]
    return [normal(g, *shape, mean=mean)]


def run(op, x):
    if op == "linear":
        return F.linear(*x)
    if op == "conv2d":
        return F.conv2d(*x, padding=1)
    if op == "layernorm":
        return F.layer_norm(x[0], x[0].shape[-1:], x[1], x[2], eps=1e-5)
    if op == "groupnorm":
        return F.group_norm(x[0], 32, x[1], x[2], eps=1e-5)
    if op == "softmax":
        return F.softmax(x[0], dim=-1)
    if op == "attention":
        return F.scaled_dot_product_attention(*x)
    if op.startswith("attention"):
        return attention(op.split()[1], *x)
    return getattr(F, op)(x[0])


def attention(variant, q, k, v):
    """Of fp64 by its definition, in other dtypes by PyTorch's kernels."""
    heads, queries, keys = q.shape[1], q.shape[2], k.shape[2]
    far = (torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)[None]).to(q.device)
    head = torch.arange(heads, device=q.device)
    slopes = (2.0 ** -head)[:, None, None]
    sink = 1 - head[:, None] / 4
    hidden = {"causal": far < 0, "window": (far < 0) | (far >= 40), "slopes": far < 0}.get(variant)
    if q.dtype == torch.float64:
        scores = q @ k.mT * q.shape[3] ** -0.5
        if variant == "slopes":
            scores = scores - slopes * far
        if variant == "softcap":
            scores = 5 * torch.tanh(scores / 5)
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        if variant == "sink":
            last = sink[None, :, :, None].expand(*scores.shape[:3], 1)
            return torch.softmax(torch.cat([scores, last], -1), -1)[..., :-1] @ v
        return torch.softmax(scores, -1) @ v
    if variant in ("causal", "window"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=~hidden)
    flex = torch.compile(flex_attention) if q.is_cuda else flex_attention
    if variant == "slopes":
        slope, last = slopes.flatten(), keys - queries
        return flex(q, k, v, score_mod=lambda score, b, h, i, j: torch.where(
            i + last >= j, score - slope[h] * (i + last - j), -math.inf))
    if variant == "softcap":
        return flex(q, k, v, score_mod=lambda score, b, h, i, j: 5 * torch.tanh(score / 5))
    y, lse = flex(q, k, v, return_lse=True)
    return y * torch.sigmoid(lse - sink[None]).to(y.dtype)[..., None]


def error(op, shape, mean, dtype, seed, device):
    rounded = [x.to(dtype) for x in inputs(op, shape, mean, torch.Generator().manual_seed(seed))]
    if op in ("conv2d", "groupnorm"):  # NHWC, as Inlay's
        rounded[0] = rounded[0].to(memory_format=torch.channels_last)
    exact = run(op, [x.double() for x in rounded])
    result = run(op, [x.to(device) for x in rounded]).cpu().double()
    return ((result - exact).norm() / exact.norm()).item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--out")
    parser.add_argument("--attention", action="store_true")
    args = parser.parse_args()
    cuda = args.device == "cuda"
    out = args.out or os.path.join(here, "kernel_errors_cuda.json" if cuda else "kernel_errors.json")
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    cases, report = [], {}
    if args.attention:
        with open(out) as f:
            report = json.load(f)
        cases = [c for c in report["cases"] if not c["op"].startswith("attention ")]
    for op, shape, mean in CASES:
        if args.attention and not op.startswith("attention "):
            continue
        errors = {
            name: statistics.median(error(op, shape, mean, dtype, seed, args.device) for seed in SEEDS)
            for name, dtype in DTYPES.items()
        }
        cases.append({"op": op, "shape": shape, "mean": mean, "errors": {k: float(f"{v:.4g}") for k, v in errors.items()}})
        print(cases[-1])
    where = {"gpu": torch.cuda.get_device_name()} if cuda else {"cpu_capability": torch.backends.cpu.get_cpu_capability()}
    report = {"torch": torch.__version__, **where, **report, "cases": cases}
    with open(out, "w") as f:
        rows = ",\n".join("  " + json.dumps(c) for c in cases)
        head = json.dumps({k: v for k, v in report.items() if k != "cases"})[1:-1]
        f.write("{" + head + ', "cases": [\n' + rows + "\n]}\n")


if __name__ == "__main__":
    main()
