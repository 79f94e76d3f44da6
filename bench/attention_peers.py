# SPDX-License-Identifier: Apache-2.0
"""Peers of Inlay's attention: PyTorch's kernels, forms that torch.compile fuses, FlexAttention, FlashInfer. Each takes
a problem of attention_problems.py and makes a function of its operands."""

import importlib.util
import math
import os
import re

from attention_problems import turned

try:
    import torch
    import torch.nn.functional as F
except ImportError:  # names can be listed without
    torch = None


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


def libraries():
    found = {"PyTorch": torch.__version__} if torch else {}
    spec = importlib.util.find_spec("flashinfer")
    if spec and spec.origin:  # its import would take seconds
        meta = os.path.join(os.path.dirname(spec.origin), "_build_meta.py")
        if os.path.exists(meta):
            with open(meta) as f:
                found["FlashInfer"] = (re.findall(r'__version__ = "([^"]+)"', f.read()) or ["unknown"])[0]
    return found
