# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch on the work of every row of the GPU benchmarks' JSON and adds it to the row's peers.

    python bench/compare.py DIR [SUITE...] [--quick] [--jobs N]

DIR/SUITE.json (all, if none is named) are what the programs of bench/cuda wrote in the same job; they are rewritten.
Peers are eager PyTorch, torch.compile, and for attention each of PyTorch's kernels. As in the programs, inputs are random
normals, copied until they take more than 128 MB, launches over all copies are captured in a CUDA graph, and the time is
the median of its replays after as long a warm-up; but each is timed alone. `peer` becomes the fastest peer of the row.
--jobs: processes that compile beforehand, into the cache.
"""

import argparse
import glob
import json
import math
import os
import subprocess
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import replay

ROTATED = 128 << 20
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}


def normals(*extents, dtype=torch.float16):
    return torch.randn(*extents, device="cuda", dtype=dtype)


def channels_last(x):
    """[B, H, W, C] in memory, seen as [B, C, H, W]."""
    return x.permute(0, 3, 1, 2)


def work(name):
    """(inputs of one launch, {peer: function of them}) of a row, or None. A peer that ends in 'compile' is compiled."""
    suite, *rest = name.split("/")
    dtype = DTYPES[rest[-1]]
    shape = [int(v) for v in rest[-2].split("x")]
    r = lambda *extents: normals(*extents, dtype=dtype)
    both = lambda f: {"torch eager": f, "torch.compile": f}
    if suite == "attention":
        if rest[0] not in ("full", "causal", "base2"):  # those have bench/attention_torch.py
            return None
        b, h, sq, sk, d = shape
        causal = rest[0] == "causal"
        base2 = rest[0] == "base2"  # of queries that were multiplied by log2(e) / sqrt(d)
        factor, scale = (math.log2(math.e) / math.sqrt(d), math.log(2)) if base2 else (1, None)
        inputs = lambda: [by * r(b, s, h, d).transpose(1, 2) for s, by in ((sq, factor), (sk, 1), (sk, 1))]
        kernels = {
            "cuDNN by torch": SDPBackend.CUDNN_ATTENTION,
            "FA2": SDPBackend.FLASH_ATTENTION,
            "memory-efficient": SDPBackend.EFFICIENT_ATTENTION,
        }

        def by(backend):
            def run(q, k, v):
                with sdpa_kernel(backend):
                    return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)

            return run

        return inputs, {peer: by(backend) for peer, backend in kernels.items()}
    if suite in ("group_norm", "group_norm_silu"):
        b, rows, c = shape
        inputs = lambda: [channels_last(r(b, rows, 1, c)), r(c), r(c)]
        norm = lambda x, g, z: F.group_norm(x, 32, g, z, 1e-5)
        return inputs, both((lambda x, g, z: F.silu(norm(x, g, z))) if suite.endswith("silu") else norm)
    if suite in ("layer_norm", "rms_norm", "softmax"):
        m, n = shape
        if suite == "softmax":
            return lambda: [r(m, n)], both(lambda x: F.softmax(x, -1))
        if suite == "rms_norm":
            return lambda: [r(m, n), r(n)], both(lambda x, g: F.rms_norm(x, (n,), g, 1e-6))
        return lambda: [r(m, n), r(n), r(n)], both(lambda x, g, z: F.layer_norm(x, (n,), g, z))
    if suite == "sum":
        axis = 0 if rest[0] == "columns" else -1
        return lambda: [r(*shape)], both(lambda x: x.sum(axis))
    if suite == "elementwise":
        return elementwise(rest[0], shape, r, both)
    if suite in ("linear", "gemv"):
        m, n, k = shape
        if rest[0] == "bias":
            return lambda: [r(m, k), r(n, k), r(n)], {"torch eager": F.linear}
        if rest[0] == "silu_bias":
            return lambda: [r(m, k), r(n, k), r(n)], both(lambda x, w, z: F.linear(F.silu(x), w, z))
        if rest[0] == "geglu":
            f = lambda x, w: (lambda y: y[:, : n // 2] * F.gelu(y[:, n // 2 :]))(F.linear(x, w))
            return lambda: [r(m, k), r(n, k)], both(f)
        if rest[0] == "geglu_residual":
            f = lambda x, w, z, s: F.linear(x[:, :k] * F.gelu(x[:, k:]), w, z) + s
            return lambda: [r(m, 2 * k), r(n, k), r(n), r(m, n)], both(f)
    if suite in ("conv3x3", "conv1x1") and rest[0] == "bias":
        height, width, cin, cout, stride = shape
        taps = int(suite[-1])
        inputs = lambda: [
            channels_last(r(images(name), height, width, cin)),
            channels_last(r(cout, taps, taps, cin)),
            r(cout),
        ]
        return inputs, {"cuDNN by torch": lambda x, w, z: F.conv2d(x, w, z, stride, taps // 2)}
    return None


def images(name):
    return batches.get(name, 2)


batches = {}  # of convolutions


def elementwise(kind, shape, r, both):
    if kind in ("copy", "silu", "gelu", "add"):
        (n,) = shape
        if kind == "add":
            return lambda: [r(n), r(n)], {"torch eager": torch.add}
        f = {"copy": torch.clone, "silu": F.silu, "gelu": F.gelu}[kind]
        return lambda: [r(n)], {"torch eager": f} if kind == "copy" or n != 1 << 27 else both(f)
    b, size, c = shape
    tokens = size * size
    if kind == "heads":
        return lambda: [r(b, tokens, 8, c // 8)], both(lambda x: x.permute(0, 2, 1, 3).contiguous())
    if kind == "concat":
        return lambda: [r(b, size, size, c), r(b, size, size, c)], both(lambda x, z: torch.cat([x, z], -1))
    if kind == "upsample2x":
        return (
            lambda: [channels_last(r(b, size, size, c))],
            both(lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest")),
        )
    half = 4 * c
    return lambda: [r(b * tokens, 2 * half)], both(lambda x: x[:, :half] * F.gelu(x[:, half:]))


def microseconds(f, inputs):
    """Median time of one launch of f over rotated inputs."""
    first = inputs()
    size = sum(x.numel() * x.element_size() for x in first)
    copies = min(max(ROTATED // size + 1, 2), 4096)
    sets = [first] + [inputs() for _ in range(copies - 1)]
    launches = max(copies, 8)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            out = f(*first)
    torch.cuda.synchronize()
    kept = max(1, ROTATED // (out.numel() * out.element_size()) + 1)  # outputs rotate too
    outs = []
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for i in range(launches):
            outs.append(f(*sets[i % copies]))
            if len(outs) > kept:
                outs.pop(0)
    return replay.microseconds(graph, launches)


def compiled(f):
    return torch.compile(f, dynamic=False)


def update(row, quick):
    """Adds PyTorch's times to a row."""
    found = work(row["name"])
    if not found or not row.get("us"):
        return
    inputs, functions = found
    peers = row.setdefault("peers", {})
    for peer, f in functions.items():
        if quick and peer.endswith("compile"):
            continue
        try:
            peers[peer] = float(f"{microseconds(compiled(f) if peer.endswith('compile') else f, inputs):.5g}")
        except RuntimeError as e:  # a kernel that does not take this shape
            print(f"{row['name']}: {peer}: {str(e).splitlines()[0][:90]}", file=sys.stderr)
    if peers:
        row["peer"], row["peer_us"] = min(peers.items(), key=lambda p: p[1])
        row["ratio"] = float(f"{row['peer_us'] / row['us']:.5g}")
    print(f"{row['name']:56} {row['us']:9.2f} us  " + "  ".join(f"{p} {us:.2f}" for p, us in peers.items()), flush=True)


def warm(names, part, parts):
    """Compiles every parts-th name, so that the cache has it."""
    for i, name in enumerate(names):
        found = work(name)
        if i % parts == part and found and "torch.compile" in found[1]:
            compiled(found[1]["torch.compile"])(*found[0]())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("suite", nargs="*")
    parser.add_argument("--quick", action="store_true", help="nothing is compiled; no convolutions, no products")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--warm", metavar="PART/PARTS", help=argparse.SUPPRESS)
    args = parser.parse_args()
    torch._dynamo.config.recompile_limit = 1000
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    # What is fp32 is compared with fp32: PyTorch's convolutions would take TF32.
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    paths = [os.path.join(args.dir, f"{s}.json") for s in args.suite] or glob.glob(os.path.join(args.dir, "*.json"))
    suites = {}
    for path in filter(os.path.exists, paths):
        with open(path) as f:
            suite = json.load(f)
        if "ceilings" in suite:  # the folder also has results of other programs
            suites[path] = suite
    batches.update({r["name"]: 1 for suite in suites.values() for r in suite["rows"] if r.get("model") == "vae"})
    products = ("linear", "gemv", "conv3x3", "conv1x1", "sum")

    def compared(suite):
        rows = [(row, row["name"].split("/")) for row in suite["rows"]]
        return [r for r, parts in rows if parts[0] != "price" and not (args.quick and parts[0] in products)]

    with torch.no_grad():
        if args.warm:
            part, parts = map(int, args.warm.split("/"))
            warm([row["name"] for suite in suites.values() for row in compared(suite)], part, parts)
            return
        if not args.quick and args.jobs > 1:
            command = [sys.executable, __file__, args.dir, *args.suite, "--warm"]
            jobs = [subprocess.Popen(command + [f"{i}/{args.jobs}"]) for i in range(args.jobs)]
            for job in jobs:
                job.wait()
        for path, suite in suites.items():
            for row in compared(suite):
                update(row, args.quick)
            suite["libraries"]["PyTorch"] = torch.__version__
            with open(path, "w") as f:
                head = {k: v for k, v in suite.items() if k != "rows"}
                f.write(json.dumps(head)[:-1] + ', "rows": [\n')
                f.write(",\n".join("  " + json.dumps(row) for row in suite["rows"]) + "\n]}\n")


if __name__ == "__main__":
    main()
