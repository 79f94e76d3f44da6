#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random kernels of every frame, their operands, and what NumPy computes from them in double.

    make_numpy_kernels.py --out DIR [--count 1000] [--units 16] [--seed 1] [--suffix .cpp]

Expressions are those of make_expressions.py, spelled as C++ types, and read back from that spelling by
numpy_expression.py. For each unit a source file and a file of operands, expected values and tolerances, which
numpy_kernels.hpp reads. A tolerance is a first-order bound of float's error through the expression and the frame;
what a 16-bit matrix engine or storage rounds is added where it is known, in numpy_kernels.hpp. Cases that are ill-conditioned
are drawn again. The same arguments always write the same files.
"""
import argparse
import math
import os

import numpy as np

from make_expressions import SLOTS, Retry, Tree, fit_to_test, numbers
from make_kernels import STORAGE, TYPES, WINDOWS, Kernels, any_extents, image, pick, renumbered, rows
from numpy_expression import Environment, parsed, patches, stored

SHORT = {cpp: short for short, cpp in TYPES.items()}
COARSE = {"Silu", "QuickGelu", "Gelu", "GeluTanh"}  # by one special function of a GPU where 16 bits are kept,
COARSE_ERROR = 1e-5  # which is off by at most this
BYTES = {"float": np.float32, "fp16": np.float16, "std::int32_t": np.int32}
FRAMES = ["elementwise", "softmax", "layernorm", "rmsnorm", "groupnorm", "reduce", "linear prologue", "linear epilogue",
          "conv prologue", "conv epilogue", "attention"]


def raw(x, cpp):
    """The bytes of x, whose values the storage type holds exactly."""
    if cpp == "bf16":
        return (np.asarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return np.asarray(x, BYTES[cpp]).tobytes()


def coarse_nodes(tree):
    """Each node of SiLU and GELU once."""
    found = []

    def visit(node):
        if isinstance(node, tuple):
            if node[0] in COARSE and node not in found:
                found.append(node)
            for child in node[1]:
                visit(child)

    visit(tree)
    return found


class Operands(Tree):
    """Where [B, C] does not broadcast over [B, H, W, C], it does not as an operand of [H, W, C] either."""

    def operand(self, extents):
        e = super().operand(extents)
        return extents if self.channels_last and len(e) == 2 else e


class Case:
    """A tree in one hole of a frame, its operands, and the kernel's value by NumPy."""

    def __init__(self, rng, kind, storage):
        self.rng, self.kind, self.storage = rng, kind, storage
        self.numpy = np.random.default_rng(rng.randrange(2 ** 32))
        self.operands = []  # (C++ type, extents, values), in the kernel's order

    def eighths(self, extents, top=32):
        return self.numpy.integers(-top, top, extents, endpoint=True) / 8

    def operand(self, extents, values):
        self.operands.append((self.storage, extents, values))
        return values

    def tree(self, root, first, **where):
        """Grows the expression; its tensors and scalars are drawn. Slots are numbered from `first`."""
        tree = Operands(self.rng, **where)
        node = tree.grow_at(root)
        if not fit_to_test(node) or node.top > 3e3 or len(node.text) > 260:
            raise Retry
        self.node = node
        self.used = tree.used
        self.text, tensors, described, self.scalars = renumbered(node, tree, first)
        self.slots = []
        for tensor, spec in zip(tensors, described):
            cpp, rank = tensor.removeprefix("Tensor<").removesuffix(">").split(", ")
            spec, _, index_rows = spec.partition("<")
            extents = tuple(int(n) for n in spec.split(",")) if spec else ()
            assert len(extents) == int(rank)
            if index_rows:
                values = self.numpy.integers(-2, int(index_rows) + 2, extents) * 1.0
            elif cpp == "std::int32_t":
                values = self.numpy.integers(-4, 4, extents, endpoint=True) * 1.0
            else:
                values = self.eighths(extents)
            self.slots.append((cpp, extents, values))

    def evaluated(self, root, first, before=(), out=None):
        tensors = [None] * first + [v for _, _, v in self.slots]
        tensors[:len(before)] = before
        tree = parsed(self.text)
        with np.errstate(over="ignore"):
            value = np.broadcast_to(Environment(tensors, self.scalars, out).value(tree, root), root).astype(float)
            for node in coarse_nodes(tree):
                for by in (COARSE_ERROR, -COARSE_ERROR):
                    moved = Environment(tensors, self.scalars, out, node, by).value(tree, root)
                    self.coarse += np.abs(np.broadcast_to(moved, root) - value).max() / 2
        return value

    # -- frames: each sets `declared`, `result`, `tolerance`, and `rounding`, the sum that a 16-bit engine's rounding scales

    def coarseness(self):
        """By how much the tolerance of a GPU that keeps 16 bits is larger, as each is linear in `error`, which grows."""
        return 1 + 2 * self.coarse / self.error()

    def error(self):
        return self.node.error + 1e-6 * self.node.top

    def elementwise(self):
        root = any_extents(self.rng)
        self.tree(root, 0, out=False)
        self.declared = f"Elementwise<{self.text}>"
        self.result = self.evaluated(root, 0)
        self.tolerance = np.full(root, self.error())

    def row_input(self):
        root = rows(self.rng)
        self.tree(root, 0, out=False)
        return self.evaluated(root, 0)

    def softmax(self):
        x = self.row_input()
        e = np.exp(x - x.max(-1, keepdims=True))
        self.declared = f"Softmax<{self.text}>"
        self.result = e / e.sum(-1, keepdims=True)
        self.tolerance = self.result * (2 * self.error() + 4e-6) + 1e-9

    def scaled(self, x, variance, gamma, beta, eps):
        """The normalised, scaled and shifted x, whose statistics have these extents."""
        scale = 1 / np.sqrt(variance + eps)
        if self.error() * scale.max() > 1e-3:
            raise Retry
        self.result = x * scale * gamma + beta
        self.tolerance = (3 * self.error() * scale * (1 + np.abs(x * scale)) + 4e-6 * np.abs(x * scale)) * np.abs(
            gamma) + 1e-6 * np.abs(beta) + 1e-7

    def layernorm(self):
        x = self.row_input()
        gamma = self.operand(x.shape[-1:], self.eighths(x.shape[-1:]))
        beta = self.operand(x.shape[-1:], self.eighths(x.shape[-1:]))
        centred = x - x.mean(-1, keepdims=True)
        self.declared = f"LayerNorm<{self.text}>"
        self.scaled(centred, (centred ** 2).mean(-1, keepdims=True), gamma, beta, 1e-5)

    def rmsnorm(self):
        x = self.row_input()
        gamma = self.operand(x.shape[-1:], self.eighths(x.shape[-1:]))
        self.declared = f"RMSNorm<{self.text}>"
        self.scaled(x, (x ** 2).mean(-1, keepdims=True), gamma, 0.0, 1e-6)

    def groupnorm(self):
        root = image(self.rng)
        c = root[3]
        groups = self.rng.choice([g for g in (1, 2, 3, 4, 8) if c % g == 0])
        self.tree(root, 0, out=False, channels_last=True)
        x = self.evaluated(root, 0)
        gamma, beta = (self.operand((c,), self.eighths((c,))) for _ in range(2))
        grouped = x.reshape(root[:3] + (groups, c // groups))
        centred = grouped - grouped.mean((1, 2, 4), keepdims=True)
        variance = np.broadcast_to((centred ** 2).mean((1, 2, 4), keepdims=True), centred.shape)
        self.declared = f"GroupNorm<{groups}, {self.text}>"
        self.scaled(centred.reshape(root), variance.reshape(root), gamma, beta, 1e-5)

    def reduce(self):
        root = any_extents(self.rng)
        over = sorted(self.rng.sample(range(len(root)), self.rng.randint(1, len(root))))
        self.tree(root, 0, out=False)
        x = self.evaluated(root, 0)
        op = self.rng.choice(["Sum", "Mean", "Max", "Min"])
        n = math.prod(root[a] for a in over)
        value = {"Sum": np.sum, "Mean": np.mean, "Max": np.max, "Min": np.min}[op](x, tuple(over), keepdims=True)
        spelled = ", ".join(str(a if self.rng.random() < 0.5 else a - len(root)) for a in over)
        self.declared = f"Reduce<reduction::{op}, Axes<{spelled}>, {self.text}>"
        self.result = value
        self.tolerance = np.full(value.shape, self.error() * (n if op == "Sum" else 1))

    def weight(self, extents):
        return self.operand(extents, self.eighths(extents, 4))

    def two_a_row(self, extents):
        """Two halves a row, so that each sum of two is exact, and no larger than its terms."""
        w = np.zeros((extents[0], math.prod(extents[1:])))
        for row in w:
            row[self.rng.randrange(len(row))] = 0.5
            row[self.rng.randrange(len(row))] = -0.5
        return self.operand(extents, w.reshape(extents))

    def product(self, x, w):
        self.result = x @ w.T
        weights = np.abs(w).sum(1)
        self.tolerance = np.broadcast_to(self.error() * weights + 1e-7, self.result.shape)
        self.rounding = float(weights.max() * self.node.top)

    def linear_prologue(self):
        root, n = rows(self.rng), self.rng.choice([5, 8, 17, 33, 40])
        self.tree(root, 0, out=False)
        self.declared = f"Linear<{self.text}, Out, Store<0>, Small>"
        self.product(self.evaluated(root, 0), self.weight((n, root[-1])))

    def linear_epilogue(self):
        root, k = rows(self.rng), self.rng.choice([5, 8, 17, 33, 70])
        w, x = self.two_a_row((root[-1], k)), self.operand(root[:-1] + (k,), self.eighths(root[:-1] + (k,)))
        self.tree(root, 1)
        if "Out" not in self.used:
            raise Retry
        self.declared = f"Linear<Buf<0>, {self.text}, Store<0>, Small>"
        self.result = self.evaluated(root, 1, [x], x @ w.T)
        self.tolerance = np.full(root, self.error())

    def conv_prologue(self):
        root, o = image(self.rng), self.rng.choice([5, 8, 17, 24])
        window, (r, s, stride, before, after) = self.rng.choice(list(WINDOWS.items()))
        if min(root[1] + before + after - r, root[2] + before + after - s) < 0:
            raise Retry
        self.tree(root, 0, out=False, channels_last=True)
        self.declared = f"Conv2D<Filter<{window}>, {self.text}, Out, Store<0>, Small>"
        x = patches(self.evaluated(root, 0), r, s, stride, before, after)
        self.product(x, self.weight((o, r, s, root[3])).reshape(o, -1))

    def conv_epilogue(self):
        root, c = image(self.rng), self.rng.choice([3, 8, 16, 18])
        w, x = self.two_a_row((root[3], 3, 3, c)), self.operand(root[:3] + (c,), self.eighths(root[:3] + (c,)))
        self.tree(root, 1, channels_last=True)
        if "Out" not in self.used:
            raise Retry
        self.declared = f"Conv2D<Filter<3>, Buf<0>, {self.text}, Store<0>, Small>"
        self.result = self.evaluated(root, 1, [x], patches(x, 3, 3, 1, 1, 1) @ w.reshape(root[3], -1).T)
        self.tolerance = np.full(root, self.error())

    def attention(self):
        d, heads = self.rng.choice([8, 24, 32, 40, 64]), self.rng.choice([1, 2, 4])
        batch, queries, keys = self.rng.choice([1, 2, 3]), self.rng.choice([1, 5, 17, 40]), self.rng.choice([1, 7, 33, 70])
        shared = self.rng.choice([h for h in (1, 2, 4) if heads % h == 0])
        causal = self.rng.random() < 0.5
        # The tree is the values', which the probabilities average: its error is not amplified.
        root = (batch, shared, keys, d)
        q, k = self.eighths((batch, heads, queries, d), 12), self.eighths(root, 12)
        self.operand(q.shape, q), self.operand(k.shape, k)
        self.tree(root, 2, out=False)
        v = np.repeat(self.evaluated(root, 2, [q, k]), heads // shared, 1)
        scores = q @ np.repeat(k, heads // shared, 1).swapaxes(2, 3) / math.sqrt(d)
        hidden = np.arange(keys)[None] > np.arange(queries)[:, None] + keys - queries
        if causal:
            scores = np.where(hidden, -np.inf, scores)
            rows_with_keys = ~hidden.all(1)
        most = scores.max(-1, keepdims=True)
        p = np.exp(scores - np.where(np.isfinite(most), most, 0))
        total = p.sum(-1, keepdims=True)
        self.result = p / np.where(total == 0, 1, total) @ v  # a query that sees no key gives 0
        mask = "mask::Causal" if causal else "mask::Full"
        options = [mask, "Out", "Store<0>"]
        turn = keys % 3  # options stand in any order
        options = ", ".join(options[turn:] + options[:turn])
        self.declared = f"Attention<{d}, Buf<0>, Buf<1>, {self.text}, {options}>"
        self.tolerance = np.full(self.result.shape, self.error() + 1e-5 * self.node.top)
        self.rounding = 3 * self.node.top  # of probabilities and values
        if causal:
            self.tolerance = np.where(rows_with_keys[:, None], self.tolerance, 0)

    # -- what is written

    def made(self):
        self.rounding, self.coarse = 0.0, 0.0
        getattr(self, self.kind.replace(" ", "_"))()
        largest = 3e4 if self.storage == "fp16" else 1e6
        if not np.isfinite(self.result).all() or np.abs(self.result).max() > largest:
            raise Retry
        self.operands += self.slots
        return self

    def call(self, name):
        types = [name, self.storage, str(self.result.ndim)] + [f"Tensor<{cpp}, {len(e)}>" for cpp, e, _ in self.operands]
        specs = " ".join(numbers(e) for _, e, _ in self.operands)
        scalars = " ".join(str(v if v is not None else 0) for v in self.scalars)
        return (f'    k.check<{", ".join(types)}>('
                f'{{"{numbers(self.result.shape)}", "{specs}", "{scalars}", {self.rounding:.6g}, '
                f'{self.coarseness():.4g}}});\n')

    def data(self):
        return b"".join(raw(v, cpp) for cpp, _, v in self.operands) + np.ascontiguousarray(
            self.result, float).tobytes() + np.ascontiguousarray(self.tolerance, float).tobytes()


def generate(count, seed):
    import random
    rng = random.Random(seed)
    cases, seen = [], set()
    while len(cases) < count:
        kind, storage = FRAMES[len(cases) % len(FRAMES)], STORAGE[len(cases) // len(FRAMES) % 3]
        try:
            case = Case(rng, kind, storage).made()
        except Retry:
            continue
        if case.declared not in seen:
            seen.add(case.declared)
            cases.append(case)
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--units", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suffix", default=".cpp")
    args = parser.parse_args()
    cases = generate(args.count, args.seed)
    os.makedirs(args.out, exist_ok=True)
    out = os.path.abspath(args.out)
    for unit in range(args.units):
        own = list(enumerate(cases))[unit::args.units]
        with open(os.path.join(out, f"numpy_{unit:02}.bin"), "wb") as f:
            for _, case in own:
                f.write(case.data())
        with open(os.path.join(out, f"numpy_{unit:02}{args.suffix}"), "w") as f:
            f.write("// Written by tests/fuzz/make_numpy_kernels.py.\n#include <fuzz/numpy_kernels.hpp>\n\n"
                    "using namespace inlay;\nusing inlay_test::Small;\n\nnamespace {\n\n")
            f.writelines(f"struct k{i} : {case.declared} {{}};\n" for i, case in own)
            f.write(f'\nTEST(NumpyKernels, Unit{unit:02}) {{\n    fuzz::NumpyKernels k("{out}/numpy_{unit:02}.bin");\n')
            f.writelines(case.call(f"k{i}") for i, case in own)
            f.write("    k.finish();\n}\n\n}\n")
    kinds = {}
    for case in cases:
        kinds[case.kind] = kinds.get(case.kind, 0) + 1
    print(f"{len(cases)} kernels: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items()))


if __name__ == "__main__":
    main()
