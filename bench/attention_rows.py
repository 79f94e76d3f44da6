# SPDX-License-Identifier: Apache-2.0
"""The rows of attention and their peers in PyTorch, by the names that bench/cuda/attention has.

As a program it is a worker of bench/attention_torch.py: pairs [row, peer] come in, a line each; for each it says that
it begins, then the peer's time and its distance from fp64, or why there is none. --warm runs each once, untimed.
"""

import importlib.util
import json
import math
import os
import re
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError:  # names can be listed without
    torch = None

SOFTCAP, WINDOW, SINKS = 20, 1024, 4
CHECKED_ROWS = 48
LANGUAGE, LONG = (8, 32, 32, 2048, 2048, 128), (2, 32, 32, 8192, 8192, 128)


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
        """Relative L2 distance from double of the rows that bench/cuda/attention/check.hpp takes; out is [B, H, S, D]."""
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


def turned_sdpa(row):
    cosines, sines = row.tables()

    def run(q, k, v):
        q, k = turned(q, cosines, sines), turned(k, cosines, sines)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=row.h != row.hk)

    return torch.compile(run, dynamic=False)


def turned_flex(row):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    cosines, sines = row.tables()
    blocks = create_block_mask(row.mask(), None, None, row.sq, row.sk, device="cuda")

    def run(q, k, v):
        q, k = turned(q, cosines, sines), turned(k, cosines, sines)
        return flex_attention(q, k, v, block_mask=blocks, enable_gqa=row.h != row.hk)

    return torch.compile(run, dynamic=False)


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


def sdpa(kernel):
    def make(row):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        backend = getattr(SDPBackend, kernel)

        def run(q, k, v):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(
                    q, k, v, is_causal=row.kind == "causal", enable_gqa=row.h != row.hk
                )

        return run

    return make


def heads_first(make):
    """The same with operands in memory as [B, heads, S, D]."""

    def of(row):
        return make(row)

    of.inputs = lambda row: [x.contiguous() for x in row.inputs()]
    return of


def flex(row):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    blocks = row.mask() and create_block_mask(
        row.mask(), row.b if row.kind == "documents" else None, None, row.sq, row.sk, device="cuda"
    )
    score, compiled = row.score(), torch.compile(flex_attention, dynamic=False)
    return lambda q, k, v: compiled(q, k, v, score_mod=score, block_mask=blocks, enable_gqa=row.h != row.hk)


def plain_softmax(q, k, v):
    """[B, heads, 1, D] over the keys of a group, by products and a softmax."""
    b, h, _, d = q.shape
    s = torch.einsum("bgrd,bgkd->bgrk", q.view(b, k.shape[1], -1, d), k) / math.sqrt(d)
    p = torch.softmax(s.float(), -1).to(v.dtype)
    return torch.einsum("bgrk,bgkd->bgrd", p, v).reshape(b, h, 1, d)


def gathered(attend):
    def make(row):
        tables = row.tables()
        return torch.compile(lambda q, k, v: attend(*row.gathered(q, k, v, tables)), dynamic=False)

    return make


def gathered_sdpa(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=q.shape[1] != k.shape[1])


def latent_plain(row):
    scale = 1 / math.sqrt(row.d)

    def run(q, kv):
        s = torch.einsum("bhd,bkd->bhk", q, kv) * scale
        return torch.einsum("bhk,bkd->bhd", torch.softmax(s.float(), -1).to(kv.dtype), kv[..., :512])

    return torch.compile(run, dynamic=False)


def latent_sdpa(row):
    def run(q, kv):
        keys = kv[:, None]
        y = F.scaled_dot_product_attention(q.unsqueeze(2), keys, keys[..., :512], enable_gqa=True)
        return y.squeeze(2)

    return torch.compile(run, dynamic=False)


def workspace():
    return torch.empty(256 << 20, dtype=torch.uint8, device="cuda")


def int32(x):
    return x.to(device="cuda", dtype=torch.int32)


def flashinfer_prefill(row):
    """FA3 of FlashInfer over ragged sequences."""
    import flashinfer

    wrapper = flashinfer.BatchPrefillWithRaggedKVCacheWrapper(workspace(), "NHD", backend="fa3")
    ends = int32(torch.arange(row.b + 1) * row.sq)
    wrapper.plan(
        ends, ends, row.h, row.hk, row.d, causal=row.kind == "causal", q_data_type=row.dtype, kv_data_type=row.dtype
    )
    flat = lambda x: x.transpose(1, 2).reshape(-1, x.shape[1], row.d)
    return lambda q, k, v: wrapper.run(flat(q), flat(k), flat(v)).view(row.b, row.sq, row.h, row.d).transpose(1, 2)


def flashinfer_decode(tensor_cores):
    def make(row):
        import flashinfer

        page = row.page or 16
        per = row.sk // page
        if row.kind == "paged_tables":
            raise RuntimeError("FlashInfer has one table for keys and values")
        table = row.tables()[0] if row.page else torch.arange(row.b * per, device="cuda")
        ends, last = int32(torch.arange(row.b + 1) * per), int32(torch.full((row.b,), page))
        ids = int32(table.reshape(-1))
        wrapper = flashinfer.BatchDecodeWithPagedKVCacheWrapper(
            workspace(),
            "NHD",
            use_cuda_graph=True,
            use_tensor_cores=tensor_cores,
            paged_kv_indptr_buffer=ends.clone(),
            paged_kv_indices_buffer=ids.clone(),
            paged_kv_last_page_len_buffer=last.clone(),
        )
        wrapper.plan(ends, ids, last, row.h, row.hk, row.d, page, q_data_type=row.dtype, kv_data_type=row.dtype)

        def run(q, k, v):
            if not row.page:  # the cache as it lies, in pages one behind the other
                k, v = (x.transpose(1, 2).view(row.b * per, page, row.hk, row.d) for x in (k, v))
            return wrapper.run(q.view(row.b, row.h, row.d), (k, v)).unsqueeze(2)

        return run

    return make


def flashinfer_latent(row):
    import flashinfer

    page = 64
    per = row.sk // page
    wrapper = flashinfer.mla.BatchMLAPagedAttentionWrapper(workspace(), backend="fa3")
    wrapper.plan(
        int32(torch.arange(row.b + 1)),
        int32(torch.arange(row.b + 1) * per),
        int32(torch.arange(row.b * per)),
        int32(torch.full((row.b,), row.sk)),
        row.h,
        512,
        64,
        page,
        False,
        1 / math.sqrt(row.d),
        row.dtype,
        row.dtype,
    )

    def run(q, kv):
        pages = kv.view(row.b * per, page, row.d)
        return wrapper.run(q[..., :512], q[..., 512:], pages[..., :512], pages[..., 512:])

    return run


CUDNN, FA2 = sdpa("CUDNN_ATTENTION"), sdpa("FLASH_ATTENTION")
FLASHINFER = {"FlashInfer": flashinfer_decode(False), "FlashInfer by matrix units": flashinfer_decode(True)}


def all_rows():
    for kind in ("full", "causal"):
        for dtype in ("fp16", "bf16"):
            b, h, _, sq, sk, d = LANGUAGE
            row = Row(kind, LANGUAGE, dtype, name=f"attention/{kind}/{b}x{h}x{sq}x{sk}x{d}/{dtype}")
            row.peers = {"cuDNN by torch": CUDNN, "FA2": FA2, "FlashInfer's FA3": flashinfer_prefill}
            if kind == "causal":
                row.peers["FlexAttention"] = flex
            yield row
    for d in (64, 96, 128, 256):
        h = 16 if d == 256 else 32
        for n in (512, 1024, 2048, 4096, 8192, 16384):
            b = 16384 // n
            name = f"attention/causal/{b}x{h}x{n}x{n}x{d}/bf16"
            if (n, d) != (2048, 128):
                row = Row("causal", (b, h, h, n, n, d), name=name)
                row.peers = {"cuDNN by torch": CUDNN, "FA2": FA2}
                yield row
    for kind, extents in [("softcap", LANGUAGE), ("window", (8, 32, 4, 2048, 2048, 128))] + [
        (kind, extents)
        for kind in ("alibi", "documents", "prefix", "sink_window")
        for extents in ((LONG,) if kind == "sink_window" else (LANGUAGE, LONG))
    ]:
        row = Row(kind, extents)
        row.peers = {"FlexAttention": flex}
        yield row
    for hk in (32, 8, 4):
        for dtype in ("bf16", "fp16"):
            row = Row("decode", (64, 32, hk, 1, 2048, 128), dtype)
            row.peers = {"cuDNN by torch": CUDNN, "cuDNN by torch, heads first": heads_first(CUDNN), "FA2": FA2}
            if dtype == "bf16":
                row.peers |= {"FlexAttention": flex, **FLASHINFER}
            yield row
    for hk, lengths in ((4, [1024 << i for i in range(8)]), (8, [4096, 131072])):
        for n in lengths:
            row = Row("decode", (1, 32, hk, 1, n, 128))
            row.peers = {"cuDNN by torch": CUDNN, "cuDNN by torch, heads first": heads_first(CUDNN), "FA2": FA2}
            row.peers |= FLASHINFER
            yield row
    for hk in (32, 4):
        for kind, page in (("paged", 1), ("paged", 16), ("paged", 64), ("paged_tables", 16), ("paged_shared", 16)):
            row = Paged(kind, hk, page)
            row.peers = {"torch.compile": gathered(gathered_sdpa), "torch.compile, plain": gathered(plain_softmax)}
            row.peers |= FLASHINFER
            yield row
    for hk in (32, 8):
        row = Rotary(hk)
        row.peers = {"torch.compile, SDPA": turned_sdpa, "FlexAttention": turned_flex}
        yield row
    row = Latent()
    row.peers = {"torch.compile": latent_plain, "torch.compile, SDPA": latent_sdpa}
    row.peers["FlashInfer's FA3"] = flashinfer_latent
    yield row


ROWS = {row.name: row for row in all_rows()}


def peers_of(name):
    return list(ROWS[name].peers)


def compiling(names, peers):
    """Pairs that start a compiler; of FlashInfer's one for each kernel that it compiles."""
    pairs, seen = [], set()
    for name in names:
        row = ROWS[name]
        for peer in row.peers:
            kernel = (row.sq > 1, peer, row.d, row.dtype_name) if "FlashInfer" in peer else (name, peer)
            compiles = "FlashInfer" in peer or "compile" in peer or "Flex" in peer
            if compiles and re.search(peers, peer) and kernel not in seen and row.kind != "paged_tables":
                seen.add(kernel)
                pairs.append((name, peer))
    return sorted(pairs, key=lambda pair: "FlashInfer" not in pair[1])  # the slow ones first


def libraries():
    found = {"PyTorch": torch.__version__} if torch else {}
    spec = importlib.util.find_spec("flashinfer")
    if spec and spec.origin:  # its import would take seconds
        meta = os.path.join(os.path.dirname(spec.origin), "_build_meta.py")
        if os.path.exists(meta):
            with open(meta) as f:
                found["FlashInfer"] = (re.findall(r'__version__ = "([^"]+)"', f.read()) or ["unknown"])[0]
    return found


def sentence(e):
    lines = [line.strip() for line in str(e).splitlines() if line.strip()]
    return f"{type(e).__name__}: {lines[0] if lines else ''}"[:200]


def main():
    import compare

    warm = "--warm" in sys.argv
    torch._dynamo.config.recompile_limit = 1000
    torch.manual_seed(0)
    say = lambda **what: print(json.dumps(what), flush=True)
    with torch.no_grad():
        for line in sys.stdin:
            name, peer = json.loads(line)
            row = ROWS[name]
            say(begin=[name, peer])
            torch._dynamo.reset()
            try:
                make = row.peers[peer]
                operands = lambda: make.inputs(row) if hasattr(make, "inputs") else row.inputs()
                inputs, run = operands(), make(row)
                out = run(*inputs)
                if warm:
                    continue
                error = row.error(out, inputs)
                del out, inputs
                us = compare.microseconds(run, operands)
                say(peers=float(f"{us:.5g}"), errors=float(f"{error:.3g}"))
            except Exception as e:
                say(failures=sentence(e))
                if "CUDA error" in str(e):  # nothing works in this process any more
                    sys.exit(3)
            finally:
                run = out = inputs = None
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
