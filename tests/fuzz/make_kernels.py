#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes translation units that run random expressions in kernels, and check them against the double oracle.

    make_kernels.py --out DIR [--elementwise 160] [--linear 44] [--conv 36] [--units 12] [--seed 1] [--suffix .cu]

Expressions are those of make_expressions.py. Of those in matrix products, half are prologues and half epilogues, and
half of the prologues read through pieces (concat, pad, upsample). Sizes are ragged, batches are 3 as often as not,
images are not square. Storage types take turns. The same arguments always write the same files.
"""
import argparse
import math
import os
import random
import re

from make_expressions import SLOTS, Retry, Tree, fit_to_test, numbers

PIECEWISE = {"Concat", "Pad", "Upsample", "Upsample2x", "Dilate"}
TYPES = {"f32": "float", "f16": "fp16", "bf16": "bf16", "i32": "std::int32_t"}
STORAGE = ["fp16", "float", "bf16"]
SCHEDULES = ["Tiled<32, 32, 32, 2>", "Tiled<64, 64, 32, 3>", "Tiled<32, 32, 32, 2, 2>"]
# Of a Filter: rows, columns, stride, padding before and after.
WINDOWS = {"3": (3, 3, 1, 1, 1), "1": (1, 1, 1, 0, 0), "3, 3, 2, 0, 1": (3, 3, 2, 0, 1),
           "2, 3, 1, 1, 0": (2, 3, 1, 1, 0)}


def pick(rng, most, *choices):
    """Extents from these choices, of at most so many elements."""
    while True:
        e = tuple(rng.choice(c) for c in choices)
        if math.prod(e) <= most:
            return e


def any_extents(rng):
    sizes = [1, 2, 3, 3, 4, 6, 7, 8, 9, 12, 18, 33, 77]
    return pick(rng, 6000, *[sizes] * rng.randint(1, 5))


def rows(rng):
    lead = [[1, 3, 3], [1, 2, 5]][: rng.randint(0, 2)]
    return pick(rng, 6000, *lead, [1, 3, 9, 21, 35, 77], [1, 5, 8, 12, 16, 24, 33, 40, 70])


def image(rng):
    while True:
        e = pick(rng, 4000, [1, 2, 3, 3], [2, 3, 4, 6, 7, 9], [2, 3, 5, 6, 8, 12], [1, 3, 4, 8, 12, 16, 18, 24])
        if e[1] != e[2]:
            return e


def renumbered(node, tree, first):
    """The expression with its slots numbered from `first` and its scalars from 0, the slots and the scalars."""
    slots, scalars = [], []

    def slot(match):
        i = int(match[1])
        if i not in slots:
            slots.append(i)
        return f"Buf<{first + slots.index(i)}>"

    def scalar(match):
        i = int(match[2])
        if i not in scalars:
            scalars.append(i)
        return f"{match[1]}<{scalars.index(i)}>"

    text = re.sub(r"\bBuf<(\d+)>", slot, node.text)
    text = re.sub(r"\b([Pp]aram)<(\d+)>", scalar, text)
    described = [numbers(tree.slots[i]) + (f"<{tree.indices[i]}" if i in tree.indices else "") for i in slots]
    tensors = [f"Tensor<{TYPES[SLOTS[i][0]]}, {SLOTS[i][1]}>" for i in slots]
    return text, tensors, described, [tree.params[i] for i in scalars]


class Kernels:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.cases = []  # (declaration, call)
        self.seen = set()
        self.counts = {"piecewise": 0}

    def add(self, kind, root, frame, result, weight="none", weight_extents=(0,), operand=(), accept=None, **where):
        """Grows a tree for `frame`, which spells a kernel of it. `operand`: in slot 0, before those of the tree."""
        tree = Tree(self.rng, **where)
        try:
            node = tree.grow_at(root)
        except Retry:
            return
        text, tensors, described, scalars = renumbered(node, tree, 1 if operand else 0)
        if text in self.seen or not fit_to_test(node) or node.top > 3e4 or not accept(tree.used):
            return
        self.seen.add(text)
        name, storage = f"k{len(self.cases)}", STORAGE[len(self.cases) % 3]
        if operand:
            tensors.insert(0, f"Tensor<{storage}, {len(operand)}>")
            described.insert(0, numbers(operand))
        types = [name, f"Weight::{weight}", storage, str(len(result)), str(len(weight_extents)), *tensors]
        strings = [numbers(result), numbers(weight_extents), " ".join(described), " ".join(map(str, scalars))]
        values = [f'"{s}"' for s in strings] + [f"{node.error:.3g}", f"{node.top:.6g}"]
        self.cases.append((f"struct {name} : {frame(text)} {{}};\n",
                           f"    k.check<{', '.join(types)}>({{{', '.join(values)}}});\n"))
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.counts["piecewise"] += bool(tree.used & PIECEWISE)

    def until(self, count, kind, one):
        """Every other tree of a prologue reads through pieces, every epilogue reads its accumulator."""
        while (n := self.counts.get(kind, 0)) < count:
            if kind.endswith("prologue"):
                one(kind, lambda used: n % 2 or used & PIECEWISE)
            else:
                one(kind, lambda used: "Out" in used or kind == "elementwise")

    def schedule(self):
        return SCHEDULES[len(self.cases) // 3 % len(SCHEDULES)]

    def elementwise(self, kind, accept):
        root = any_extents(self.rng)
        self.add(kind, root, lambda e: f"Elementwise<{e}>", root, accept=accept, out=False)

    def linear_prologue(self, kind, accept):
        root, n = rows(self.rng), self.rng.choice([5, 8, 17, 33, 40])
        self.add(kind, root, lambda e: f"Linear<{e}, Out, Store<0>, {self.schedule()}>", root[:-1] + (n,), "dense",
                 (n, root[-1]), accept=accept, out=False)

    def linear_epilogue(self, kind, accept):
        root, k = rows(self.rng), self.rng.choice([5, 8, 17, 33, 70])
        frame = lambda e: f"Linear<Buf<0>, {e}, Store<0>, {self.schedule()}>"
        self.add(kind, root, frame, root, "sparse", (root[-1], k), root[:-1] + (k,), accept)

    def conv_prologue(self, kind, accept):
        root, o = image(self.rng), self.rng.choice([5, 8, 17, 24])
        window, (r, s, stride, before, after) = self.rng.choice(list(WINDOWS.items()))
        extent = lambda n, taps: (n + before + after - taps) // stride + 1
        out = (root[0], extent(root[1], r), extent(root[2], s), o)
        frame = lambda e: f"Conv2D<Filter<{window}>, {e}, Out, Store<0>, {self.schedule()}>"
        if min(out) > 0:
            self.add(kind, root, frame, out, "dense", (o, r, s, root[3]), accept=accept, out=False, channels_last=True)

    def conv_epilogue(self, kind, accept):
        root, c = image(self.rng), self.rng.choice([3, 8, 16, 18])
        frame = lambda e: f"Conv2D<Filter<3>, Buf<0>, {e}, Store<0>, {self.schedule()}>"
        self.add(kind, root, frame, root, "sparse", (root[3], 3, 3, c), root[:3] + (c,), accept, channels_last=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--elementwise", type=int, default=160)
    parser.add_argument("--linear", type=int, default=44)
    parser.add_argument("--conv", type=int, default=36)
    parser.add_argument("--units", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suffix", default=".cu")
    args = parser.parse_args()
    k = Kernels(args.seed)
    k.until(args.elementwise, "elementwise", k.elementwise)
    k.until(args.linear // 2, "linear prologue", k.linear_prologue)
    k.until(args.linear // 2, "linear epilogue", k.linear_epilogue)
    k.until(args.conv // 2, "conv prologue", k.conv_prologue)
    k.until(args.conv // 2, "conv epilogue", k.conv_epilogue)
    os.makedirs(args.out, exist_ok=True)
    for unit in range(args.units):
        cases = k.cases[unit::args.units]
        with open(os.path.join(args.out, f"kernels_{unit:02}{args.suffix}"), "w") as f:
            f.write("// Written by tests/fuzz/make_kernels.py.\n#include <fuzz/kernels.hpp>\n\nusing namespace inlay;\n"
                    f"using fuzz::Weight;\n\nnamespace {{\n\n{''.join(d for d, _ in cases)}\n"
                    f"TEST(RandomKernels, Unit{unit:02}) {{\n    fuzz::Kernels k;\n"
                    f"{''.join(c for _, c in cases)}}}\n\n}}\n")
    print(f"{len(k.cases)} kernels: " + ", ".join(f"{n} {kind}" for kind, n in k.counts.items()))


if __name__ == "__main__":
    main()
