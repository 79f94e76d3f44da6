# SPDX-License-Identifier: Apache-2.0
"""The rows of attention by the names that bench/cuda/attention has, and the peers of each."""

import re

from attention_peers import (
    CUDNN,
    FA2,
    FLASHINFER,
    flashinfer_latent,
    flashinfer_prefill,
    flex,
    gathered,
    gathered_sdpa,
    heads_first,
    latent_plain,
    latent_sdpa,
    plain_softmax,
    turned_flex,
    turned_sdpa,
)
from attention_problems import Latent, Paged, Rotary, Row

LANGUAGE, LONG = (8, 32, 32, 2048, 2048, 128), (2, 32, 32, 8192, 8192, 128)


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
