# SPDX-License-Identifier: Apache-2.0
"""Writes minilm.json: token ids and sentence embeddings of all-MiniLM-L6-v2 by transformers, in fp32 on the CPU.

    python tests/golden/make_minilm_golden.py --model DIR [--out FILE]

Needs transformers and torch, and the folder that examples/minilm/fetch.sh wrote.
"""

import argparse
import importlib.metadata
import json
import os
import sys

import torch
from transformers import AutoModel, AutoTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../examples/minilm"))
from compare import MOST_TOKENS, SENTENCES, embedded  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--out", default=os.path.join(HERE, "minilm.json"))
arguments = parser.parse_args()

tokenizer = AutoTokenizer.from_pretrained(arguments.model, local_files_only=True)
model = AutoModel.from_pretrained(arguments.model, local_files_only=True, dtype=torch.float32).eval()
tokens = tokenizer(SENTENCES, padding=True, truncation=True, max_length=MOST_TOKENS, return_tensors="pt")
ids = [line[mask].tolist() for line, mask in zip(tokens["input_ids"], tokens["attention_mask"].bool())]
embeddings = [[float(f"{x:.8g}") for x in line] for line in embedded(model, tokens).tolist()]
with open(arguments.out, "w", encoding="utf-8") as f:
    json.dump({"transformers": importlib.metadata.version("transformers"),
               "torch": importlib.metadata.version("torch"), "ids": ids, "embeddings": embeddings},
              f, separators=(",", ":"))
    f.write("\n")
