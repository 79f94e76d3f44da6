# SPDX-License-Identifier: Apache-2.0
"""The problems of attention that bench/cuda/attention has: their operands, masks and scores in PyTorch, and some rows
of their results in double."""

import math

try:
    import torch
except ImportError:  # names can be listed without
    torch = None

SOFTCAP, WINDOW, SINKS = 20, 1024, 4
CHECKED_ROWS = 48


class Row:
    """batch, heads, key heads, queries, keys, d; masks and scores as FlexAttention takes them."""

    def __init__(self, kind, extents, dtype="bf16", page=0, name=None):
        self.kind, self.page, self.dtype_name = kind, page, dtype
        self.b, self.h, self.hk, self.sq, self.sk, self.d = extents
        self.name = name or f"attention/{kind}{page or ''}/{'x'.join(map(str, extents))}/{dtype}"
        self.peers = {}

    @property
    def dtype(self):
        return {"fp16": torch.float16, "bf16": torch.bfloat16}[self.dtype_name]

    def randn(self, *extents):
        return torch.randn(*extents, device="cuda", dtype=self.dtype)

    def inputs(self):
        """Queries, keys and values as [B, heads, S, D], in memory as [B, S, heads, D]."""
        tokens = lambda s, h: self.randn(self.b, s, h, self.d).transpose(1, 2)
        return [tokens(self.sq, self.h), tokens(self.sk, self.hk), tokens(self.sk, self.hk)]

    def mask(self):
        """mask_mod, or None."""
        if self.kind in ("full", "decode", "mla") or self.kind.startswith("paged"):
            return None
        if self.kind == "window":
            return lambda b, h, q, k: (q >= k) & (q - k < WINDOW)
        if self.kind == "documents":
            ids = document_ids(self.b, self.sk)
            return lambda b, h, q, k: (q >= k) & (ids[b, q] == ids[b, k])
        if self.kind == "prefix":
            return lambda b, h, q, k: (k < self.sk // 4) | (q >= k)
        if self.kind == "sink_window":
            return lambda b, h, q, k: (q >= k) & ((k < SINKS) | (q - k < WINDOW))
        return lambda b, h, q, k: q + (self.sk - self.sq) >= k  # a function: FlexAttention takes no method

    def score(self):
        """score_mod of a score that is scaled, or None."""
        if self.kind in ("softcap", "window"):
            return lambda s, b, h, q, k: SOFTCAP * torch.tanh(s / SOFTCAP)
        if self.kind == "alibi":
            slopes = torch.exp2(-8 * torch.arange(1, self.h + 1, device="cuda") / self.h)
            return lambda s, b, h, q, k: s - slopes[h] * (q - k)
        return None

    def expected(self, inputs, b, h, queries):
        """Some rows in double: [queries, d]."""
        q, k, v = (x[b, h // (self.h // x.shape[1])].double() for x in inputs)
        s = q[queries] @ k.T / math.sqrt(self.d)
        at = lambda n: torch.full((), n, device="cuda")
        qi, ki = queries[:, None], torch.arange(self.sk, device="cuda")[None, :]
        if self.score():
            s = self.score()(s, at(b), at(h), qi, ki)
        if self.mask():
            s = s.masked_fill(~self.mask()(at(b), at(h), qi, ki), -math.inf)
        return torch.softmax(s, -1) @ v

    def error(self, out, inputs):
        """Relative L2 distance from double of the rows that bench/cuda/attention/check.hpp takes; out: [B, H, S, D]."""
        d2, y2 = 0.0, 0.0
        for i in range(CHECKED_ROWS):
            row = (i * 0x9E3779B97F4A7C15) % 2**64 % (self.b * self.h * self.sq)
            b, q, h = row // self.h // self.sq, row // self.h % self.sq, row % self.h
            y = self.expected(inputs, b, h, torch.tensor([q], device="cuda"))[0]
            d2 += (out[b, h, q].double() - y).square().sum().item()
            y2 += y.square().sum().item()
        return math.sqrt(d2 / y2)


class Paged(Row):
    """Keys and values in pages [pages, page, heads, D], a table [B, n] of each; expected() sees them gathered."""

    def __init__(self, kind, key_heads, page):
        super().__init__(kind, (64, 32, key_heads, 1, 2048, 128), page=page)

    def tables(self):
        generator = torch.Generator().manual_seed(1)
        per = self.sk // self.page
        k = torch.randperm(self.b * per, generator=generator).view(self.b, per)
        if self.kind == "paged_shared":
            k[1::2, : per // 2] = k[0::2, : per // 2]
        v = torch.randperm(self.b * per, generator=generator).view(self.b, per) if self.kind == "paged_tables" else k
        return k.cuda(), v.cuda()

    def inputs(self):
        pool = lambda: self.randn(self.b * self.sk // self.page, self.page, self.hk, self.d)
        return [self.randn(self.b, 1, self.h, self.d).transpose(1, 2), pool(), pool()]

    def gathered(self, q, k, v, tables):
        whole = lambda x, t: x[t].reshape(self.b, self.sk, self.hk, self.d).transpose(1, 2)
        return q, whole(k, tables[0]), whole(v, tables[1])

    def error(self, out, inputs):
        return super().error(out, self.gathered(*inputs, self.tables()))


class Latent(Row):
    """MLA, absorbed: one key head of 576, of which the first 512 columns are the values."""

    def __init__(self):
        super().__init__("mla", (64, 128, 1, 1, 4096, 576))

    def inputs(self):
        return [self.randn(self.b, self.h, self.d), self.randn(self.b, self.sk, self.d)]

    def error(self, out, inputs):
        q, kv = inputs
        kv = kv[:, None]
        return super().error(out[:, :, None], [q[:, :, None], kv, kv[..., :512]])


class Rotary(Row):
    """Causal, with Q and K turned by the angles of bench/cuda/attention/rotary.cu."""

    def __init__(self, key_heads):
        super().__init__("rotary", (8, 32, key_heads, 2048, 2048, 128))

    def tables(self):
        """Cosines and sines of positions, [S, D] each, every angle twice."""
        rates = 10000.0 ** (-torch.arange(64, dtype=torch.float64) / 64)
        angles = (torch.arange(self.sk, dtype=torch.float64)[:, None] * rates).repeat(1, 2)
        return [f(angles).to(device="cuda", dtype=self.dtype) for f in (torch.cos, torch.sin)]

    def expected(self, inputs, b, h, queries):
        tables = [x.double() for x in self.tables()]
        q, k, v = inputs
        k = turned(k[b, h // (self.h // self.hk)].double(), *tables)[None, None]
        q = turned(q[b, h].double(), *tables)[None, None]
        return super().expected([q, k, v[b, h // (self.h // self.hk)][None, None]], 0, 0, queries)


def turned(x, cosines, sines):
    a, b = x.chunk(2, -1)
    return x * cosines + torch.cat((-b, a), -1) * sines


def document_ids(batch, n):
    """Those of bench/cuda/attention/blocks.cu."""
    random, rows = 1, []
    for _ in range(batch):
        row, document = [], 0
        while len(row) < n:
            random = (random * 1103515245 + 12345) & 0x7FFFFFFF
            row += [document] * (100 + (random >> 8) % 901)
            document += 1
        rows.append(row[:n])
    return torch.tensor(rows, device="cuda")
