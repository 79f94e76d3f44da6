# SPDX-License-Identifier: Apache-2.0
"""What an expression type means, by NumPy in double: parsed from its C++ spelling, sharing nothing with the library.

Extents come from the leaves up, values from the root down: a node evaluated at some extents broadcasts to them.
"""
import math
import re

import numpy as np

erf = np.vectorize(math.erf, otypes=[float])


def parsed(text):
    """`Add<Buf<0>, 1>` as ("Add", [("Buf", ["0"]), "1"]); arguments that are no types stay text."""
    tokens = re.findall(r"[<>,]|[^<>,\s]+", text)
    at = 0

    def one():
        nonlocal at
        name = tokens[at]
        at += 1
        if at == len(tokens) or tokens[at] != "<":
            return name if re.match(r"[-\d]|std::|fp16|bf16|float$", name) else (name, [])
        arguments = []
        while tokens[at] != ">":
            at += 1
            arguments.append(one())
        at += 1
        return name, arguments

    tree = one()
    assert at == len(tokens), text
    return tree


def to_bf16(x):
    """The nearest bf16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32).astype(float)


def stored(x, dtype):
    if dtype in ("i32", "std::int32_t"):
        return np.trunc(x)
    if dtype in ("bf16",):
        return to_bf16(x)
    return np.asarray(x, np.float16 if dtype in ("f16", "fp16") else np.float32).astype(float)


UNARY = {
    "Silu": lambda x: x / (1 + np.exp(-x)), "Gelu": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))),
    "GeluTanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
    "QuickGelu": lambda x: x / (1 + np.exp(-1.702 * x)), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Tanh": np.tanh,
    "Exp": np.exp, "Exp2": np.exp2, "Log": np.log, "Sqrt": np.sqrt, "Rsqrt": lambda x: 1 / np.sqrt(x), "Sin": np.sin,
    "Cos": np.cos, "Erf": erf, "Relu": lambda x: np.maximum(x, 0), "Neg": lambda x: -x, "Abs": np.abs, "Floor": np.floor,
    "Ceil": np.ceil, "Not": lambda x: (x == 0) * 1.0,
}
BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Min": np.minimum,
    "Max": np.maximum, "Less": np.less, "LessEqual": np.less_equal, "Greater": np.greater,
    "GreaterEqual": np.greater_equal, "Equal": np.equal, "NotEqual": np.not_equal,
    "And": lambda a, b: (a != 0) & (b != 0), "Or": lambda a, b: (a != 0) | (b != 0),
    "LeakyRelu": lambda a, b: np.where(a > 0, a, a * b),
}
TERNARY = {
    "Where": lambda c, a, b: np.where(c != 0, a, b), "Clamp": lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi),
    "Lerp": lambda a, b, t: a + t * (b - a),
}


class Environment:
    """Tensors of the slots, scalars, and the accumulator where there is one."""

    def __init__(self, tensors, scalars, out=None, moved=None, by=0.0):
        """`moved`: a node, as parsed, whose values are `by` larger than they are."""
        self.tensors, self.scalars, self.out, self.moved, self.by = tensors, scalars, out, moved, by

    def number(self, argument):
        """A static argument, or a scalar slot: a whole number."""
        if isinstance(argument, tuple):
            return int(self.scalars[int(argument[1][0])])
        return int(argument)

    def extents(self, node):
        name, args = node
        if name == "Buf":
            return self.tensors[int(args[0])].shape
        if name == "Out":
            return self.out.shape
        if name in ("Const", "Param", "Coord"):
            return ()
        if name in UNARY or name == "Cast":
            return self.extents(args[0])
        if name in BINARY or name in TERNARY:
            return np.broadcast_shapes(*map(self.extents, args))
        if name == "Broadcast":
            return self.extents(args[1])
        return self.value(node, None).shape  # a view fixes its own

    def value(self, node, shape):
        """`shape`: the extents it is read at, from which Coord counts."""
        if node == self.moved:
            at_itself = Environment(self.tensors, self.scalars, self.out)
            return at_itself.value(node, shape) + self.by
        name, args = node
        if name == "Buf":
            return self.tensors[int(args[0])]
        if name == "Out":
            return self.out
        if name == "Const":
            return np.float64(args[0])
        if name == "Param":
            return np.float64(self.scalars[int(args[0])])
        if name == "Coord":
            a = int(args[0]) % len(shape)
            return np.arange(shape[a], dtype=float).reshape([-1 if i == a else 1 for i in range(len(shape))])
        if name == "Cast":
            return stored(self.value(args[0], shape), args[1])
        for table in (UNARY, BINARY, TERNARY):
            if name in table:
                return np.asarray(table[name](*(self.value(a, shape) for a in args)), float)
        return getattr(self, name)(*args)

    def whole(self, node):
        """A view's operand, at its own extents."""
        extents = self.extents(node)
        return np.broadcast_to(self.value(node, extents), extents)

    # -- views

    def Slice(self, x, axis, start, size):
        x, start = self.whole(x), self.number(start)
        return np.take(x, range(start, start + self.number(size)), self.number(axis) % x.ndim)

    def SliceLast(self, x, start, size):
        return self.Slice(x, "-1", start, size)

    def Permute(self, x, *axes):
        return np.transpose(self.whole(x), [int(a) for a in axes])

    def Transpose(self, x, a, b):
        return np.swapaxes(self.whole(x), int(a), int(b))

    def Reshape(self, x, *extents):
        return self.whole(x).reshape([self.number(n) for n in extents])

    def Concat(self, axis, *parts):
        parts = [self.whole(x) for x in parts]
        return np.concatenate(parts, self.number(axis) % parts[0].ndim)

    def Upsample(self, x, factor, *axes):
        x = self.whole(x)
        for a in axes:
            x = np.repeat(x, int(factor), int(a))
        return x

    def Upsample2x(self, x):
        return self.Upsample(x, "2", "-3", "-2")

    def Dilate(self, x, factor, axis):
        x, a = self.whole(x), int(axis)
        shape = list(x.shape)
        shape[a] = (shape[a] - 1) * int(factor) + 1
        out = np.zeros(shape)
        at = [slice(None)] * x.ndim
        at[a] = slice(None, None, int(factor))
        out[tuple(at)] = x
        return out

    def Gather(self, x, index, axis):
        x, a = self.whole(x), int(axis)
        return np.take(x, self.whole(index).astype(int), a % x.ndim, mode="clip")

    def Paged(self, pool, table):
        pool, table = self.whole(pool), self.whole(table).astype(int)
        pages = pool[np.clip(table, 0, len(pool) - 1)]  # [B, n, page, heads, D]
        b, n, page, heads, d = pages.shape
        return pages.reshape(b, n * page, heads, d).transpose(0, 2, 1, 3)

    def Pad(self, x, axis, before, after, value="0"):
        x = self.whole(x)
        pads = [(0, 0)] * x.ndim
        pads[self.number(axis)] = (self.number(before), self.number(after))
        return np.pad(x, pads, constant_values=float(value))

    def Im2col(self, x, rows, cols, stride, pad):
        x, r, s, t, p = self.whole(x), int(rows), int(cols), int(stride), int(pad)
        return patches(x, r, s, t, p, p)

    def Broadcast(self, x, like):
        extents = self.extents(like)
        return np.broadcast_to(self.value(x, extents), extents)


def patches(x, rows, cols, stride, before, after):
    """[B, H, W, C] → [B, Ho, Wo, rows · cols · C], zero outside the image."""
    x = np.pad(x, [(0, 0), (before, after), (before, after), (0, 0)])
    h, w = (x.shape[1] - rows) // stride + 1, (x.shape[2] - cols) // stride + 1
    taps = [x[:, i:i + (h - 1) * stride + 1:stride, j:j + (w - 1) * stride + 1:stride] for i in range(rows)
            for j in range(cols)]
    return np.concatenate(taps, 3)
