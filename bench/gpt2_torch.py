# SPDX-License-Identifier: Apache-2.0
"""Times one token of GPT-2 124M in PyTorch: torch.compile, its result captured in a CUDA graph, a static cache of 1024;
with --prompts prompts of so many tokens, which fill the cache.

    python3 bench/gpt2_torch.py --dtype float16 --batch 1 --positions 1 100 500 1000
    python3 bench/gpt2_torch.py --prompts 512 --positions [--layers 24 --hidden 1024 --heads 16]

Weights are random; those of a token, 248 MB in 16 bits, do not fit a cache, so each is read from memory as in a real
step.
The median of 60 times 20 replays, in microseconds a token, the choice of the greatest logit included. With --device cpu
the median of 40 tokens by eager kernels, over a cache that ends at the position.
"""
import argparse
import time

import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="float16")
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--positions", type=int, nargs="*", default=[1, 100, 500, 1000])
parser.add_argument("--prompts", type=int, nargs="*", default=[], help="tokens of prompts, on a GPU")
parser.add_argument("--layers", type=int, default=12)
parser.add_argument("--hidden", type=int, default=768)
parser.add_argument("--heads", type=int, default=12)
parser.add_argument("--mode", default="default")
parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
parser.add_argument("--threads", type=int, default=2, help="of the CPU")
args = parser.parse_args()
B, L, C, H, V, T = args.batch, args.layers, args.hidden, args.heads, 50257, 1024


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = torch.nn.LayerNorm(C), torch.nn.LayerNorm(C)
        self.qkv, self.out = torch.nn.Linear(C, 3 * C), torch.nn.Linear(C, C)
        self.up, self.down = torch.nn.Linear(C, 4 * C), torch.nn.Linear(4 * C, C)
        self.register_buffer("keys", torch.zeros(B, H, T, C // H))
        self.register_buffer("values", torch.zeros(B, H, T, C // H))

    def forward(self, x, position, mask):
        S = x.shape[1]
        q, k, v = self.qkv(self.ln1(x)).view(B, S, 3, H, C // H).permute(2, 0, 3, 1, 4)
        if S > 1:  # a prompt, from position 0
            self.keys[:, :, :S] = k
            self.values[:, :, :S] = v
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            self.keys[:, :, position] = k
            self.values[:, :, position] = v
            n = self.keys.shape[2] if mask is not None else int(position) + 1
            y = F.scaled_dot_product_attention(q, self.keys[:, :, :n], self.values[:, :, :n], attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).reshape(B, S, C))
        return x + self.down(F.gelu(self.up(self.ln2(x)), approximate="tanh"))


class Gpt2(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = torch.nn.Embedding(V, C), torch.nn.Embedding(T, C)
        self.layers = torch.nn.ModuleList(Block() for _ in range(L))
        self.norm = torch.nn.LayerNorm(C)
        self.register_buffer("causal", torch.tril(torch.ones(T, T, dtype=torch.bool)))

    def forward(self, ids, position):
        x = self.wte(ids) + self.wpe(position)
        mask = self.causal[None, None, position] if args.device == "cuda" and ids.shape[1] == 1 else None
        for layer in self.layers:
            x = layer(x, position, mask)
        return (self.norm(x[:, -1]) @ self.wte.weight.T).argmax(-1)


with torch.no_grad():
    torch.manual_seed(0)
    model = Gpt2().to(args.device, getattr(torch, args.dtype)).eval()
    ids = torch.randint(0, V, (B, 1), device=args.device)
    position = torch.tensor([0], device=args.device)
    if args.device == "cpu":
        torch.set_num_threads(args.threads)
        for p in args.positions:
            position.fill_(p)
            times = []
            for _ in range(43):
                start = time.perf_counter()
                model(ids, position)
                times.append((time.perf_counter() - start) * 1e6)
            print(f"torch {torch.__version__} eager {args.dtype} batch {B} position {p}: "
                  f"{sorted(times[3:])[20]:.1f} us a token", flush=True)
        raise SystemExit

    def captured(ids, position):
        """A graph of a compiled step."""
        step = torch.compile(model, mode=args.mode, dynamic=False)
        for _ in range(3):
            step(ids, position)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(ids, position)
        return graph

    def microseconds(graph):
        times = []
        for _ in range(60):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(20):
                graph.replay()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - start) / 20 * 1e6)
        return sorted(times)[30]

    said = f"torch.compile {args.dtype} batch {B} layers {L}"
    if args.positions:
        graph = captured(ids, position)
        for p in args.positions:
            position.fill_(p)
            print(f"{said} position {p}: {microseconds(graph):.1f} us a token", flush=True)
    for n in args.prompts:
        prompt = torch.randint(0, V, (B, n), device=args.device)
        positions = torch.arange(n, device=args.device)
        print(f"{said} prompt of {n}: {microseconds(captured(prompt, positions)):.1f} us", flush=True)
