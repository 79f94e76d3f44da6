# SPDX-License-Identifier: Apache-2.0
"""Writes added_tokens.json: tokenizers with special and added tokens, and the ids that transformers' CLIPTokenizer
gives.

    python tests/golden/make_added_tokens_golden.py MERGES [--out FILE]

MERGES is the list that openai/CLIP publishes as bpe_simple_vocab_16e6.txt.gz; it is read, not stored.

    cases: {base, files, single, texts, ids, decoded}. `base` is `bytes` (tiny-sd's tokenizer, no merges) or `clip`;
        `files` are put into its folder; with `single` (`beside` or `alone`) vocabulary and merges stand in a
        tokenizer.json, whose `added_tokens` are `single_tokens`, and vocab.json and merges.txt stay there or not.
        `ids` are those of each text, without start and end; `decoded` is what they spell.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import tempfile

import tokenizers
import transformers
from transformers import CLIPTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
TINY = os.path.join(HERE, "tiny-sd", "tokenizer")
BOS, EOS = "<|startoftext|>", "<|endoftext|>"
FLAGS = ("normalized", "single_word", "lstrip", "rstrip")
CONTENTS = [
    "<cat-toy>", "sks", "SKS", "Zwx", "\u00c5ngstr\u00f6m", "e\u0301x", "cat toy", " lead", "trail ", "\u65e5\u672c", "<a", "<ab>", "ab",
    "b", "_y", "*", "#1", "\u0130x", "don't", "'s", "\U0001f98a", "x1", "<|new|>", "</w>", "\u0120z", "\u00e9 z", "cat\ttoy", "A",
]
GLUE = ["", " ", "  ", "\t", "\u3000", "\n", "_", "-", "x", "7", "\u0301", ".", "\u200d", "\u24d0", "\u00e9", "'", "\u00a0", "\u2028", "Q"]


def token(content, **flags):
    return {"content": content} | {f: False for f in FLAGS} | {"special": False} | flags


def texts(rng, contents, n):
    out = ["", " ".join(contents), "".join(contents), "".join(contents).upper(), "".join(contents).lower()]
    for _ in range(n):
        pieces = []
        for _ in range(rng.randint(1, 6)):
            content = rng.choice(contents + ["a photo of", "fox", BOS, EOS])
            pieces += [rng.choice([content, content, content.upper(), content.lower(), content[:-1]]), rng.choice(GLUE)]
        out.append(rng.choice(GLUE) + "".join(pieces))
    return list(dict.fromkeys(out))


def decoder(size, tokens):
    known = {str(size - 2): token(BOS, special=True), str(size - 1): token(EOS, special=True)}
    return known | {str(size + i): t for i, t in enumerate(tokens)}


def cases(rng):
    """Each form of the files once by hand, then random flags."""
    def case(tokens, files, base="bytes", single=None, single_tokens=(), n=12):
        return {"base": base, "files": files, "single": single, "single_tokens": list(single_tokens),
                "texts": texts(rng, tokens, n)}

    with open(os.path.join(TINY, "tokenizer_config.json"), encoding="utf-8") as f:
        config = json.load(f)
    with open(os.path.join(TINY, "special_tokens_map.json"), encoding="utf-8") as f:
        special = json.load(f)
    inverted = {"<cat-toy>": 514, "sks": 515}
    flagged = token("<t>", lstrip=True, rstrip=True, normalized=True)
    yield case(["<cat-toy>", "sks"], {"added_tokens.json": inverted})
    yield case(["SKS", "<Cat>"], {"added_tokens.json": {"SKS": 515, "<Cat>": 514}})
    yield case(["<pad>"], {"added_tokens.json": {"<pad>": 514}, "special_tokens_map.json": special | {"pad_token": "<pad>"}})
    yield case([EOS], {"added_tokens.json": {EOS: 513, BOS: 512}})
    yield case(["b", "<x>"], {"tokenizer_config.json": config | {"additional_special_tokens": ["<x>", "b"]}})
    yield case(["<x>"], {"tokenizer_config.json": config | {"extra_special_tokens": ["<x>"]}})
    yield case(["a", "b"], {"tokenizer_config.json": config | {"mask_token": "a", "style_token": "b"}})
    yield case(["<t>", "<u>"], {}, single="beside", single_tokens=[{"id": 514} | flagged])
    yield case(["<t>", "<u>"], {}, single="alone", single_tokens=[{"id": 514} | flagged])
    yield case(["<t>", "<u>"], {"added_tokens.json": {"<u>": 515, "<t>": 514}}, single="alone",
               single_tokens=[{"id": 514} | flagged])
    modern = config | {"added_tokens_decoder": decoder(514, [token("<v>")])}
    yield case(["<v>", "<t>"], {"tokenizer_config.json": modern}, single="beside", single_tokens=[{"id": 514} | flagged])
    yield case(["<v>", "<u>"], {"tokenizer_config.json": modern, "added_tokens.json": {"<u>": 514}})
    yield case(["cat toy", "sks"], {"tokenizer_config.json": config | {"added_tokens_decoder": {
        "514": token("cat toy", normalized=True), "515": token("sks", single_word=True, special=True)}}})
    for base, size, count in (("bytes", 514, 40), ("clip", 49408, 10)):
        for _ in range(count):
            chosen = rng.sample(CONTENTS, rng.randint(1, 6))
            tokens = [token(c, **{f: rng.random() < 0.4 for f in FLAGS}) for c in chosen]
            # Two that are one after normalisation are found in no order that can be relied on.
            lower = [t["content"].lower().replace("\t", " ") for t in tokens if t["normalized"]]
            if len(set(lower)) < len(lower) or (base == "bytes" and {"A", "b", "*", "</w>"} & set(chosen)):
                continue
            if base == "clip" and {"A", "b", "*", "'s", "#1", "ab"} & set(chosen):
                continue
            yield case(chosen, {"tokenizer_config.json": config | {"added_tokens_decoder": decoder(size, tokens)}}, base)


def write_clip(folder, merges):
    symbols = list(dict.fromkeys(
        [chr(b) for b in (*range(33, 127), *range(161, 173), *range(174, 256))] + [chr(256 + i) for i in range(68)]))
    tokens = symbols + [s + "</w>" for s in symbols] + ["".join(m.split()) for m in merges] + [BOS, EOS]
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as f:
        json.dump({t: i for i, t in enumerate(tokens)}, f)
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as f:
        f.write("#version: 0.2\n" + "".join(m + "\n" for m in merges))


def answer(case, merges):
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "tokenizer")
        shutil.copytree(TINY, folder)
        if case["base"] == "clip":
            write_clip(folder, merges)
        for name, content in case["files"].items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                json.dump(content, f)
        if case["single"]:
            plain = CLIPTokenizer.from_pretrained(TINY)
            plain.backend_tokenizer.save(os.path.join(folder, "tokenizer.json"))
            with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as f:
                single = json.load(f)
            single["added_tokens"] = case["single_tokens"]
            with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as f:
                json.dump(single, f)
            if case["single"] == "alone":
                os.remove(os.path.join(folder, "vocab.json"))
                os.remove(os.path.join(folder, "merges.txt"))
        tokenizer = CLIPTokenizer.from_pretrained(folder)
        ids = [tokenizer(t, add_special_tokens=False).input_ids for t in case["texts"]]
        return case | {"size": len(tokenizer), "ids": ids, "decoded": [tokenizer.decode(i) for i in ids]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("merges", help="bpe_simple_vocab_16e6.txt.gz, or the same unpacked")
    parser.add_argument("--out", default=os.path.join(HERE, "added_tokens.json"))
    args = parser.parse_args()
    unpack = gzip.open if args.merges.endswith(".gz") else open
    with unpack(args.merges, "rt", encoding="utf-8") as f:
        merges = f.read().split("\n")[1 : 49152 - 256 - 2 + 1]
    result = {"transformers": transformers.__version__, "tokenizers": tokenizers.__version__,
              "cases": [answer(c, merges) for c in cases(random.Random(7))]}
    with open(args.out, "w", encoding="utf-8") as f:
        json.dump(result, f, separators=(",", ":"))
        f.write("\n")
    print(len(result["cases"]), "cases,", sum(len(c["texts"]) for c in result["cases"]), "texts")


if __name__ == "__main__":
    main()
