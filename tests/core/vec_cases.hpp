// SPDX-License-Identifier: Apache-2.0
/// Cases of short vectors of either kind: each lane is the scalar operation's result for it.
#pragma once

#include <inlay/core/vec.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

namespace m = inlay::math;

template <class T>
bool same(T a, T b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Not a template, since every operation on every vector comes here.
void expect(bool ok, const char* name, double x, double s = 0) { EXPECT_TRUE(ok) << name << ' ' << x << ' ' << s; }

/// Zeros, denormals, ties, the edges of the range, infinities and NaN.
template <class T>
std::vector<T> edges() {
    using L = std::numeric_limits<T>;
    std::vector<T> v = {0, T(0.5), 1, T(1.5), T(2.5), 3, T(0.1), 100, T(8388607.5), T(16777216)};
    v.insert(v.end(), {L::denorm_min(), L::min(), L::epsilon(), L::max(), L::infinity()});
    for (std::size_t i = 0, n = v.size(); i < n; ++i) v.push_back(-v[i]);
    v.push_back(L::quiet_NaN());
    return v;
}

/// Calls f(x) for vectors of all edges, each in every lane once.
template <class V, class F>
void each_edge(F f) {
    using T = typename V::value_type;
    const auto v = edges<T>();
    for (std::size_t first = 0; first < v.size(); ++first) {
        T x[V::lanes];
        for (std::size_t i = 0; i < V::lanes; ++i) x[i] = v[(first + i) % v.size()];
        f(V::load(x));
    }
}
template <class V, class F>
void unary(const char* name, F f) {
    each_edge<V>([&](const V& x) {
        const V y = f(x);
        for (int i = 0; i < V::lanes; ++i) expect(same(y[i], f(x[i])), name, static_cast<double>(x[i]));
    });
}
/// With a vector on either side, and with a scalar.
template <class V, class F>
void binary(const char* name, F f) {
    using T = typename V::value_type;
    each_edge<V>([&](const V& x) {
        for (const T s : edges<T>()) {
            const V both = f(x, V(s)), right = f(x, s), left = f(s, x);
            for (int i = 0; i < V::lanes; ++i) {
                const bool ok = same(both[i], f(x[i], s)) && same(right[i], both[i]) && same(left[i], f(s, x[i]));
                expect(ok, name, static_cast<double>(x[i]), static_cast<double>(s));
            }
        }
    });
}

/// The operations that have one right answer, so that both kinds of vectors agree to the last bit.
template <class V>
void exact_operations() {
    using T = typename V::value_type;
    unary<V>("-", [](auto x) { return -x; });
    unary<V>("abs", [](auto x) { return m::abs(x); });
    unary<V>("floor", [](auto x) { return m::floor(x); });
    unary<V>("ceil", [](auto x) { return m::ceil(x); });
    unary<V>("sqrt", [](auto x) { return m::sqrt(x); });
    unary<V>("rsqrt", [](auto x) { return m::rsqrt(x); });
    unary<V>("sin", [](auto x) { return m::sin(x); });
    unary<V>("cos", [](auto x) { return m::cos(x); });
    binary<V>("+", [](auto a, auto b) { return a + b; });
    binary<V>("-", [](auto a, auto b) { return a - b; });
    binary<V>("*", [](auto a, auto b) { return a * b; });
    binary<V>("/", [](auto a, auto b) { return a / b; });
    binary<V>("quotient", [](auto a, auto b) { return m::quotient(a, b); });
    binary<V>("pow", [](auto a, auto b) { return m::pow(a, b); });
    binary<V>("min", [](auto a, auto b) { return m::min(a, b); });
    binary<V>("max", [](auto a, auto b) { return m::max(a, b); });
    binary<V>("lt", [](auto a, auto b) { return m::lt(a, b); });
    binary<V>("le", [](auto a, auto b) { return m::le(a, b); });
    binary<V>("gt", [](auto a, auto b) { return m::gt(a, b); });
    binary<V>("ge", [](auto a, auto b) { return m::ge(a, b); });
    binary<V>("eq", [](auto a, auto b) { return m::eq(a, b); });
    binary<V>("ne", [](auto a, auto b) { return m::ne(a, b); });
    each_edge<V>([](const V& x) {
        const V y = m::select(x, V(T(3)), V(T(4)));
        for (int i = 0; i < V::lanes; ++i) EXPECT_EQ(y[i], m::select(x[i], T(3), T(4))) << x[i];
    });
}

/// Loads and stores at any address, operators that assign, folds over the lanes.
template <class V>
void lanes() {
    using T = typename V::value_type;
    constexpr int n = V::lanes;
    T a[n + 1], b[n], r[n + 2];
    for (int i = 0; i < n; ++i) a[i + 1] = T(i + 5), b[i] = T(2 * i + 1);
    const V x = V::load(a + 1), y = V::load(b);
    std::fill(r, r + n + 2, T(-1));
    (x + y * T(2)).store(r + 1);
    EXPECT_EQ(r[0], T(-1));
    EXPECT_EQ(r[n + 1], T(-1));
    V z = x;
    z += y;
    z *= y;
    z -= x;
    z /= y;
    for (int i = 0; i < n; ++i) {
        EXPECT_EQ(x[i], a[i + 1]);
        EXPECT_EQ(r[i + 1], x[i] + y[i] * T(2));
        EXPECT_EQ(z[i], ((x[i] + y[i]) * y[i] - x[i]) / y[i]);
        EXPECT_EQ((+x)[i], x[i]);
    }
    EXPECT_EQ(m::lane_sum(x), T(n * 5 + n * (n - 1) / 2));
}
/// The greatest in any lane, below 0; a NaN in any lane.
template <class V>
void folds_see_every_lane() {
    using T = typename V::value_type;
    for (int i = 0; i < V::lanes; ++i) {
        V one = V(T(-9));
        one.set(i, T(-2));
        EXPECT_EQ(m::lane_max(one), T(-2)) << i;
        EXPECT_EQ(m::lane_sum(one), T(-9 * (V::lanes - 1) - 2)) << i;
        V x = V(T(1));
        x.set(i, std::numeric_limits<T>::quiet_NaN());
        EXPECT_TRUE(std::isnan(m::lane_max(x))) << i;
        EXPECT_TRUE(std::isnan(m::lane_sum(x))) << i;
    }
}
/// From float to integer and back.
template <class F, class I>
void converts() {
    for (const float f : {0.f, -0.5f, 0.99f, -2.75f, 2147483520.f, -2147483648.f}) {
        const I i = m::convert<std::int32_t>(F(f));
        const F back = m::convert<float>(i);
        for (int k = 0; k < F::lanes; ++k) {
            EXPECT_EQ(i[k], static_cast<std::int32_t>(f));
            EXPECT_EQ(back[k], std::trunc(f));
        }
    }
}

}  // namespace
