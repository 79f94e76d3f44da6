// SPDX-License-Identifier: Apache-2.0
/// A kernel with a schedule given by hand, run twice in other orders of threads, blocks and copies: the same bits, and
/// those of the oracle but for rounding. A target with packed weights has them in the second run.
#pragma once

#include <frame/check.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace inlay_test {

/// A scalar of a kernel, beside arrays.
struct Number {
    double value;
    double operator*() const { return value; }
};
template <class A>
auto placed_of(A& a) {
    if constexpr (std::is_same_v<A, Number>) return a;
    else return Placed(a);
}

/// `With{launcher, parts}` is a target that runs the schedule, sums in so many parts.
template <class K, class With, class T, int R, class... A>
void expect_schedule(int parts, const Extents<R>& out, A&... arrays) {
    SCOPED_TRACE(inlay::name<K>() + ", schedule " + std::to_string(With::schedule) + ", " + std::to_string(parts) +
                 " parts");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Array<T, R> y(out, nan);
    Array<double, R> exact(out, nan);
    inlay::Oracle oracle;
    inlay::prepare<K>(*exact, *std::as_const(arrays)...).run(oracle);
    auto placed = std::make_tuple(placed_of(arrays)...);
    std::vector<T> first;
    for (int run = 0; run < 2; ++run) {
        Placed to(y);
        With target{executor().launcher(), parts};
        if constexpr (requires { target.packed; }) target.packed = run == 1;
        std::apply([&](auto&... p) { inlay::prepare<K>(*to, *p...).run(target); }, placed);
        to.fetch();
        if (run == 0) first = y.v;
        else EXPECT_EQ(std::memcmp(first.data(), y.v.data(), y.v.size() * sizeof(T)), 0);
    }
    const double rounding = std::is_same_v<T, float> ? 0 : rounding_of<T>(exact.v);
    EXPECT_LE(relative_l2(doubles(y.v), exact.v), fp32_error + 1.25 * std::hypot(rounding, rounding));
}

}  // namespace inlay_test
