# SPDX-License-Identifier: Apache-2.0
"""Times the ops of examples/pytorch beside torch.compile of the same expression, and writes DIR/pytorch_ops.json.

    python bench/pytorch_ops.py LIBRARY DIR [--filter REGEX] [--autotune SECONDS] [--overhead PROGRAM] [--warm N]

LIBRARY is inlay_ops.so, as CMake builds it of examples/pytorch. On a GPU all are timed as bench/compare.py times
PyTorch: random inputs that are copied until they take more than 128 MB, a CUDA graph over all copies, the median of its
replays; images and weights of convolutions are torch.channels_last. Peers are torch.compile by its default and by its
mode max-autotune-no-cudagraphs, which begins with fp16 and ends when SECONDS have passed (default 120, 0: none); for
attention FlexAttention, compiled, too. Beside each time stands the relative L2 from fp64. PROGRAM is `overhead_cuda` of
the same build: what it prints goes into the file. --warm N: N processes compile into torch.compile's cache before.
On the CPU (--device cpu) small shapes are run once, to try this script.
"""

import argparse
import datetime
import json
import math
import os
import re
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

import compare

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}
CAP = 50.0  # Gemma 2's


def geglu_linear(x, weight, bias, residual):
    hidden, gate = x.chunk(2, dim=-1)
    return F.linear(hidden * F.gelu(gate), weight, bias) + residual


def conv_silu_residual(x, weight, bias, residual):
    return F.conv2d(F.silu(x), weight, bias, padding=1) + residual


def softcap_attention(window):
    def run(q, k, v):
        k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for t in (k, v))
        scores = CAP * torch.tanh((q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])) / CAP)
        i, j = (torch.arange(t.shape[2], device=q.device) for t in (q, k))
        seen = (j <= i[:, None]) & (i[:, None] - j < window)
        return torch.softmax(scores.masked_fill(~seen, -math.inf), dim=-1) @ v

    return run


def flex_attention(window, s, device):
    from torch.nn.attention import flex_attention as flex

    mask = flex.create_block_mask(lambda b, h, i, j: (j <= i) & (i - j < window), None, None, s, s, device=device)
    score = lambda x, b, h, i, j: CAP * torch.tanh(x / CAP)
    return lambda q, k, v: flex.flex_attention(q, k, v, score_mod=score, block_mask=mask, enable_gqa=True)


class Row:
    """One op at one shape: its inputs, itself, and the expressions that torch.compile has."""

    def __init__(self, kind, extents, dtype, device):
        self.name = f"{kind}/{'x'.join(map(str, extents))}/{dtype}"
        self.dtype, self.device, self.extents, ops = DTYPES[dtype], device, extents, torch.ops.inlay_ops
        last = lambda t: t.to(memory_format=torch.channels_last)
        if kind == "geglu_linear":
            b, s, n, k = extents
            self.inputs = lambda: [self.random(b, s, 2 * k), self.random(n, k, by=k**-0.5), self.random(n),
                                   self.random(b, s, n)]
            self.op, self.exact = ops.geglu_linear.default, geglu_linear
            self.peers = {"": lambda: geglu_linear}
        elif kind == "conv_silu_residual":
            b, h, w, c, o = extents
            self.inputs = lambda: [last(self.random(b, c, h, w)), last(self.random(o, c, 3, 3, by=(9 * c) ** -0.5)),
                                   self.random(o), last(self.random(b, o, h, w))]
            self.op, self.exact = ops.conv_silu_residual.default, conv_silu_residual
            self.peers = {"": lambda: conv_silu_residual}
        else:
            b, h, hk, s, d, window = extents
            self.inputs = lambda: [self.random(b, heads, s, d, by=by) for heads, by in ((h, 3), (hk, 1), (hk, 1))]
            self.op = lambda q, k, v: ops.softcap_attention.default(q, k, v, CAP, window)
            self.exact = softcap_attention(window)
            self.peers = {"": lambda: self.exact, " of FlexAttention": lambda: flex_attention(window, s, device)}

    def random(self, *extents, by=1):
        return by * torch.randn(*extents, device=self.device, dtype=self.dtype)

    def error(self, f, inputs):
        """Relative L2 from fp64, an item and a query head at a time for attention."""
        got, parts = f(*inputs).double(), [(slice(None), inputs)]
        if len(inputs) == 3:
            q, k, v = inputs
            group = q.shape[1] // k.shape[1]
            one = lambda n: (slice(0, 1), slice(n, n + 1))
            parts = [(one(n), (q[one(n)], k[one(n // group)], v[one(n // group)]))
                     for n in range(0, q.shape[1], q.shape[1] // 2)]
        off = size = 0
        for part, given in parts:
            wanted = self.exact(*(t.double() for t in given))
            off += (got[part] - wanted).square().sum().item()
            size += wanted.square().sum().item()
        return math.sqrt(off / size)


def rows(device):
    shapes = [("geglu_linear", (2, 4096, 320, 1280)), ("geglu_linear", (2, 1024, 640, 2560)),
              ("geglu_linear", (2, 256, 1280, 5120)), ("conv_silu_residual", (2, 64, 64, 320, 320)),
              ("conv_silu_residual", (2, 32, 32, 640, 640)), ("conv_silu_residual", (2, 16, 16, 1280, 1280)),
              ("softcap_attention", (2, 8, 8, 4096, 64, 1024)), ("softcap_attention", (1, 32, 16, 4096, 128, 4096))]
    if device == "cpu":
        shapes = [("geglu_linear", (1, 32, 48, 64)), ("conv_silu_residual", (1, 8, 8, 16, 16)),
                  ("softcap_attention", (1, 4, 2, 128, 64, 40))]
    return [Row(kind, extents, dtype, device) for dtype in DTYPES for kind, extents in shapes]


def microseconds(f, row):
    if row.device == "cuda":
        return compare.microseconds(f, row.inputs)
    inputs = row.inputs()
    begin = time.perf_counter()
    f(*inputs)
    return 1e6 * (time.perf_counter() - begin)


def compiled(row, peer, mode):
    torch._dynamo.reset()
    return torch.compile(row.peers[peer](), dynamic=False, mode=mode)


def add_peer(row, result, peer, mode):
    name = "torch.compile" + peer + (f", {mode}" if mode else "")
    try:
        f, inputs = compiled(row, peer, mode), row.inputs()
        result["errors"][name] = float(f"{row.error(f, inputs):.3g}")
        del inputs
        result["peers"][name] = float(f"{microseconds(f, row):.5g}")
        print(f"    {name:60} {result['peers'][name]:9.2f} us", flush=True)
    except Exception as e:  # no kernel of this shape, or no memory for the scores
        print(f"{row.name}: {name}: {type(e).__name__}: {str(e).splitlines()[0][:100]}", file=sys.stderr, flush=True)
    if row.device == "cuda":
        torch.cuda.empty_cache()


def overhead(program):
    out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    print(out, end="", flush=True)
    return out.strip().splitlines()


def write(args, results, host):
    head = {"commit": args.commit, "date": datetime.date.today().isoformat(), "driver": args.driver,
            "libraries": {"PyTorch": torch.__version__}, "overhead": host}
    for r in results:
        r["peer"], r["peer_us"] = min(r["peers"].items(), key=lambda p: p[1], default=(None, None))
        r["ratio"] = r["peer_us"] and float(f"{r['peer_us'] / r['us']:.4g}")
    os.makedirs(args.dir, exist_ok=True)
    with open(os.path.join(args.dir, "pytorch_ops.json"), "w") as f:
        f.write(json.dumps(head)[:-1] + ', "rows": [\n' + ",\n".join("  " + json.dumps(r) for r in results) + "\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("dir")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--filter", default=".")
    parser.add_argument("--autotune", type=float, default=120, metavar="SECONDS")
    parser.add_argument("--overhead", metavar="PROGRAM")
    parser.add_argument("--warm", type=int, default=0, metavar="N")
    parser.add_argument("--only-warm", metavar="PART/PARTS", help=argparse.SUPPRESS)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--driver", default="unknown")
    args = parser.parse_args()
    torch._dynamo.config.recompile_limit = 1000
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    torch.ops.load_library(args.library)
    some = [row for row in rows(args.device) if re.search(args.filter, row.name)]
    with torch.no_grad():
        if args.only_warm:
            part, parts = map(int, args.only_warm.split("/"))
            for row in some[part::parts]:
                for peer in row.peers:
                    compiled(row, peer, None)(*row.inputs())
            return
        jobs = [subprocess.Popen([sys.executable, *sys.argv, "--only-warm", f"{n}/{args.warm}"])
                for n in range(args.warm)]
        for job in jobs:
            job.wait()
        results = []
        for row in some:
            error = row.error(row.op, row.inputs())
            results.append({"name": row.name, "us": float(f"{microseconds(row.op, row):.5g}"),
                            "relative_l2": float(f"{error:.3g}"), "peers": {}, "errors": {}})
            print(f"{row.name:64} {results[-1]['us']:9.2f} us", flush=True)
            for peer in row.peers:
                add_peer(row, results[-1], peer, None)
            write(args, results, [])
        begin = time.monotonic()
        for row, result in zip(some, results):
            for peer in row.peers:
                if time.monotonic() - begin < args.autotune:
                    add_peer(row, result, peer, "max-autotune-no-cudagraphs")
            write(args, results, [])
        if args.overhead:
            write(args, results, [line for _ in range(3) for line in overhead(args.overhead)])


if __name__ == "__main__":
    main()
