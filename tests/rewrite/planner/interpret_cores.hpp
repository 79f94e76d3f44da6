// SPDX-License-Identifier: Apache-2.0
/// The cores of layers for the interpreter of terms.
#pragma once

#include "interpret.hpp"

namespace inlay_test {

inline Value product_of(const Value& x, const Value& w) {
    Sizes e = x.extents;
    const index_t k = e.back();
    e.back() = w.extents.at(0);
    if (w.extents.at(1) != k) throw std::invalid_argument("a product's operands differ in k");
    return filled(e, [&](Sizes c) {
        const index_t n = c.back();
        double sum = 0;
        for (c.back() = 0; c.back() < k; ++c.back()) sum += x(c) * w({n, c.back()});
        return sum;
    });
}
template <>
struct meaning<core::Linear> {
    static Value of(const Operands& x, const Leaves&) { return product_of(*x.at(0), *x.at(1)); }
};
/// w as the file has it: [O, C / groups, R, S].
template <class Window>
struct meaning<core::Conv2D<Window>> {
    static Value of(const Operands& x, const Leaves&) {
        const Sizes &e = x.at(0)->extents, &w = x.at(1)->extents;
        const index_t per_group = w[0] / Window::groups;
        const auto out = [](index_t in, index_t taps) {
            return (in + Window::before + Window::after - (taps - 1) * Window::dilation - 1) / Window::stride + 1;
        };
        return filled({e[0], out(e[1], w[2]), out(e[2], w[3]), w[0]}, [&](const Sizes& c) {
            double sum = 0;
            for (index_t r = 0; r < w[2]; ++r)
                for (index_t s = 0; s < w[3]; ++s) {
                    const index_t row = c[1] * Window::stride + r * Window::dilation - Window::before,
                                  col = c[2] * Window::stride + s * Window::dilation - Window::before;
                    if (row < 0 || row >= e[1] || col < 0 || col >= e[2]) continue;
                    for (index_t i = 0; i < w[1]; ++i)
                        sum += (*x[0])({c[0], row, col, c[3] / per_group * w[1] + i}) * (*x[1])({c[3], i, r, s});
                }
            return sum;
        });
    }
};
/// Four 2×2 convolutions, each of its phase of the output's pixels. w [4, O, 4·C]: rows, columns, channels of a tap.
template <>
struct meaning<core::UpsampledConv> {
    static Value of(const Operands& x, const Leaves&) {
        const Sizes &e = x.at(0)->extents, &w = x.at(1)->extents;
        return filled({e[0], 2 * e[1], 2 * e[2], w[1]}, [&](const Sizes& c) {
            double sum = 0;
            for (index_t r = 0; r < 2; ++r)
                for (index_t s = 0; s < 2; ++s) {
                    const index_t p = c[1] % 2, q = c[2] % 2, row = c[1] / 2 + r - 1 + p, col = c[2] / 2 + s - 1 + q;
                    if (row < 0 || row >= e[1] || col < 0 || col >= e[2]) continue;
                    for (index_t i = 0; i < e[3]; ++i)
                        sum += (*x[0])({c[0], row, col, i}) * (*x[1])({2 * p + q, c[3], (2 * r + s) * e[3] + i});
                }
            return sum;
        });
    }
};

/// (x − mean) / √(variance + Eps) · γ + β over the elements that `same(a, b)` puts together.
template <class Same>
Value normalised(const Operands& x, double eps, Same same) {
    const Value &in = *x.at(0), &gamma = *x.at(1), &beta = *x.at(2);
    return filled(in.extents, [&](const Sizes& c) {
        double n = 0, mean = 0, squares = 0;
        for (index_t i = 0; i < in.size(); ++i)
            if (same(in.coordinate(i), c)) mean += in[i], ++n;
        mean /= n;
        for (index_t i = 0; i < in.size(); ++i)
            if (same(in.coordinate(i), c)) squares += (in[i] - mean) * (in[i] - mean);
        return (in(c)-mean) / std::sqrt(squares / n + eps) * gamma[c.back()] + beta[c.back()];
    });
}
template <int Groups, double Eps>
struct meaning<core::GroupNorm<Groups, Eps>> {
    static Value of(const Operands& x, const Leaves&) {
        const index_t width = x.at(0)->last() / Groups;
        return normalised(x, Eps, [&](const Sizes& a, const Sizes& b) {
            return a[0] == b[0] && a.back() / width == b.back() / width;
        });
    }
};
template <double Eps>
struct meaning<core::LayerNorm<Eps>> {
    static Value of(const Operands& x, const Leaves&) {
        return normalised(x, Eps, [&](Sizes a, const Sizes& b) {
            a.back() = b.back();
            return a == b;
        });
    }
};
template <>
struct meaning<core::RowMean> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e = x.at(0)->extents;
        e.back() = 1;
        return filled(e, [&](Sizes c) {
            double sum = 0;
            for (c.back() = 0; c.back() < x[0]->last(); ++c.back()) sum += (*x[0])(c);
            return sum / static_cast<double>(x[0]->last());
        });
    }
};

inline double meaning_of_score(inlay::score::Scaled, double product, index_t d) {
    return std::exp(product / std::sqrt(static_cast<double>(d)));
}
inline double meaning_of_score(inlay::score::Base2, double product, index_t) {
    return std::exp2(product);
}
inline bool visible(inlay::mask::Full, const Operands&, index_t, index_t, index_t) {
    return true;
}
inline bool visible(inlay::mask::Causal, const Operands&, index_t, index_t q, index_t k) {
    return k <= q;
}
/// Keys below a number of each item of the batch, [B, 1, 1, 1].
inline bool visible(inlay::mask::If<inlay::Less<inlay::Coord<3>, Buf<3>>>, const Operands& x, index_t b, index_t,
                    index_t k) {
    return static_cast<double>(k) < (*x.at(3))[b];
}

/// Queries and keys are as many where the mask is causal.
template <int D, class... Option>
struct meaning<core::Attention<D, Option...>> {
    using score = inlay::option_of<inlay::score_option, Option...>;
    using mask = inlay::option_of<inlay::mask_option, Option...>;
    static Value of(const Operands& x, const Leaves&) {
        const Value &q = *x.at(0), &k = *x.at(1), &v = *x.at(2);
        const index_t group = q.extents[1] / k.extents[1];
        return filled({q.extents[0], q.extents[1], q.extents[2], v.last()}, [&](const Sizes& c) {
            double whole = 0, sum = 0;
            for (index_t key = 0; key < k.extents[2]; ++key) {
                if (!visible(mask{}, x, c[0], c[2], key)) continue;
                double product = 0;
                for (index_t d = 0; d < D; ++d) product += q({c[0], c[1], c[2], d}) * k({c[0], c[1] / group, key, d});
                const double p = meaning_of_score(score{}, product, D);
                whole += p;
                sum += p * v({c[0], c[1] / group, key, c[3]});
            }
            return whole == 0 ? 0 : sum / whole;
        });
    }
};
/// Over one axis.
template <int Axis>
struct meaning<core::Reduce<inlay::reduction::Sum, inlay::Axes<Axis>>> {
    static Value of(const Operands& x, const Leaves&) {
        const std::size_t axis = axis_of_value(Axis, *x.at(0));
        Sizes e = x[0]->extents;
        e[axis] = 1;
        return filled(e, [&](Sizes c) {
            double sum = 0;
            for (c[axis] = 0; c[axis] < x[0]->extents[axis]; ++c[axis]) sum += (*x[0])(c);
            return sum;
        });
    }
};
template <>
struct meaning<core::Softmax> {
    static Value of(const Operands& x, const Leaves&) {
        return filled(x.at(0)->extents, [&](Sizes c) {
            const double own = std::exp((*x[0])(c));
            double sum = 0;
            for (c.back() = 0; c.back() < x[0]->last(); ++c.back()) sum += std::exp((*x[0])(c));
            return own / sum;
        });
    }
};

}  // namespace inlay_test
