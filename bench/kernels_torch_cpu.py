# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's CPU kernels on the work of the benchmarks in bench/frame, by their names.

    python bench/kernels_torch_cpu.py NAME... [--threads 2]        # names on standard input when none are given

Prints JSON: {"torch", "threads", "us": {NAME: microseconds}}, each the median of at least 15 runs over at least 0.3 s,
after a warm-up. fp32, eager, without gradients; images channels-last, as Inlay's are. What Inlay fuses into one kernel
is the sequence of calls that diffusers makes.
"""

import argparse
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F


def image(b, h, c):
    return torch.randn(b, c, h, h).to(memory_format=torch.channels_last)


def weight(o, c):
    return torch.randn(o, c, 3, 3).to(memory_format=torch.channels_last)


def work(name):
    """A function that does what the benchmark of this name does."""
    path, *rest = name.split("/")
    kind, args = rest[0], [int(a) for a in rest[1:] if a.isdigit()]
    r = torch.randn
    if path == "elementwise":
        x = r(2, 32, 32, 320)
        other = r(2, 32, 32, 320)
        tokens = r(2, 1024, 8, 40)
        return {
            "silu": lambda: F.silu(x),
            "gelu": lambda: F.gelu(x),
            "concat": lambda: torch.cat([x, other], dim=-1),
            "permute": lambda: tokens.permute(0, 2, 1, 3).contiguous(),
        }[kind]
    if path == "linear" and kind == "bias":
        m, n, k = args
        x, w, b = r(m, k), r(n, k), r(n)
        return lambda: F.linear(x, w, b)
    if path == "linear":
        m, c = args
        x, w, b, residual = r(m, 8 * c), r(c, 4 * c), r(c), r(m, c)

        def geglu():
            hidden, gate = x.chunk(2, dim=-1)
            return F.linear(hidden * F.gelu(gate), w, b) + residual

        return geglu
    if path == "conv2d":
        b, h, c, o = args
        x, w, bias = image(b, h, c), weight(o, c), r(o)
        if kind == "upsample2x":
            return lambda: F.conv2d(F.interpolate(x, scale_factor=2.0, mode="nearest"), w, bias, padding=1)
        return lambda: F.conv2d(x, w, bias, padding=1, stride=2 if kind == "stride2" else 1)
    if path == "norm" and kind in ("layer", "rms"):
        m, c = args
        x, g, b = r(m, c), r(c), r(c)
        if kind == "rms":
            return lambda: F.rms_norm(x, (c,), g, 1e-6)
        return lambda: F.layer_norm(x, (c,), g, b)
    if path == "norm":
        n, h, c = args
        x, g, b = image(n, h, c), r(c), r(c)
        if kind == "group_silu":
            return lambda: F.silu(F.group_norm(x, 32, g, b))
        return lambda: F.group_norm(x, 32, g, b)
    if path == "softmax":
        x = r(*args)
        return lambda: F.softmax(x, dim=-1)
    if path == "reduce":
        x = r(*args)
        return (lambda: x.sum(-1, keepdim=True)) if kind == "row_sum" else (lambda: x.mean(0, keepdim=True))
    if path == "attention":
        b, h, sq, skv = args
        d = int(kind[1:])
        q, k, v = r(b, h, sq, d), r(b, h, skv, d), r(b, h, skv, d)
        return lambda: F.scaled_dot_product_attention(q, k, v)
    raise SystemExit(f"kernels_torch_cpu.py: no work is known by the name {name}")


def median_us(f):
    for _ in range(3):
        f()
    times, begin = [], time.perf_counter()
    while len(times) < 15 or time.perf_counter() - begin < 0.3:
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    names = args.names or sys.stdin.read().split()
    with torch.inference_mode():
        us = {name: round(median_us(work(name)), 2) for name in names}
    json.dump({"torch": torch.__version__, "threads": args.threads, "us": us}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
