// SPDX-License-Identifier: Apache-2.0
/// Statistics of channels for the interpreter of terms: mean and squared deviations, and what groups make of them.
#pragma once

#include "interpret.hpp"

#include <inlay/rewrite/planner/records.hpp>
#include <inlay/rewrite/planner/rules/symbols.hpp>

#include <array>

namespace inlay_test {

/// f(x) over the elements of x that are of the item and of the channels `first` … `last` − 1.
template <class F>
void each_of_channels(const Value& x, index_t item, index_t first, index_t last, F f) {
    for (index_t i = 0; i < x.size(); ++i)
        if (const Sizes c = x.coordinate(i); c[0] == item && c.back() >= first && c.back() < last) f(x[i]);
}
template <>
struct meaning<planner::ChannelRecords> {
    static Value of(const Operands& x, const Leaves&) {
        const Sizes& e = x.at(0)->extents;
        return filled({e[0], e.back(), 2}, [&](const Sizes& c) {
            double n = 0, mean = 0, squares = 0;
            each_of_channels(*x[0], c[0], c[1], c[1] + 1, [&](double v) { mean += v, ++n; });
            mean /= n;
            each_of_channels(*x[0], c[0], c[1], c[1] + 1, [&](double v) { squares += (v - mean) * (v - mean); });
            return c[2] == 0 ? mean : squares;
        });
    }
};
/// Mean and variance of the group of channel c.back(): of means, and of squares about the group's.
inline std::array<double, 2> moments_of_group(const Operands& x, const Sizes& c, index_t groups) {
    const Value& records = *x.at(0);
    const Sizes& e = x.at(1)->extents;
    double pixels = 1;
    for (std::size_t i = 1; i + 1 < e.size(); ++i) pixels *= static_cast<double>(e[i]);
    const index_t width = e.back() / groups, first = c.back() / width * width;
    double mean = 0, squares = 0;
    for (index_t i = first; i < first + width; ++i) mean += records({c[0], i, 0}) / static_cast<double>(width);
    for (index_t i = first; i < first + width; ++i)
        squares += records({c[0], i, 1}) + pixels * std::pow(records({c[0], i, 0}) - mean, 2);
    return {mean, squares / pixels / static_cast<double>(width)};
}
inline Sizes of_channels(Sizes e) {
    for (std::size_t i = 1; i + 1 < e.size(); ++i) e[i] = 1;
    return e;
}
template <int Groups>
struct meaning<core::GroupMean<Groups>> {
    static Value of(const Operands& x, const Leaves&) {
        return filled(of_channels(x.at(1)->extents),
                      [&](const Sizes& c) { return moments_of_group(x, c, Groups)[0]; });
    }
};
template <int Groups, double Eps>
struct meaning<core::GroupScale<Groups, Eps>> {
    static Value of(const Operands& x, const Leaves&) {
        return filled(of_channels(x.at(1)->extents), [&](const Sizes& c) {
            return (*x.at(2))[c.back()] / std::sqrt(moments_of_group(x, c, Groups)[1] + Eps);
        });
    }
};

}  // namespace inlay_test
