// SPDX-License-Identifier: Apache-2.0
/// Records of rows for the interpreter of terms: columns of a part, columns, and mean and squared deviations of each
/// part.
#pragma once

#include "interpret.hpp"

#include <inlay/rewrite/planner/records.hpp>

#include <algorithm>
#include <array>

namespace inlay_test {

template <>
struct meaning<planner::Recorded> {
    static Value of(const Operands& x, const Leaves&) { return *x.at(0); }
};
/// As many parts as the record has room for, the last one of fewer columns.
template <>
struct meaning<planner::RowRecords> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e = x.at(0)->extents;
        const index_t columns = e.back(), numbers = columns / 8, parts = numbers / 2 - 1;
        if (numbers < 4 || numbers % 2 != 0) throw std::invalid_argument("rows of so many columns have no record");
        const index_t width = (columns + parts - 1) / parts;
        e.back() = numbers;
        return filled(e, [&](Sizes c) {
            const index_t n = c.back();
            if (n < 2) return static_cast<double>(n == 0 ? width : columns);
            const index_t first = (n / 2 - 1) * width, end = std::min(columns, first + width);
            double mean = 0, squares = 0;
            const auto each = [&](const auto& f) {
                for (c.back() = first; c.back() < end; ++c.back()) f((*x[0])(c));
            };
            each([&](double v) { mean += v / static_cast<double>(end - first); });
            each([&](double v) { squares += (v - mean) * (v - mean); });
            return n % 2 == 0 ? mean : squares;
        });
    }
};

/// Mean and mean squared deviation of the row whose record holds coordinate c.
inline std::array<double, 2> moments_of_record(const Value& records, Sizes c) {
    const auto number = [&](index_t i) {
        c.back() = i;
        return records(c);
    };
    const double width = number(0), columns = number(1);
    double mean = 0, squares = 0;
    const auto each = [&](const auto& f) {
        for (index_t i = 2; i < records.last(); i += 2) {
            const double before = width * static_cast<double>(i / 2 - 1);
            f(std::min(width, columns - before), number(i), number(i + 1));
        }
    };
    each([&](double n, double m, double) { mean += n * m / columns; });
    each([&](double n, double m, double s) { squares += s + n * (m - mean) * (m - mean); });
    return {mean, squares / columns};
}
template <class E>
struct meaning<planner::Expression<inlay::PublishedMean<E>>> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e = x.at(0)->extents;
        e.back() = 1;
        return filled(e, [&](const Sizes& c) { return moments_of_record(*x[0], c)[0]; });
    }
};
template <class E, inlay::detail::Real Eps>
struct meaning<planner::Expression<inlay::node::PublishedRstd<E, Eps>>> {
    static Value of(const Operands& x, const Leaves&) {
        Sizes e = x.at(0)->extents;
        e.back() = 1;
        return filled(e, [&](const Sizes& c) {
            return 1 / std::sqrt(moments_of_record(*x[0], c)[1] + inlay::detail::value_of(Eps));
        });
    }
};

}  // namespace inlay_test
