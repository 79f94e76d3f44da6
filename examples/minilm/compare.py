#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares inlay-minilm with transformers: the same sentences, embedded by both in fp32 on the CPU.

    python3 examples/minilm/compare.py --model DIR --program build/release/bin/inlay-minilm [SENTENCE...]
    python3 examples/minilm/compare.py --model DIR --ids FILE [SENTENCE...]     only writes the token ids

Needs transformers and torch. Prints the relative error of each sentence in the L2 norm; the exit status is 1 when one
is more than 1e-5.
"""

import argparse
import subprocess
import sys
import tempfile

import torch
from transformers import AutoModel, AutoTokenizer

SENTENCES = [
    "This is an example sentence.",
    "Each sentence is converted",
    "A lighthouse at night.",
    "Der Leuchtturm leuchtet auch nachts über dem Meer, und niemand weiß, für wen.",
    "x",
    "Kernels are types: what a layer computes is written once, as plain mathematics, and the compiler finds the "
    "kernels that compute it with the fewest passes over memory, so that nothing between them is stored which need "
    "not be. " * 5,
]
MOST_TOKENS = 256  # of sentence_bert_config.json


def embedded(model, tokens):
    """sentence-transformers' pipeline for this model: the mean of all tokens but padding, scaled to length 1."""
    with torch.no_grad():
        hidden = model(**tokens).last_hidden_state
    mask = tokens["attention_mask"].unsqueeze(-1).to(hidden.dtype)
    mean = (hidden * mask).sum(1) / mask.sum(1)
    return torch.nn.functional.normalize(mean, dim=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder that examples/minilm/fetch.sh wrote")
    parser.add_argument("--program", help="inlay-minilm")
    parser.add_argument("--ids", help="file for the token ids, a line a sentence")
    parser.add_argument("sentences", nargs="*", default=SENTENCES)
    arguments = parser.parse_args()
    if not arguments.program and not arguments.ids:
        parser.error("--program or --ids is needed")

    tokenizer = AutoTokenizer.from_pretrained(arguments.model, local_files_only=True)
    limits = {"truncation": True, "max_length": MOST_TOKENS}
    ids = tokenizer(arguments.sentences, **limits)["input_ids"]
    file = open(arguments.ids, "w") if arguments.ids else tempfile.NamedTemporaryFile("w", suffix=".txt")
    with file:
        file.writelines(" ".join(map(str, line)) + "\n" for line in ids)
        file.flush()
        if not arguments.program:
            return 0
        command = [arguments.program, "--model", arguments.model, "--ids", file.name]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    ours = torch.tensor([[float(number) for number in line.split()] for line in lines], dtype=torch.float64)

    model = AutoModel.from_pretrained(arguments.model, local_files_only=True, dtype=torch.float32).eval()
    tokens = tokenizer(arguments.sentences, padding=True, return_tensors="pt", **limits)
    theirs = embedded(model, tokens).double()
    if ours.shape != theirs.shape:
        print(f"{list(ours.shape)} numbers came, expected {list(theirs.shape)}")
        return 1
    errors = (ours - theirs).norm(dim=1) / theirs.norm(dim=1)
    for sentence, line, error in zip(arguments.sentences, ids, errors.tolist()):
        print(f"{error:.2e}  {len(line):4d} tokens  {sentence[:60]}")
    exact = embedded(model.double(), tokens)
    print(f"largest {errors.max():.2e}, expected at most 1e-05; from transformers in fp64 "
          f"{(ours - exact).norm(dim=1).max():.2e}, transformers' own in fp32 {(theirs - exact).norm(dim=1).max():.2e}")
    return 0 if errors.max() <= 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
