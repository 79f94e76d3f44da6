#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Translation units with one elementwise kernel, whose trees have a known number of nodes.

flat: sums of functions of tensors. nested: concats in concats, so many deep. between: concats with a function on each.
costly: nodes that cost too much, the control of the budgets.
"""
import re

COSTLY = """
template <class... T>
struct Longer {};
template <class L, int N>
struct Grown;
template <class... T, int N>
struct Grown<Longer<T...>, N> : Grown<Longer<T..., int>, N - 1> {};
template <class... T>
struct Grown<Longer<T...>, 0> {
    static constexpr float zero = 0;
};
template <class E>
inline constexpr float name_length = static_cast<float>(name<E>().size());

template <class E>
struct Costly : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(T x) {
        constexpr float shift = name_length<Costly> + Grown<Longer<E>, 150>::zero;
        return again(x, T(shift), std::make_integer_sequence<int, 20>{});
    }
    template <class T, int... I>
    INLAY_FN static T again(T x, T shift, std::integer_sequence<int, I...>) {
        ((x = math::sin(x) + shift + T(static_cast<float>(I))), ...);
        return x;
    }
};
"""


class Maker:
    def __init__(self):
        self.slots = 0

    def buf(self):
        self.slots += 1
        return f"Buf<{self.slots - 1}>"

    def flat(self, size):
        tree = self.buf()
        for _ in range(size - 1):
            tree = f"Add<{tree}, Silu<{self.buf()}>>"
        return tree

    def nested(self, size):
        if size == 0:
            return f"Slice<{self.buf()}, 0, 0, 8>"
        return f"Concat<0, Slice<{self.nested(size - 1)}, 0, 0, 4>, Slice<{self.nested(size - 1)}, 0, 4, 4>>"

    def between(self, size):
        tree = self.buf()
        for _ in range(size):
            tree = f"Silu<Concat<0, Slice<{tree}, 0, 0, 4>, Slice<{self.buf()}, 0, 4, 4>>>"
        return tree

    def costly(self, size):
        tree = self.buf()
        for _ in range(size):
            tree = f"Costly<{tree}>"
        return tree


def unit(kind, size, target):
    """The source of one kernel, and how many nodes its tree has."""
    make = Maker()
    tree = getattr(make, kind)(size)
    executor = "#include <inlay/exec/cuda.hpp>\n" if target == "Cuda" else ""
    arguments = ", ".join(["tensor(p, 8, 8, 8)"] * (make.slots + 1))
    source = (f"#include <inlay/inlay.hpp>\n{executor}\nusing namespace inlay;\n"
              f"{COSTLY if kind == 'costly' else ''}\nstruct kernel : Elementwise<{tree}> {{}};\n"
              f"void run(float* p, {target}& target) {{ prepare<kernel>({arguments}).run(target); }}\n")
    return source, len(re.findall(r"[A-Z]\w*<", tree))
