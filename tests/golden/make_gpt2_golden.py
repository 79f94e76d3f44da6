# SPDX-License-Identifier: Apache-2.0
"""Writes gpt2.json: logits and greedy tokens of a tiny GPT-2 in float64, by NumPy alone.

Weights are a function of their names and indices, which tests/model/gpt2/tiny.hpp has in C++. With --transformers the
same weights go through GPT2LMHeadModel in float64, whose logits and tokens must be those that NumPy found:

    python3 tests/golden/make_gpt2_golden.py [--transformers]
"""
import json
import pathlib
import sys

import numpy as np

CONFIG = dict(vocab_size=300, n_positions=96, n_embd=64, n_layer=2, n_head=2)
PROMPTS = [[7, 250, 3, 99, 181, 42, 299, 0, 17], [5], [128, 64, 32, 16, 8, 4, 2, 1, 200, 201, 202, 203, 204]]
TOKENS = 64


def weight(name, shape):
    """Uniform in [-s, s), plus 1 for the scales of norms."""
    h = 2166136261
    for c in name.encode():
        h = (h ^ c) * 16777619 % 2**32
    i = np.arange(np.prod(shape), dtype=np.uint64)
    x = (i * np.uint64(2654435761) + np.uint64(h)) & np.uint64(0xFFFFFFFF)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    u = (x >> np.uint64(8)).astype(np.float64) / 2**23 - 1  # exact in fp32
    norm = name.split(".")[-2].startswith("ln_")
    # Layers outweigh the token's own embedding, so that greedy tokens are not the last token again and again.
    scale = 0.25 if norm else {"wte.weight": 0.0625, "wpe.weight": 0.5}.get(name, 0.375)
    return (u * scale + (1 if norm and name.endswith("weight") else 0)).reshape(shape)


def names():
    c, v, p = CONFIG["n_embd"], CONFIG["vocab_size"], CONFIG["n_positions"]
    yield "wte.weight", (v, c)
    yield "wpe.weight", (p, c)
    for i in range(CONFIG["n_layer"]):
        for part, shape in (("ln_1", (c,)), ("attn.c_attn", (c, 3 * c)), ("attn.c_proj", (c, c)), ("ln_2", (c,)),
                            ("mlp.c_fc", (c, 4 * c)), ("mlp.c_proj", (4 * c, c))):
            yield f"h.{i}.{part}.weight", shape
            yield f"h.{i}.{part}.bias", shape[-1:]
    yield "ln_f.weight", (c,)
    yield "ln_f.bias", (c,)


W = {name: weight(name, shape) for name, shape in names()}


def norm(x, name):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * W[name + ".weight"] + W[name + ".bias"]


def linear(x, name):
    return x @ W[name + ".weight"] + W[name + ".bias"]


def logits(ids):
    n, heads = len(ids), CONFIG["n_head"]
    x = W["wte.weight"][ids] + W["wpe.weight"][:n]
    for i in range(CONFIG["n_layer"]):
        h = f"h.{i}."
        q, k, v = (t.reshape(n, heads, -1).swapaxes(0, 1)
                   for t in np.split(linear(norm(x, h + "ln_1"), h + "attn.c_attn"), 3, -1))
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
        s = np.where(np.tri(n, dtype=bool), s, -np.inf)
        p = np.exp(s - s.max(-1, keepdims=True))
        y = (p / p.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(n, -1)
        x = x + linear(y, h + "attn.c_proj")
        f = linear(norm(x, h + "ln_2"), h + "mlp.c_fc")
        g = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * (f + 0.044715 * f**3)))
        x = x + linear(g, h + "mlp.c_proj")
    return norm(x, "ln_f") @ W["wte.weight"].T


def greedy(of, prompt):
    ids, margin = list(prompt), np.inf
    for _ in range(TOKENS):
        last = of(ids)[-1]
        two = np.sort(last)[-2:]
        margin = min(margin, two[1] - two[0])
        ids.append(int(last.argmax()))
    return ids[len(prompt):], margin


def of_transformers():
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(**CONFIG)).double().eval()
    missing, unexpected = model.transformer.load_state_dict(
        {k: torch.tensor(v) for k, v in W.items()}, strict=False)
    assert not unexpected and all("attn.bias" in m or "masked_bias" in m for m in missing), (missing, unexpected)
    model.tie_weights()
    with torch.no_grad():
        return lambda ids: model(torch.tensor([ids])).logits[0].detach().numpy()


def main():
    rows = []
    for prompt in PROMPTS:
        tokens, margin = greedy(logits, prompt)
        assert margin > 1e-4, f"the greatest two logits of a step differ by {margin} alone: fp32 may take the other"
        rows.append(dict(prompt=prompt, tokens=tokens, logits=[float(f"{x:.9g}") for x in logits(prompt)[-1]]))
        print(f"{len(prompt)} tokens: least margin {margin:.4f}, {len(set(tokens))} different", file=sys.stderr)
    if "--transformers" in sys.argv:
        other = of_transformers()
        for row in rows:
            theirs = other(row["prompt"])[-1]
            error = np.linalg.norm(theirs - row["logits"]) / np.linalg.norm(theirs)
            assert error < 1e-8, f"logits differ from transformers' by {error}"
            assert greedy(other, row["prompt"])[0] == row["tokens"], "greedy tokens differ from transformers'"
        print("transformers agrees", file=sys.stderr)
    out = pathlib.Path(__file__).parent / "gpt2.json"
    out.write_text(json.dumps(dict(config=CONFIG, rows=rows), separators=(",", ":")) + "\n")


main()
