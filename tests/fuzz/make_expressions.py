#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes translation units that check random expression types against the double oracle.

    make_expressions.py --out DIR [--count 2000] [--units 16] [--seed 1]

Every type is distinct, valid and small. Shapes grow from the root down: asked for extents, a node asks its operands for
those it needs. Along with its spelling each subtree carries an interval of its values and a first-order bound of the error
of evaluating it in float; the bound of the root is the tolerance of the test, and types whose bound exceeds 1e-3 of their
magnitude are drawn again. What is discontinuous (comparisons, floor, casts to integers) only reads subtrees that float
computes exactly. The same arguments always write the same files.
"""
import argparse
import math
import os
import random
from dataclasses import dataclass

EPS = 2.0 ** -22  # two units in the last place: the stated error of the vector functions, and a rounding

# Slots of the one environment all types share (expressions.hpp): three of each rank hold floats, one each of the others.
DTYPES = ["f32", "f32", "f32", "f16", "bf16", "i32"]
SLOTS = [(dtype, rank) for rank in range(6) for dtype in DTYPES]
PARAMS = 6


class Retry(Exception):
    """This choice does not fit here."""


@dataclass(frozen=True)
class Node:
    text: str
    lo: float
    hi: float
    error: float = 0.0

    @property
    def top(self):
        return max(abs(self.lo), abs(self.hi))


def rounded(text, lo, hi, error, exact=False):
    top = max(abs(lo), abs(hi))
    if not top < 1e6:
        raise Retry
    return Node(text, lo, hi, error + (0 if exact else EPS * top + 1e-30))


class Tree:
    """out: whether Out may stand in it. channels_last: it is read at [B, H, W, C], where [B, C] does not broadcast."""

    def __init__(self, rng, out=True, channels_last=False):
        self.rng = rng
        self.out = out
        self.channels_last = channels_last
        self.slots = {}  # slot -> extents
        self.indices = {}  # slot of a gather's index -> rows of its table, or of a table -> pages
        self.params = [None] * PARAMS
        self.seen = []  # (extents, rank, exact, below, node): candidates for sharing
        self.used = set()

    # -- leaves

    def buf(self, extents, dtypes=DTYPES, index=None):
        fits = [i for i, (dtype, rank) in enumerate(SLOTS) if rank == len(extents) and dtype in dtypes]
        same = [i for i in fits if self.slots.get(i) == extents and self.indices.get(i) == index]
        free = [i for i in fits if i not in self.slots]
        if same and (self.rng.random() < 0.4 or not free):
            slot = self.rng.choice(same)
        elif free:
            slot = self.rng.choice(free)
        else:
            raise Retry
        self.slots[slot] = extents
        if index is not None:
            self.indices[slot] = index
        return slot

    def param(self, value):
        """A scalar slot with this value."""
        if value in self.params and self.rng.random() < 0.5:
            return self.params.index(value)
        free = [i for i, v in enumerate(self.params) if v is None]
        if not free:
            raise Retry
        self.params[free[0]] = value
        return free[0]

    def number(self, n):
        """A static argument: as it is, or now and then a scalar slot."""
        if self.rng.random() < 0.15:
            self.used.add("argument")
            return f"param<{self.param(float(n))}>"
        return str(n)

    def axis(self, a, rank):
        r = self.rng.random()
        if r < 0.5:
            return str(a - rank)
        return str(a) if r < 0.9 else self.number(a)

    def leaf(self, extents, rank, below, exact):
        kinds = ["buf"]
        if extents == ():
            kinds = ["buf", "const", "param", "coord", "coord"]
        if self.out and not below and self.rng.random() < 0.3:
            kinds = ["out"]
        kind = self.rng.choice(kinds)
        if kind == "buf":
            if any(n == 0 for n in extents):
                raise Retry
            self.used.add("Buf")
            slot = self.buf(extents)
            if slot in self.indices:
                raise Retry
            return Node(f"Buf<{slot}>", -4, 4)
        if kind == "out":
            if extents != self.root:
                raise Retry
            self.used.add("Out")
            return Node("Out", -4, 4)
        if kind == "const":
            v = self.rng.randint(-16, 16) / 4
            self.used.add("Const")
            return Node(f"Const<{v}>", v, v)
        if kind == "param":
            v = self.rng.randint(-16, 16) / 4
            self.used.add("Param")
            return Node(f"Param<{self.param(v)}>", v, v)
        if rank == 0:
            raise Retry
        self.used.add("Coord")
        return Node(f"Coord<{self.rng.randrange(-rank, rank)}>", 0, 512)

    # -- pointwise

    def operand(self, extents):
        """Extents that broadcast to these."""
        if self.rng.random() < 0.4:
            return extents
        e = [1 if self.rng.random() < 0.3 else n for n in extents]
        e = tuple(e[self.rng.randint(0, len(e)):])
        return (1, 1) + e if self.channels_last and len(extents) == 4 and len(e) == 2 else e

    def operands(self, n, extents):
        full = self.rng.randrange(n)
        return [extents if i == full else self.operand(extents) for i in range(n)]

    def pointwise(self, extents, rank, below, exact, depth):
        go = lambda e, ex=exact: self.grow(e, rank, below, ex, depth - 1)
        smooth = ["Silu", "Gelu", "GeluTanh", "QuickGelu", "Sigmoid", "Tanh", "Exp", "Exp2", "Log", "Sqrt", "Rsqrt", "Sin",
                  "Cos", "Erf", "Div", "Pow", "Mul", "Lerp", "LeakyRelu"]
        either = ["Relu", "Neg", "Abs", "Cast", "Add", "Add", "Sub", "Min", "Max", "Where", "Clamp"]
        steps = ["Floor", "Ceil", "Not", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "And", "Or",
                 "CastInt"]
        op = self.rng.choice(either + steps if exact else either + smooth + smooth + steps)
        self.used.add("Cast" if op == "CastInt" else op)
        unary = {"Silu": 1.1, "Gelu": 1.13, "GeluTanh": 1.13, "QuickGelu": 1.1, "Sigmoid": 0.25, "Tanh": 1, "Sin": 1, "Cos": 1,
                 "Erf": 1.13, "Relu": 1, "Neg": 1, "Abs": 1, "Exp": 0, "Exp2": 0, "Log": 0, "Sqrt": 0, "Rsqrt": 0}
        if op in unary:
            x = go(extents)
            slope, lo, hi = unary[op], -x.top, x.top
            if op in ("Sin", "Cos", "Tanh", "Erf", "Sigmoid"):
                lo, hi = -1, 1
            if op in ("Sin", "Cos") and x.top > 50:
                raise Retry
            if op in ("Exp", "Exp2"):
                if x.hi > 8:
                    x = Node(f"Neg<Abs<{x.text}>>", -x.top, 0, x.error)
                lo, hi = 0, math.exp(x.hi)
                slope = hi
            if op in ("Log", "Sqrt", "Rsqrt"):
                x = rounded(f"Add<Abs<{x.text}>, Const<0.5>>", 0.5, x.top + 0.5, x.error)
                lo, hi = -0.7, max(2, math.log(x.hi), math.sqrt(x.hi))
                slope = 2
            return rounded(f"{op}<{x.text}>", lo, hi, slope * x.error, exact)
        if op in ("Floor", "Ceil", "Not"):
            x = go(extents, True)
            return Node(f"{op}<{x.text}>", -x.top - 1, x.top + 1)
        if op in ("Cast", "CastInt"):
            if op == "Cast" and not exact:
                x = go(extents, False)
                return rounded(f"Cast<{x.text}, float>", x.lo, x.hi, x.error)
            x = go(extents, True)
            if x.top > 4 and op == "Cast":
                raise Retry  # bf16 holds multiples of 1/8 up to 32 exactly; 4 leaves room
            dtype = "std::int32_t" if op == "CastInt" else self.rng.choice(["fp16", "bf16", "float"])
            return Node(f"Cast<{x.text}, {dtype}>", x.lo - 1, x.hi + 1)
        if op in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "And", "Or"):
            a, b = (go(e, True) for e in self.operands(2, extents))
            return Node(f"{op}<{a.text}, {b.text}>", 0, 1)
        if op in ("Where", "Clamp", "Lerp"):
            es = self.operands(3, extents)
            if op == "Where":
                c, a, b = go(es[0], True), go(es[1]), go(es[2])
                return Node(f"Where<{c.text}, {a.text}, {b.text}>", min(a.lo, b.lo), max(a.hi, b.hi), max(a.error, b.error))
            a, b, t = (go(e) for e in es)
            if op == "Clamp":
                top = max(x.top for x in (a, b, t))
                return Node(f"Clamp<{a.text}, {b.text}, {t.text}>", -top, top, max(x.error for x in (a, b, t)))
            top = a.top + t.top * (a.top + b.top)
            error = a.error * (1 + t.top) + b.error * t.top + (a.top + b.top) * t.error + 3 * EPS * top
            return rounded(f"Lerp<{a.text}, {b.text}, {t.text}>", -top, top, error)
        a, b = (go(e) for e in self.operands(2, extents))
        if op in ("Min", "Max"):
            return Node(f"{op}<{a.text}, {b.text}>", -max(a.top, b.top), max(a.top, b.top), max(a.error, b.error))
        if op == "Add":
            return rounded(f"Add<{a.text}, {b.text}>", a.lo + b.lo, a.hi + b.hi, a.error + b.error, exact)
        if op == "Sub":
            return rounded(f"Sub<{a.text}, {b.text}>", a.lo - b.hi, a.hi - b.lo, a.error + b.error, exact)
        if op in ("Mul", "LeakyRelu"):
            top = a.top * b.top if op == "Mul" else a.top * max(1, b.top)
            error = max(1, b.top) * a.error + a.top * b.error
            return rounded(f"{op}<{a.text}, {b.text}>", -top, top, error)
        # Div and Pow: a positive divisor or base, a small exponent.
        if op == "Div":
            b = rounded(f"Add<Abs<{b.text}>, Const<0.5>>", 0.5, b.top + 0.5, b.error)
            return rounded(f"Div<{a.text}, {b.text}>", -2 * a.top, 2 * a.top, 2 * a.error + 4 * a.top * b.error)
        a = rounded(f"Add<Abs<{a.text}>, Const<0.5>>", 0.5, a.top + 0.5, a.error)
        b = Node(f"Sin<{b.text}>", -1, 1, b.error + EPS)
        top = max(2.0, a.hi)
        return rounded(f"Pow<{a.text}, {b.text}>", 0, top, 4 * top * a.error + top * math.log(top + 1) * b.error)

    # -- views

    def view(self, extents, below, exact, depth):
        rng, rank = self.rng, len(extents)
        go = lambda e, r=None: self.grow(tuple(e), len(e) if r is None else r, True, exact, depth - 1)
        ops = ["Slice", "SliceLast", "Permute", "Transpose", "Reshape", "Concat", "Upsample", "Dilate", "Gather", "Pad", "Broadcast"]
        ops += ["Im2col"] * (6 if rank == 4 else 0) + ["Upsample2x"] * (3 if rank >= 3 else 0)  # these rarely fit
        ops += ["Paged"] * (3 if rank == 4 else 0)
        op = rng.choice(ops)
        if rank == 0 and op not in ("Reshape", "Broadcast"):
            raise Retry
        a = rng.randrange(rank) if rank else 0
        e = list(extents)
        if op in ("Slice", "SliceLast"):
            a = rank - 1 if op == "SliceLast" else a
            start, size = rng.choice([0, 0, 1, 3, 5]), e[a]
            e[a] += start + rng.choice([0, 1, 2])
            x = go(e)
            axis = "" if op == "SliceLast" else self.axis(a, rank) + ", "
            text = f"{op}<{x.text}, {axis}{self.number(start)}, {self.number(size)}>"
        elif op == "Permute":
            p = list(range(rank))
            rng.shuffle(p)
            for i in range(rank):
                e[p[i]] = extents[i]
            x = go(e)
            text = f"Permute<{x.text}, {', '.join(map(str, p))}>"
        elif op == "Transpose":
            b = rng.randrange(rank)
            e[a], e[b] = e[b], e[a]
            x = go(e)
            sign = lambda i: i - rank if rng.random() < 0.7 else i
            text = f"Transpose<{x.text}, {sign(a)}, {sign(b)}>"
        elif op == "Reshape":
            for _ in range(rng.randint(1, 2)):
                if len(e) > 1 and rng.random() < 0.5:
                    i = rng.randrange(len(e) - 1)
                    e[i:i + 2] = [e[i] * e[i + 1]]
                elif len(e) < 5:
                    i = rng.randrange(len(e) + 1)
                    n = e[i] if i < len(e) else 1
                    d = rng.choice([k for k in range(1, n + 1) if n % k == 0])
                    e[i:i + 1] = [d, n // d]
            x = go(e)
            inferred = rng.randrange(rank) if rank and rng.random() < 0.5 else -1
            text = f"Reshape<{', '.join([x.text] + ['-1' if i == inferred else self.number(n) for i, n in enumerate(extents)])}>"
        elif op == "Concat":
            n = rng.randint(1, min(3, e[a]))
            cuts = sorted(rng.sample(range(1, e[a]), n - 1)) if e[a] > 1 else []
            sizes = [j - i for i, j in zip([0] + cuts, cuts + [e[a]])]
            xs = [go(e[:a] + [s] + e[a + 1:]) for s in sizes]
            x = Node("", min(x.lo for x in xs), max(x.hi for x in xs), max(x.error for x in xs))
            text = f"Concat<{', '.join([self.axis(a, rank)] + [x.text for x in xs])}>"
        elif op in ("Upsample", "Upsample2x"):
            factor = 2 if op == "Upsample2x" else rng.choice([1, 2, 3])
            axes = [rank - 3, rank - 2] if op == "Upsample2x" else rng.sample(range(rank), rng.randint(1, min(2, rank)))
            if min(axes) < 0 or any(e[i] % factor for i in axes):
                raise Retry
            for i in axes:
                e[i] //= factor
            x = go(e)
            spelled = ", ".join(str(i - rank if rng.random() < 0.7 else i) for i in axes)
            text = f"Upsample2x<{x.text}>" if op == "Upsample2x" else f"Upsample<{x.text}, {factor}, {spelled}>"
        elif op == "Dilate":
            factor = rng.choice([1, 2, 3])
            if (e[a] - 1) % factor:
                raise Retry
            e[a] = (e[a] - 1) // factor + 1
            x = go(e)
            x = Node(x.text, min(x.lo, 0), max(x.hi, 0), x.error)
            text = f"Dilate<{x.text}, {factor}, {a - rank if rng.random() < 0.7 else a}>"
        elif op == "Gather":
            b = rng.randint(a, min(rank, a + 2))
            rows = rng.randint(1, 7)
            index = self.buf(extents[a:b], ["i32"], rows)
            e[a:b] = [rows]
            if len(e) > 5:
                raise Retry
            x = go(e)
            text = f"Gather<{x.text}, Buf<{index}>, {a if rng.random() < 0.5 else a - len(e)}>"
        elif op == "Paged":
            pages, page = rng.randint(1, 7), rng.choice([n for n in range(1, e[2] + 1) if e[2] % n == 0])
            table = self.buf((e[0], e[2] // page), ["i32"], pages)
            x = go([pages, page, e[1], e[3]])
            text = f"Paged<{x.text}, Buf<{table}>>"
        elif op == "Pad":
            before, after = rng.choice([0, 1, 2]), rng.choice([0, 1, 3])
            e[a] -= before + after
            if e[a] < 1:
                raise Retry
            value = rng.choice([0.0, -1.5])
            x = go(e)
            x = Node(x.text, min(x.lo, value), max(x.hi, value), x.error)
            fill = "" if value == 0 and rng.random() < 0.5 else f", {value}"
            text = f"Pad<{x.text}, {self.axis(a, rank)}, {self.number(before)}, {self.number(after)}{fill}>"
        elif op == "Im2col":
            rows, cols, stride, pad = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 2), rng.randint(0, 1)
            if rank != 4 or e[3] % (rows * cols):
                raise Retry
            h, w = (e[1] - 1) * stride + rows - 2 * pad, (e[2] - 1) * stride + cols - 2 * pad
            if min(h, w) < 1:
                raise Retry
            x = go([e[0], h, w, e[3] // (rows * cols)])
            x = Node(x.text, min(x.lo, 0), max(x.hi, 0), x.error)
            text = f"Im2col<{x.text}, {rows}, {cols}, {stride}, {pad}>"
        else:
            like = self.buf(extents)
            x = go(self.operand(extents), rank)
            text = f"Broadcast<{x.text}, Buf<{like}>>"
        self.used.add(op)
        return Node(text, x.lo, x.hi, x.error)

    # -- growth

    def grow(self, extents, rank, below, exact, depth):
        key = (extents, rank, exact, below)
        known = [n for k, n in self.seen if k == key]
        if known and self.rng.random() < 0.25:
            return self.rng.choice(known)
        for _ in range(20):
            undo = dict(self.slots), dict(self.indices), list(self.params), list(self.seen), set(self.used)
            try:
                r = self.rng.random()
                if depth <= 0 or r < 0.1:
                    node = self.leaf(extents, rank, below, exact)
                elif r < 0.5:
                    node = self.view(extents, below, exact, depth)
                else:
                    node = self.pointwise(extents, rank, below, exact, depth)
                self.seen.append((key, node))
                return node
            except Retry:
                self.slots, self.indices, self.params, self.seen, self.used = undo
        raise Retry

    def grow_at(self, root):
        self.root = root
        return self.grow(root, len(root), False, False, self.rng.randint(1, 5))

    def grow_root(self):
        sizes = [1, 2, 3, 4, 6, 7, 8, 9, 12, 18]
        rank = self.rng.randint(1, 5)
        while True:
            root = tuple(self.rng.choice(sizes) for _ in range(rank))
            if math.prod(root) <= 400:
                break
        return self.grow_at(root)


def fit_to_test(node):
    """Neither long nor ill-conditioned, and more than a lone leaf."""
    return len(node.text) <= 400 and node.error <= 1e-3 * (1 + node.top) and "<" in node.text.removeprefix("Buf<")


def generate(count, seed):
    rng = random.Random(seed)
    cases, used = {}, {}
    while len(cases) < count:
        tree = Tree(rng)
        try:
            node = tree.grow_root()
        except Retry:
            continue
        if node.text in cases or not fit_to_test(node):
            continue
        cases[node.text] = (tree, node)
        for name in tree.used:
            used[name] = used.get(name, 0) + 1
    return cases, used


def numbers(extents):
    return ",".join(map(str, extents))


def line(text, tree, node):
    slots = " ".join(f"{i}:{numbers(e)}" + (f"<{tree.indices[i]}" if i in tree.indices else "") for i, e in sorted(tree.slots.items()))
    params = " ".join(str(v if v is not None else 0) for v in tree.params)
    return f'    f.check<{text}, {len(tree.root)}>("{numbers(tree.root)}", "{slots}", "{params}", {node.error + 1e-6 * node.top:.3g});\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--units", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cases, used = generate(args.count, args.seed)
    os.makedirs(args.out, exist_ok=True)
    lines = [line(text, *case) for text, case in cases.items()]
    for unit in range(args.units):
        body = "".join(lines[unit::args.units])
        with open(os.path.join(args.out, f"expressions_{unit:02}.cpp"), "w") as f:
            f.write("// Written by tests/fuzz/make_expressions.py.\n#include <fuzz/expressions.hpp>\n\n#include <gtest/gtest.h>\n\n"
                    f"using namespace inlay;\n\nTEST(Expressions, Unit{unit:02}) {{\n    fuzz::Expressions f;\n{body}}}\n")
    print(f"{len(lines)} types; " + ", ".join(f"{name} {n}" for name, n in sorted(used.items())))


if __name__ == "__main__":
    main()
