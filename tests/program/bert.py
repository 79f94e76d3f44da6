# SPDX-License-Identifier: Apache-2.0
"""A tiny sentence encoder of BERT's form and its embeddings, in plain Python and double, by the standard library alone.

bert.py make DIR [PREFIX]       writes config.json and model.safetensors, whose tensors are named PREFIX…
bert.py check DIR IDS LINES     compares the lines that the program printed with the embeddings of the same token ids:
                                exits with 1 where a relative error in the L2 norm is more than 1e-5
bert.py ids GOLDEN              prints the token ids of tests/golden/minilm.json, a line a sentence
bert.py golden GOLDEN LINES     compares the lines with its embeddings, as `check` does
"""
import array
import json
import math
import random
import struct
import sys

CONFIG = {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12,
          "hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 96,
          "max_position_embeddings": 24, "type_vocab_size": 2, "vocab_size": 50, "attention_probs_dropout_prob": 0.1,
          "hidden_dropout_prob": 0.1, "initializer_range": 0.02, "pad_token_id": 0, "use_cache": True,
          "transformers_version": "4.8.2", "_name_or_path": "tiny"}


def shapes(c):
    hidden, wide = c["hidden_size"], c["intermediate_size"]
    tables = {"word": "vocab_size", "position": "max_position_embeddings", "token_type": "type_vocab_size"}
    for name, rows in tables.items():
        yield f"embeddings.{name}_embeddings.weight", [c[rows], hidden]
    norms, linears = ["embeddings.LayerNorm"], []
    for i in range(c["num_hidden_layers"]):
        layer = f"encoder.layer.{i}."
        norms += [layer + "attention.output.LayerNorm", layer + "output.LayerNorm"]
        linears += [(layer + "attention." + name, hidden, hidden)
                    for name in ("self.query", "self.key", "self.value", "output.dense")]
        linears += [(layer + "intermediate.dense", wide, hidden), (layer + "output.dense", hidden, wide)]
    for name in norms:
        yield name + ".weight", [hidden]
        yield name + ".bias", [hidden]
    for name, n, k in linears + [("pooler.dense", hidden, hidden)]:     # the pooler is there, and not read
        yield name + ".weight", [n, k]
        yield name + ".bias", [n]


def make(folder, prefix=""):
    rng = random.Random(7)
    header, data = {"__metadata__": {"format": "pt"}}, b""
    ids = struct.pack("<24q", *range(24))   # as old files have them: integers of 64 bits, which no weight is
    header[prefix + "embeddings.position_ids"] = {"dtype": "I64", "shape": [1, 24], "data_offsets": [0, len(ids)]}
    data += ids
    for name, shape in shapes(CONFIG):
        mean = 1 if name.endswith("LayerNorm.weight") else 0
        spread = 0.2 if len(shape) == 1 else 2 / math.sqrt(shape[-1])
        values = array.array("f", (rng.gauss(mean, spread) for _ in range(math.prod(shape)))).tobytes()
        header[prefix + name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    with open(f"{folder}/model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)
    with open(f"{folder}/config.json", "w") as f:
        json.dump(CONFIG, f, indent=2)


def load(folder):
    with open(f"{folder}/model.safetensors", "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    header.pop("__metadata__")
    tensors = {}
    for name, t in header.items():
        if t["dtype"] != "F32":
            continue
        flat = array.array("f", data[slice(*t["data_offsets"])]).tolist()
        width = t["shape"][-1]
        rows = [flat[i:i + width] for i in range(0, len(flat), width)]
        tensors[name.removeprefix("bert.")] = rows if len(t["shape"]) == 2 else rows[0]
    with open(f"{folder}/config.json") as f:
        return json.load(f), tensors


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def embed(c, w, ids):
    def linear(name, x):
        return [[dot(row, v) + bias for row, bias in zip(w[name + ".weight"], w[name + ".bias"])] for v in x]

    def norm(name, x):
        out = []
        for v in x:
            mean = math.fsum(v) / len(v)
            deviation = math.sqrt(math.fsum((e - mean) ** 2 for e in v) / len(v) + 1e-12)
            out.append([(e - mean) / deviation * g + b for e, g, b in zip(v, w[name + ".weight"], w[name + ".bias"])])
        return out

    def add(*terms):
        return [[sum(e) for e in zip(*rows)] for rows in zip(*terms)]

    x = norm("embeddings.LayerNorm", add([w["embeddings.word_embeddings.weight"][i] for i in ids],
                                         w["embeddings.position_embeddings.weight"][:len(ids)],
                                         [w["embeddings.token_type_embeddings.weight"][0]] * len(ids)))
    d = c["hidden_size"] // c["num_attention_heads"]
    for i in range(c["num_hidden_layers"]):
        layer = f"encoder.layer.{i}."
        q, k, v = (linear(layer + "attention.self." + name, x) for name in ("query", "key", "value"))
        seen = [[] for _ in x]
        for head in range(0, c["hidden_size"], d):
            for row, query in zip(seen, q):
                p = [math.exp(dot(query[head:head + d], key[head:head + d]) / math.sqrt(d)) for key in k]
                row += [dot(p, column) / math.fsum(p) for column in list(zip(*v))[head:head + d]]
        h = norm(layer + "attention.output.LayerNorm", add(x, linear(layer + "attention.output.dense", seen)))
        wide = [[e / 2 * (1 + math.erf(e / math.sqrt(2))) for e in row]
                for row in linear(layer + "intermediate.dense", h)]
        x = norm(layer + "output.LayerNorm", add(h, linear(layer + "output.dense", wide)))
    mean = [math.fsum(column) / len(ids) for column in zip(*x)]
    length = math.sqrt(dot(mean, mean))
    return [e / length for e in mean]


def compare(sentences, expected, lines):
    with open(lines) as f:
        printed = f.read().splitlines()
    if len(sentences) != len(printed):
        sys.exit(f"{len(printed)} lines for {len(sentences)} sentences")
    for sentence, exact, line in zip(sentences, expected, printed):
        got = [float(x) for x in line.split()]
        difference = [x - y for x, y in zip(got, exact)]
        error = math.sqrt(dot(difference, difference) / dot(exact, exact))
        if len(got) != len(exact) or not error <= 1e-5:
            sys.exit(f"{sentence}: {len(got)} numbers, relative error {error:.2e}")


def check(folder, ids, lines):
    config, tensors = load(folder)
    with open(ids) as f:
        sentences = [[int(i) for i in line.split()] for line in f.read().splitlines()]
    compare(sentences, [embed(config, tensors, sentence) for sentence in sentences], lines)


def print_ids(golden):
    with open(golden) as f:
        for sentence in json.load(f)["ids"]:
            print(*sentence)


def check_golden(golden, lines):
    with open(golden) as f:
        expected = json.load(f)
    compare(expected["ids"], expected["embeddings"], lines)


if __name__ == "__main__":
    {"make": make, "check": check, "ids": print_ids, "golden": check_golden}[sys.argv[1]](*sys.argv[2:])
