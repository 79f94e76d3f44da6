#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random layers in the planner's words, each planned and run against the interpreter of its terms.

    make_layers.py --out DIR [--layers 24] [--units 8] [--seed 1]

A layer draws operations over values that it has already: frames by name, pointwise functions, broadcasts, views,
heads and images, placements by hand, inputs of an earlier phase. Values that nothing reads are its results. Prices of
the host and of a GPU, and rules or none, take turns over the layers. The same arguments always write the same files.
"""
import argparse
import os
import random

PHASE = "Phase::prompt"


class Value:
    """`axes`: a name for each extent; numbers are extents known to the layer."""

    def __init__(self, text, axes, step, given):
        self.text, self.axes, self.step, self.given, self.read = text, tuple(axes), step, given, False

    def last(self):
        return self.axes[-1]


class Layer:
    def __init__(self, rng):
        self.rng, self.lines, self.values, self.names = rng, [], [], 0
        self.inputs = 0
        self.parts = set()  # no results
        c = rng.choice([8, 12, 16])
        self.image = rng.random() < 0.55
        if self.image:
            self.input(["dim<0>", "dim<1>", "dim<2>", c])
        else:
            self.input(["dim<0>", "dim<1>", c])
        if rng.random() < 0.5:
            self.input(["dim<0>"] + [1] * (len(self.values[0].axes) - 2) + [rng.choice([c, 12])])
        if rng.random() < 0.5:
            self.input(["dim<0>", "dim<3>", rng.choice([8, 12])], earlier=rng.random() < 0.6)

    def input(self, axes, earlier=False):
        of = ", ".join(map(str, axes))
        word = f"input_from<{self.inputs}, {PHASE}, {of}>" if earlier else f"input<{self.inputs}, {of}>"
        self.inputs += 1
        self.add(word, axes).step = not earlier

    def add(self, text, axes, *operands):
        for v in operands:
            v.read = True
        name = f"v{len(self.values)}"
        self.lines.append(f"[[maybe_unused]] constexpr auto {name} = {text};")
        self.values.append(Value(name, axes, any(v.step for v in operands), not operands))
        return self.values[-1]

    def name(self):
        self.names += 1
        return f'"w{self.names}"'

    def pick(self, accepts=lambda v: True):
        """A value, rather a late one; None: there is none."""
        fit = [v for v in self.values if accepts(v)]
        if not fit:
            return None
        fresh = [v for v in fit if not v.read]
        return self.rng.choice(fresh if fresh and self.rng.random() < 0.6 else fit)

    def grow(self):
        """One operation, or none where no value fits."""
        rng = self.rng
        wide = lambda v: isinstance(v.last(), int) and len(v.axes) >= 3 and v.last() > 1
        op = rng.choice(["linear", "linear", "conv", "group_norm", "layer_norm", "softmax", "reduce", "unary", "unary",
                         "binary", "binary", "ternary", "vector", "attention", "attention", "slice", "concat",
                         "permute",
                         "reshape", "upsample", "tokens", "part", "pin", "twice", "constant", "merge"])
        x = self.pick(wide)
        if op in ("conv", "upsample", "tokens"):
            x = self.pick(lambda v: len(v.axes) == 4 and wide(v) and v.axes[1] != 1 and v.axes[1:3] != ("dim<3>", 1))
        if x is None:
            return
        c = x.last()
        if op == "linear":
            n = rng.choice([8, 12, 16, 24])
            word = rng.choice(["linear", "linear_without_bias"])
            return self.add(f"{word}<{self.name()}, {n}, {c}>({x.text})", x.axes[:-1] + (n,), x)
        if op == "conv":
            o, r = rng.choice([8, 12]), rng.choice([1, 3])
            return self.add(f"conv<{self.name()}, {o}, {c}, {r}>({x.text})", x.axes[:-1] + (o,), x)
        if op == "group_norm":
            groups = rng.choice([g for g in (1, 2, 4) if c % g == 0])
            return self.add(f"group_norm<{self.name()}, {c}, {groups}>({x.text})", x.axes, x)
        if op == "layer_norm":
            return self.add(f"layer_norm<{self.name()}, {c}>({x.text})", x.axes, x)
        if op == "softmax":
            return self.add(f"softmax({x.text})", x.axes, x)
        if op == "reduce":
            axis = rng.choice([-1, -1, 1])
            axes = list(x.axes)
            axes[axis] = 1
            if axis == 1:
                return self.add(f"reduce<reduction::Sum, Axes<1>>({x.text})", axes, x)
            y = self.add(f"reduce<reduction::Sum>({x.text})", axes, x)
            return self.add(f"{x.text} * tanh({y.text})", x.axes, x, y)
        if op == "unary":
            return self.add(f"{rng.choice(['silu', 'gelu', 'sigmoid', 'tanh'])}({x.text})", x.axes, x)
        if op in ("binary", "ternary"):
            fits = lambda v: len(v.axes) == len(x.axes) and all(a == b or a == 1 for a, b in zip(v.axes, x.axes))
            y, z = self.pick(fits), self.pick(fits)
            if op == "ternary":
                return self.add(f"lerp({x.text}, {y.text}, sigmoid({z.text}))", x.axes, x, y, z)
            a, b = rng.sample([x, y], 2)
            return self.add(rng.choice(["{} + {}", "{} - {}", "{} * tanh({})", "(max)({}, {})"]).format(a.text, b.text),
                            x.axes, x, y)
        if op == "vector":
            return self.add(f"{x.text} {rng.choice(['+', '*'])} weight<{self.name()}, {c}>", x.axes, x)
        if op == "constant":
            return self.add(f"{x.text} * constant<0.5> + constant<0.25>", x.axes, x)
        if op == "attention":
            d = rng.choice([d for d in (4, 8) if c % d == 0] or [0])
            y = self.pick(lambda v: wide(v) and v.axes[0] == x.axes[0])
            if d == 0 or y is None:
                return
            kind = rng.choice(["", "_without_bias"])
            q = self.add(f"heads<{d}>(linear{kind}<{self.name()}, {c}, {c}>({x.text}))", [], x)
            k = self.add(f"heads<{d}>(linear{kind}<{self.name()}, {c}, {y.last()}>({y.text}))", [], y)
            v = self.add(f"heads<{d}>(linear{kind}<{self.name()}, {c}, {y.last()}>({y.text}))", [], y)
            for z in (q, k, v):
                z.read, z.axes = True, ("heads",)
                self.parts.add(z.text)
            s = x.axes[1] if len(x.axes) == 3 else "*".join(map(str, x.axes[1:3]))
            return self.add(f"merge_heads(attention<{d}>({q.text}, {k.text}, {v.text}))", (x.axes[0], s, c), q, k, v)
        if op == "merge":
            d = rng.choice([d for d in (4, 8) if c % d == 0] or [0])
            if d == 0 or str(x.axes[1]).endswith("h"):  # heads of heads have no strides
                return
            s = x.axes[1] if len(x.axes) == 3 else "*".join(map(str, x.axes[1:3]))
            y = self.add(f"heads<{d}>({x.text})", (x.axes[0], f"{c // d}h", s, d), x)
            self.parts.add(y.text)
            if rng.random() < 0.5:
                y = self.add(f"silu({y.text})", y.axes, y)
            return self.add(f"merge_heads({y.text})", (x.axes[0], s, c), y)
        if op == "slice":
            n = c // 2
            return self.add(f"slice_last<{rng.choice([0, c - n])}, {n}>({x.text})", x.axes[:-1] + (n,), x)
        if op == "concat":
            y = self.pick(lambda v: len(v.axes) == len(x.axes) and v.axes[:-1] == x.axes[:-1] and wide(v))
            if c + y.last() <= 32:
                return self.add(f"concat<-1>({x.text}, {y.text})", x.axes[:-1] + (c + y.last(),), x, y)
            return
        if op == "permute":
            if len(x.axes) == 3:
                y = self.add(f"permute<1, 0, 2>({x.text})", (x.axes[1], x.axes[0], c), x)
                return self.add(f"permute<1, 0, 2>(silu({y.text}))", x.axes, y) if rng.random() < 0.7 else y
            return self.add(f"permute<0, 2, 1, 3>({x.text})", (x.axes[0], x.axes[2], x.axes[1], c), x)
        if op == "reshape":
            return self.add(f"reshape<-1, 1, {c}>({x.text})", ("*".join(map(str, x.axes[:-1])), 1, c), x)
        if op == "upsample":
            return self.add(f"upsample2x({x.text})", (x.axes[0], f"2*{x.axes[1]}", f"2*{x.axes[2]}", c), x)
        if op == "tokens":
            y = self.add(f"tokens({x.text})", (x.axes[0], "*".join(map(str, x.axes[1:3])), c), x)
            if x.axes[1:3] == ("dim<1>", "dim<2>") and rng.random() < 0.5:
                z = self.add(f"layer_norm<{self.name()}, {c}>({y.text})", y.axes, y)
                return self.add(f"image<dim<1>, dim<2>>({z.text})", x.axes, z)
            return y
        if op == "part":
            n = rng.choice([n for n in (2, 4) if c % n == 0])
            if c // n < 2:
                return
            parts = [self.add(f"part<{i}, {n}>({x.text})", x.axes[:-1] + (c // n,), x)
                     for i in rng.sample(range(n), rng.choice([1, 2, n]))]
            self.parts.update(y.text for y in parts)
            if len(parts) > 1:
                return self.add(f"{parts[0].text} * gelu({parts[1].text})", parts[0].axes, *parts[:2])
            return
        if op == "pin":
            if rng.random() < 0.7:
                return self.add(f"materialize(silu({x.text}))", x.axes, x)
            # Heads and parts of it would be strides of what is in no memory: nothing else reads it.
            return self.add(f"{x.text} * fuse(tanh({x.text} + {x.text}))", x.axes, x)
        if op == "twice" and not str(x.axes[0]).startswith("2*") and rng.random() < 0.5:
            return self.add(f"twice({x.text})", (f"2*{x.axes[0]}",) + x.axes[1:], x)

    def source(self, index):
        rng = self.rng
        able = []
        while len(self.lines) < rng.randint(9, 15) or not able:
            self.grow()
            able = [v for v in self.values if v.step and not v.given and v.text not in self.parts]
        results = [v.text for v in able if not v.read][-4:] or [able[-1].text]
        if rng.random() < 0.3:
            results.append(rng.choice(able).text)
        body = "\n        ".join(self.lines)
        if rng.random() < 0.5:
            shape = "Shape<2, 5, 3, 7>"
        else:
            shape = "Shape<2, 64, 64, 77>"
        gpu, rules = ["false", "true"][index % 2], ["false", "true"][index // 2 % 2]
        return f"""
struct layer{index} {{
    static constexpr auto graph() {{
        {body}
        return outputs({", ".join(dict.fromkeys(results))});
    }}
}};
TEST(RandomLayer, Layer{index:03}) {{
    fuzz::layers::check<layer{index}, {shape}, {gpu}, {rules}>(
        {{{{4, {{2, 5, 3, 7}}}}, {{4, {{1, 3, 1, 1}}}}, {{4, {{3, 1, 4, 2}}}}}});
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--units", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    layers = [Layer(random.Random(f"{args.seed}.{n}")).source(n) for n in range(args.layers)]
    os.makedirs(args.out, exist_ok=True)
    for unit in range(args.units):
        with open(os.path.join(args.out, f"layers_{unit:02}.cpp"), "w") as f:
            f.write("// Written by tests/fuzz/make_layers.py.\n#include <fuzz/layers.hpp>\n\n"
                    "using namespace inlay;\nusing namespace inlay::planner;\n\nnamespace {\n")
            f.writelines(layers[unit::args.units])
            f.write("\n}\n")
    print(f"{args.layers} layers")


if __name__ == "__main__":
    main()
