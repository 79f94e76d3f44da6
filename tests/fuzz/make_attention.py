#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random attentions, each as an Inlay kernel and as functions of the plain loops of plain_attention.hpp.

    make_attention.py --out DIR [--kernels 100] [--shapes 4] [--units 8] [--seed 2] [--suffix .cpp] [--small]

A kernel is a random score, mask, row and second output, over several shapes: attention_terms.py draws them as types and
as C++ over doubles. Storage types, columns and the ways in which operands are written take turns. --small: shapes for
an emulator. The same arguments always write the same files.
"""
import argparse
import os
import random

from attention_terms import Attention, Decks

STORAGE = ["fp16", "float", "bf16"]
COLUMNS = [(64, 64), (40, 40), (32, 32), (128, 128), (64, 32), (80, 80), (24, 24), (48, 96), (96, 96), (33, 33)]
LENGTHS = [(1, 1), (0, 5), (7, 0), (1, 77), (17, 17), (65, 65), (64, 129), (33, 150), (90, 40), (129, 64), (3, 300),
           (70, 70), (16, 16), (2, 33)]
SMALL_LENGTHS = [(33, 150), (17, 70), (0, 5), (7, 0), (65, 33), (9, 140), (1, 1), (1, 200)]
HEADS = [(1, 2, 1), (2, 4, 2), (1, 8, 8), (3, 1, 1), (1, 6, 3), (1, 1, 1)]
SMALL_HEADS = [(1, 2, 1), (1, 2, 2), (2, 1, 1)]
OPERANDS = {"plain": "Buf<{}>", "across": "Permute<Buf<{}>, 0, 2, 1, 3>", "transposed": "Permute<Buf<{}>, 0, 1, 3, 2>",
            "halved": "Mul<Buf<{}>, Const<0.5>>", "exponential": "Exp<Buf<{}>>"}


def kernel(rng, decks, index, options):
    """The source of kernel number `index`."""
    storage = STORAGE[index % 3]
    d, dv = COLUMNS[index % len(COLUMNS)]
    a = Attention(rng, decks, d)
    condition, named_mask = a.condition() if rng.random() < 0.85 else (None, "mask::Full")
    score, named_score = a.score()
    row, weights = a.row()
    number = a.number() if rng.random() < 0.4 else None

    given, visible = [], "true"
    if condition:
        visible = condition.plain
        if rng.random() < 0.25:  # in the score
            named_score = None
            score = type(score)(f"Where<{condition.inlay}, {score.inlay}, HiddenScore>", score.plain)
        else:
            given.append(named_mask if named_mask and rng.random() < 0.7 else f"mask::If<{condition.inlay}>")
    given.append(named_score if named_score and rng.random() < 0.7 else f"score::Of<{score.inlay}>")
    given.append(row)
    result = "p.out"
    if number:
        given.append(f"RowStore<1, {number[0]}>")
    if dv != d:
        given.append(f"ValueColumns<{dv}>")
    if rng.random() < 0.2:
        by = a.slot("eighths", "c", rng.choice([1, 4]))
        given.append(f"Add<Out, {by.inlay}>")
        result = f"(p.out + {by.plain})"
    rng.shuffle(given)

    spelled = " ".join(given)
    assert all(f"Buf<{n + 3}>" in spelled for n in range(len(a.slots)))
    assert all(f"Param<{n}>" in spelled for n in range(len(a.scalars)))
    kinds = [rng.choice(["plain", "plain", "across", "halved"]), rng.choice(["plain", "plain", "across", "transposed"]),
             rng.choice(["plain", "plain", "across", "exponential"])]
    operands = ", ".join(OPERANDS[kind].format(n) for n, kind in enumerate(kinds))
    types = [f"k{index}", storage, str(d), str(dv), "true" if number else "false"]
    types += [f"Slot<{type}, {rank}>" for type, rank, _, _ in a.slots]
    slots = ", ".join(f'{{Content::{content}, "{axes}"}}' for _, _, content, axes in a.slots)
    lengths, heads = (SMALL_LENGTHS, SMALL_HEADS) if options.small else (LENGTHS, HEADS)
    shapes = []
    for n in range(options.shapes):
        sq, sk = lengths[(index * options.shapes + n) % len(lengths)]
        shapes.append("{" + ", ".join(map(str, (*rng.choice(heads), sq, sk))) + "}")
    return f"""
struct k{index} : Attention<{d}, {operands}, {", ".join(given)}> {{}};
TEST(RandomAttention, Kernel{index:03}) {{
    const plain::Definition definition = {{
        []([[maybe_unused]] const plain::Pair& p) -> bool {{ return {visible}; }},
        []([[maybe_unused]] const plain::Pair& p) -> double {{ return {score.plain}; }},
        []([[maybe_unused]] const plain::Row& r) -> std::vector<double> {{ {weights} }},
        []([[maybe_unused]] const plain::Pair& p) -> double {{ return {result}; }},
        {f"[]([[maybe_unused]] const plain::Row& r) -> double {{ {number[1]} }}" if number else "nullptr"}}};
    fuzz::Attention a(definition, {{{", ".join("fuzz::Operand::" + kind for kind in kinds)}}}, {{{slots}}},
                      {{{", ".join(map(str, a.scalars))}}});
    a.check<{", ".join(types)}>({{{", ".join(shapes)}}});
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--shapes", type=int, default=4)
    parser.add_argument("--units", type=int, default=8)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--suffix", default=".cpp")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    decks = Decks(rng)
    kernels = [kernel(rng, decks, n, args) for n in range(args.kernels)]
    os.makedirs(args.out, exist_ok=True)
    for unit in range(args.units):
        with open(os.path.join(args.out, f"attention_{unit:02}{args.suffix}"), "w") as f:
            f.write("// Written by tests/fuzz/make_attention.py.\n#include <fuzz/attention.hpp>\n\n"
                    "using namespace inlay;\nusing fuzz::Content;\nusing fuzz::Slot;\n\nnamespace {\n")
            f.writelines(kernels[unit::args.units])
            f.write("\n}\n")
    print(f"{args.kernels} kernels, {args.kernels * args.shapes} combinations")


if __name__ == "__main__":
    main()
