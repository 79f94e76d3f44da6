# SPDX-License-Identifier: Apache-2.0
"""The peers of docs/study.md: the workloads of study.cu in Triton and PyTorch, with the same two modes and output.

    python bench/study/peers.py time|profile
"""

import os
import sys

import torch
import triton
import triton.language as tl

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import replay

ELEMENTS, ROW = 1 << 27, 1024
BLOCKS = [32 << i for i in range(11)]
RUNS = 8


@triton.jit
def marker(at):
    tl.store(at, 0.0)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def swish_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    tl.store(out + i, v * tl.sigmoid(v), i < n)


@triton.jit
def softmax_kernel(x, out, n, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    i = tl.program_id(0).to(tl.int64) * n + j
    v = tl.load(x + i, j < n, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + i, e / tl.sum(e, 0), j < n)


def softmax_by_hand(x):
    z = x - x.max(-1, keepdim=True).values
    e = torch.exp(z)
    return e / e.sum(-1, keepdim=True)


def microseconds(run):
    """Median time of one run, over replays of a graph of several."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(RUNS):
            run()
    return replay.microseconds(graph, RUNS)


def main():
    mode = sys.argv[1] if len(sys.argv) == 2 else ""
    if mode not in ("time", "profile"):
        sys.exit(__doc__)
    torch.manual_seed(0)
    x, y = (torch.randn(ELEMENTS, device="cuda") for _ in range(2))
    out = torch.empty_like(x)
    rows = x.view(-1, ROW)
    add = lambda block: lambda: add_kernel[(ELEMENTS // block,)](x, y, out, ELEMENTS, BLOCK=block)
    swish = lambda block: lambda: swish_kernel[(ELEMENTS // block,)](x, out, ELEMENTS, BLOCK=block)
    compiled_swish = torch.compile(lambda v: v * torch.sigmoid(v), dynamic=False)
    compiled_softmax = torch.compile(softmax_by_hand, dynamic=False)
    work = [
        ("add", "Triton", add(1024)),
        ("add", "torch, built in", lambda: x + y),
        ("swish", "Triton", swish(1024)),
        ("swish", "torch, an operation at a time", lambda: x * torch.sigmoid(x)),
        ("swish", "torch.compile", lambda: compiled_swish(x)),
        ("swish", "torch, built in", lambda: torch.nn.functional.silu(x)),
        ("softmax", "Triton", lambda: softmax_kernel[(ELEMENTS // ROW,)](x, out, ROW, BLOCK=ROW)),
        ("softmax", "torch, an operation at a time", lambda: softmax_by_hand(rows)),
        ("softmax", "torch.compile", lambda: compiled_softmax(rows)),
        ("softmax", "torch, built in", lambda: torch.softmax(rows, -1)),
    ]
    if mode == "time":
        for workload, name, run in work + [("swish by block", str(b), swish(b)) for b in BLOCKS]:
            print(f"{workload}\t{name}\t{microseconds(run):.3f}", flush=True)
        return
    here = torch.zeros(1, device="cuda")
    marker[(1,)](here)
    for workload, name, run in work:
        run()
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        marker[(1,)](here)
        run()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()
        print(f"{workload}\t{name}", flush=True)


if __name__ == "__main__":
    with torch.no_grad():
        main()
