// SPDX-License-Identifier: Apache-2.0
/// An interpreter of terms of a layer: each symbol as plain loops over doubles, from its definition. It shares no code
/// with the executors.
#pragma once

#include "value.hpp"

#include <inlay/expr/unary.hpp>
#include <inlay/rewrite/planner/rules/symbols.hpp>

#include <map>
#include <string>

namespace inlay_test {

namespace planner = inlay::planner;
namespace core = inlay::planner::core;
using inlay::Buf;

using Operands = std::vector<const Value*>;

/// Values of a layer's inputs and weights: random, the same for the same name.
struct Leaves {
    planner::Lengths lengths;
    unsigned seed = 1;
    double input_mean = 0;

    Value value(const std::string& name, Sizes extents, double mean = 0) const {
        std::mt19937 random(seed + static_cast<unsigned>(std::hash<std::string>()(name)));
        return normal_value(random, std::move(extents), mean);
    }
};

/// `of(operands, leaves)`: the value of symbol S.
template <class S>
struct meaning;

template <int I, planner::Phase P, planner::Dim... D>
struct meaning<planner::InputSymbol<I, P, D...>> {
    static Value of(const Operands&, const Leaves& l) {
        return l.value("input" + std::to_string(I), {planner::length_of(D, l.lengths)...}, l.input_mean);
    }
};
template <class Text, planner::Field F, planner::Layout L, planner::Dim... D>
struct meaning<planner::WeightSymbol<Text, F, L, D...>> {
    static Value of(const Operands&, const Leaves& l) {
        return l.value(std::string(Text::view()) + std::string(planner::suffix(F)),
                       {planner::length_of(D, l.lengths)...});
    }
};

template <auto V>
struct meaning<planner::Expression<inlay::node::Const<V>>> {
    static Value of(const Operands&, const Leaves&) {
        return filled({}, [](const Sizes&) { return inlay::node::Const<V>::value; });
    }
};
#define INLAY_TEST_BINARY(Node, formula)                                                            \
    template <>                                                                                     \
    struct meaning<planner::Expression<inlay::Node<Buf<0>, Buf<1>>>> {                              \
        static Value of(const Operands& x, const Leaves&) {                                         \
            return pointwise_value([](double a, double b) { return formula; }, *x.at(0), *x.at(1)); \
        }                                                                                           \
    };
#define INLAY_TEST_UNARY(Node, formula)                                         \
    template <>                                                                 \
    struct meaning<planner::Expression<inlay::Node<Buf<0>>>> {                  \
        static Value of(const Operands& x, const Leaves&) {                     \
            return pointwise_value([](double a) { return formula; }, *x.at(0)); \
        }                                                                       \
    };
INLAY_TEST_BINARY(Add, a + b)
INLAY_TEST_BINARY(Sub, a - b)
INLAY_TEST_BINARY(Mul, a* b)
INLAY_TEST_BINARY(Max, std::max(a, b))
INLAY_TEST_UNARY(Sigmoid, 1 / (1 + std::exp(-a)))
INLAY_TEST_UNARY(Tanh, std::tanh(a))
INLAY_TEST_UNARY(Rsqrt, 1 / std::sqrt(a))
INLAY_TEST_UNARY(Silu, a / (1 + std::exp(-a)))
INLAY_TEST_UNARY(Gelu, a * (1 + std::erf(a / std::sqrt(2.0))) / 2)
INLAY_TEST_UNARY(Exp, std::exp(a))
#undef INLAY_TEST_BINARY
#undef INLAY_TEST_UNARY
template <>
struct meaning<planner::Expression<inlay::Lerp<Buf<0>, Buf<1>, Buf<2>>>> {
    static Value of(const Operands& x, const Leaves&) {
        return pointwise_value([](double a, double b, double w) { return a + w * (b - a); }, *x.at(0), *x.at(1),
                               *x.at(2));
    }
};
template <class E, auto Axis, auto Start, auto Size>
struct meaning<planner::Expression<inlay::node::Slice<E, Axis, Start, Size>>> {
    static Value of(const Operands& x, const Leaves&) {
        const std::size_t axis = axis_of_value(static_cast<index_t>(Axis), *x.at(0));
        Sizes e = x[0]->extents;
        e[axis] = static_cast<index_t>(Size);
        return filled(e, [&](Sizes c) {
            c[axis] += static_cast<index_t>(Start);
            return (*x[0])(c);
        });
    }
};

template <auto Axis, class... E>
struct meaning<planner::Expression<inlay::node::Concat<Axis, E...>>> {
    static Value of(const Operands& x, const Leaves&) {
        const std::size_t axis = axis_of_value(Axis, *x.at(0));
        Sizes e = x[0]->extents;
        for (std::size_t i = 1; i < x.size(); ++i) {
            e[axis] += x[i]->extents.at(axis);
            Sizes other = x[i]->extents;
            other[axis] = x[0]->extents[axis];
            if (other != x[0]->extents) throw std::invalid_argument("operands of a concatenation differ");
        }
        return filled(e, [&](Sizes c) {
            std::size_t i = 0;
            while (c[axis] >= x[i]->extents[axis]) c[axis] -= x[i++]->extents[axis];
            return (*x[i])(c);
        });
    }
};
template <class E, index_t R, index_t S, index_t Stride, index_t PadRows, index_t PadCols>
struct meaning<planner::Expression<inlay::node::Im2col<E, R, S, Stride, PadRows, PadCols>>> {
    static Value of(const Operands& x, const Leaves&) {
        const Sizes& e = x.at(0)->extents;
        const index_t c = e[3];
        return filled({e[0], (e[1] + 2 * PadRows - R) / Stride + 1, (e[2] + 2 * PadCols - S) / Stride + 1, R * S * c},
                      [&](const Sizes& at) {
                          const index_t tap = at[3] / c, row = at[1] * Stride - PadRows + tap / S,
                                        col = at[2] * Stride - PadCols + tap % S;
                          const bool inside = row >= 0 && row < e[1] && col >= 0 && col < e[2];
                          return inside ? (*x[0])({at[0], row, col, at[3] % c}) : 0.0;
                      });
    }
};
template <class E, index_t Factor, index_t... Axes>
struct meaning<planner::Expression<inlay::node::Upsample<E, Factor, Axes...>>> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e = x.at(0)->extents;
        ((e[axis_of_value(Axes, *x[0])] *= Factor), ...);
        return filled(e, [&](Sizes c) {
            ((c[axis_of_value(Axes, *x[0])] /= Factor), ...);
            return (*x[0])(c);
        });
    }
};
template <class E, index_t... P>
struct meaning<planner::Expression<inlay::node::Permute<E, P...>>> {
    static Value of(const Operands& x, const Leaves&) {
        const index_t p[] = {P...};
        Sizes e;
        for (const index_t a : p) e.push_back(x.at(0)->extents.at(static_cast<std::size_t>(a)));
        return filled(e, [&](const Sizes& c) {
            Sizes from(c.size());
            for (std::size_t i = 0; i < c.size(); ++i) from[static_cast<std::size_t>(p[i])] = c[i];
            return (*x[0])(from);
        });
    }
};

template <class E, index_t... N>
struct meaning<planner::Expression<inlay::node::Reshape<E, N...>>> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e{N...};
        index_t known = 1;
        for (const index_t n : e) known *= n < 0 ? 1 : n;
        for (index_t& n : e) n = n < 0 ? x.at(0)->size() / known : n;
        Value r(e);
        if (r.size() != x[0]->size()) throw std::invalid_argument("a reshape of other elements");
        r.v = x[0]->v;
        return r;
    }
};
template <planner::Pin P>
struct meaning<planner::PinSymbol<P>> {
    static Value of(const Operands& x, const Leaves&) { return *x.at(0); }
};

template <int D>
struct meaning<planner::Heads<D>> {
    static Value of(const Operands& x, const Leaves&) {
        const index_t batch = x.at(0)->extents[0], wide = x[0]->last(), tokens = x[0]->size() / (batch * wide);
        return filled({batch, wide / D, tokens, D},
                      [&](const Sizes& c) { return (*x[0])[(c[0] * tokens + c[2]) * wide + c[1] * D + c[3]]; });
    }
};
template <>
struct meaning<planner::MergedHeads> {
    static Value of(const Operands& x, const Leaves&) {
        const Sizes& e = x.at(0)->extents;
        return filled({e[0], e[2], e[1] * e[3]},
                      [&](const Sizes& c) { return (*x[0])({c[0], c[2] / e[3], c[1], c[2] % e[3]}); });
    }
};
template <>
struct meaning<planner::Tokens> {
    static Value of(const Operands& x, const Leaves&) {
        Value r({x.at(0)->extents[0], x[0]->rows() / x[0]->extents[0], x[0]->last()});
        r.v = x[0]->v;
        return r;
    }
};
template <planner::Dim H, planner::Dim W>
struct meaning<planner::Image<H, W>> {
    static Value of(const Operands& x, const Leaves& l) {
        const index_t rows = planner::length_of(H, l.lengths), cols = planner::length_of(W, l.lengths);
        Value r({x.at(0)->extents[0], rows, cols, x[0]->last()});
        if (r.size() != x[0]->size()) throw std::invalid_argument("tokens that are no image");
        r.v = x[0]->v;
        return r;
    }
};
template <int I, int N>
struct meaning<planner::Part<I, N>> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e = x.at(0)->extents;
        e.back() /= N;
        return filled(e, [&](Sizes c) {
            c.back() += I * e.back();
            return (*x[0])(c);
        });
    }
};
template <>
struct meaning<planner::Twice> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e = x.at(0)->extents;
        e[0] *= 2;
        return filled(e, [&](Sizes c) {
            c[0] %= x[0]->extents[0];
            return (*x[0])(c);
        });
    }
};

}  // namespace inlay_test
