// SPDX-License-Identifier: Apache-2.0
/// Weights made of weights for the interpreter of terms. Filters are as the file has them, [O, C, R, S]; rows made of
/// them are as they are packed, [R, S, C].
#pragma once

#include "interpret.hpp"

#include <inlay/rewrite/planner/load/folded.hpp>
#include <inlay/rewrite/planner/load/joined.hpp>
#include <inlay/rewrite/planner/load/part.hpp>

namespace inlay_test {

namespace load = inlay::planner::load;

/// Row o of a weight, as it is packed.
inline std::vector<double> packed_row(const Value& w, index_t o) {
    std::vector<double> row;
    if (w.rank() == 2)
        for (index_t i = 0; i < w.extents[1]; ++i) row.push_back(w({o, i}));
    else
        for (index_t r = 0; r < w.extents.at(2); ++r)
            for (index_t s = 0; s < w.extents.at(3); ++s)
                for (index_t i = 0; i < w.extents[1]; ++i) row.push_back(w({o, i, r, s}));
    return row;
}
inline Value value_of_rows(const std::vector<std::vector<double>>& rows) {
    return filled({static_cast<index_t>(rows.size()), static_cast<index_t>(rows.at(0).size())}, [&](const Sizes& c) {
        return rows.at(static_cast<std::size_t>(c[0])).at(static_cast<std::size_t>(c[1]));
    });
}

template <int N>
struct meaning<load::JoinRows<N>> {
    static Value of(const Operands& x, const Leaves&) {
        std::vector<std::vector<double>> rows;
        for (const Value* w : x)
            for (index_t o = 0; o < w->extents[0]; ++o) rows.push_back(packed_row(*w, o));
        return value_of_rows(rows);
    }
};
template <int N>
struct meaning<load::JoinVectors<N>> {
    static Value of(const Operands& x, const Leaves&) {
        Value r({0});
        for (const Value* b : x) r.v.insert(r.v.end(), b->v.begin(), b->v.end());
        r.extents[0] = static_cast<index_t>(r.v.size());
        return r;
    }
};
template <int I, int Parts>
struct meaning<load::VectorPart<I, Parts>> {
    static Value of(const Operands& x, const Leaves&) {
        const index_t n = x.at(0)->extents[0] / Parts;
        return filled({n}, [&](const Sizes& c) { return (*x[0])({I * n + c[0]}); });
    }
};
template <>
struct meaning<load::JoinColumns> {
    static Value of(const Operands& x, const Leaves&) {
        std::vector<std::vector<double>> rows;
        for (index_t o = 0; o < x.at(0)->extents[0]; ++o) {
            rows.push_back(packed_row(*x[0], o));
            const auto more = packed_row(*x.at(1), o);
            rows.back().insert(rows.back().end(), more.begin(), more.end());
        }
        return value_of_rows(rows);
    }
};
template <>
struct meaning<load::AsMatrix> {
    static Value of(const Operands& x, const Leaves&) {
        std::vector<std::vector<double>> rows;
        for (index_t o = 0; o < x.at(0)->extents[0]; ++o) rows.push_back(packed_row(*x[0], o));
        return value_of_rows(rows);
    }
};
template <>
struct meaning<load::SumOfVectors> {
    static Value of(const Operands& x, const Leaves&) {
        return pointwise_value([](double a, double b) { return a + b; }, *x.at(0), *x.at(1));
    }
};
template <>
struct meaning<load::ScaledColumns> {
    static Value of(const Operands& x, const Leaves&) {
        return filled(x.at(0)->extents, [&](const Sizes& c) { return (*x[0])(c) * (*x.at(1))[c[1]]; });
    }
};
template <>
struct meaning<load::RowSums> {
    static Value of(const Operands& x, const Leaves&) {
        return filled({x.at(0)->extents[0]}, [&](const Sizes& c) {
            double sum = 0;
            for (index_t k = 0; k < x[0]->extents[1]; ++k) sum += (*x[0])({c[0], k});
            return sum;
        });
    }
};
template <>
struct meaning<load::Shift> {
    static Value of(const Operands& x, const Leaves&) {
        return filled({x.at(0)->extents[0]}, [&](const Sizes& c) {
            double sum = 0;
            for (index_t k = 0; k < x[0]->extents[1]; ++k) sum += (*x[0])({c[0], k}) * (*x.at(1))[k];
            return sum;
        });
    }
};
/// Tap (r, s) of phase (p, q) sums the taps of the filter that read the same pixel of the small image: for row 2·i + p
/// of the output, tap t of the filter reads row ⌊(2·i + p + t − 1) / 2⌋, and tap r of the phase row i + r − 1 + p.
template <>
struct meaning<load::PhaseWeights> {
    static Value of(const Operands& x, const Leaves&) {
        const Sizes& w = x.at(0)->extents;
        return filled({4, w[0], 4 * w[1]}, [&](const Sizes& c) {
            const index_t p = c[0] / 2, q = c[0] % 2, r = c[2] / (2 * w[1]), s = c[2] / w[1] % 2, i = c[2] % w[1];
            const auto reads = [](index_t phase, index_t tap) {
                return (2 * 8 + phase + tap - 1) / 2 - 8;  // 8: any row
            };
            double sum = 0;
            for (index_t t = 0; t < 3; ++t)
                for (index_t u = 0; u < 3; ++u)
                    if (reads(p, t) == r - 1 + p && reads(q, u) == s - 1 + q) sum += (*x[0])({c[1], i, t, u});
            return sum;
        });
    }
};
template <int D, int Parts>
struct meaning<load::QueryFactors<D, Parts>> {
    static Value of(const Operands& x, const Leaves&) {
        const index_t n = x.at(0)->extents[0];
        return filled({n}, [&](const Sizes& c) {
            return c[0] < n / Parts ? std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(D)) : 1.0;
        });
    }
};

}  // namespace inlay_test
