// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <limits>

namespace {
using namespace inlay_test;

const auto a = ramp(-2, 0.25, 3, 7), b = ramp(2, -0.2, 3, 7);

template <class E, class F>
void check(F f) {
    const auto v = values<E>(slots(a, b));
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double exact = f(static_cast<double>(a.memory[i]), static_cast<double>(b.memory[i]));
        EXPECT_NEAR(v[i], exact, 2e-6 * std::max(1.0, std::fabs(exact))) << name<E>() << ' ' << a.memory[i];
    }
}

TEST(Binary, Arithmetic) {
    using A = Buf<0>;
    using B = Buf<1>;
    check<Add<A, B>>([](double x, double y) { return x + y; });
    check<Sub<A, B>>([](double x, double y) { return x - y; });
    check<Mul<A, B>>([](double x, double y) { return x * y; });
    check<Div<A, Add<B, Const<3.0>>>>([](double x, double y) { return x / (y + 3); });
    check<Min<A, B>>([](double x, double y) { return std::fmin(x, y); });
    check<Max<A, B>>([](double x, double y) { return std::fmax(x, y); });
    check<Pow<Abs<A>, B>>([](double x, double y) { return std::pow(std::fabs(x), y); });
    check<Pow<A, Const<2.0>>>([](double x, double) { return x * x; });
    check<LeakyRelu<A, B>>([](double x, double y) { return x > 0 ? x : x * y; });
}

TEST(Binary, ComparisonsAndLogic) {
    using A = Floor<Buf<0>>;
    using B = Floor<Buf<1>>;
    const auto f = [](double x) { return std::floor(x); };
    check<Less<A, B>>([&](double x, double y) { return f(x) < f(y); });
    check<LessEqual<A, B>>([&](double x, double y) { return f(x) <= f(y); });
    check<Greater<A, B>>([&](double x, double y) { return f(x) > f(y); });
    check<GreaterEqual<A, B>>([&](double x, double y) { return f(x) >= f(y); });
    check<Equal<A, B>>([&](double x, double y) { return f(x) == f(y); });
    check<NotEqual<A, B>>([&](double x, double y) { return f(x) != f(y); });
    check<And<A, B>>([&](double x, double y) { return f(x) && f(y); });
    check<Or<A, B>>([&](double x, double y) { return f(x) || f(y); });
}

TEST(Binary, NanPassesThroughMinAndMax) {
    Data<float, 1> x({{4}}, {1, 1, 1, 1}), y({{4}}, {2, 2, 2, 2});
    x.memory[1] = y.memory[2] = x.memory[3] = y.memory[3] = std::numeric_limits<float>::quiet_NaN();
    for (const auto& v : {values<Min<Buf<0>, Buf<1>>>(slots(x, y)), values<Max<Buf<0>, Buf<1>>>(slots(x, y))}) {
        EXPECT_FALSE(std::isnan(v[0]));
        for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(v[i])) << i;
    }
    // With a NaN every comparison is false but "not equal"; a NaN condition is true.
    EXPECT_EQ((values<Less<Buf<0>, Buf<1>>>(slots(x, y))), (std::vector<float>{1, 0, 0, 0}));
    EXPECT_EQ((values<Equal<Buf<0>, Buf<0>>>(slots(x))), (std::vector<float>{1, 0, 1, 0}));
    EXPECT_EQ((values<NotEqual<Buf<0>, Buf<0>>>(slots(x))), (std::vector<float>{0, 1, 0, 1}));
    EXPECT_EQ((values<And<Buf<0>, Buf<1>>>(slots(x, y))), (std::vector<float>{1, 1, 1, 1}));
    EXPECT_EQ((values<Not<Buf<0>>>(slots(x))), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Binary, BroadcastsAsNumPyDoes) {
    const auto column = ramp(10, 10, 3, 1);
    const auto row = ramp(1, 1, 4);
    const auto cube = ramp(0, 100, 2, 1, 1);
    const auto env = slots(column, row, cube);
    using E = Add<Add<Buf<0>, Buf<1>>, Buf<2>>;
    EXPECT_EQ(extents_of<E>(env), (Extents<3>{{2, 3, 4}}));
    const auto v = values<E>(env);
    for (int i = 0; i < 24; ++i)
        EXPECT_EQ(v[static_cast<std::size_t>(i)], 10 + 10 * (i / 4 % 3) + 1 + i % 4 + 100 * (i / 12));
}

TEST(Binary, WhatDoesNotBroadcastSaysSo) {
    const auto x = ramp(0, 1, 2, 3), y = ramp(0, 1, 2, 4);
    const auto env = slots(x, y);
    EXPECT_EQ(error_of([&] { extents_of<Add<Buf<0>, Silu<Buf<1>>>>(env); }),
              "inlay: Add<Buf<0>, Silu<Buf<1>>>: cannot broadcast [2, 3] with [2, 4]");
}

TEST(Binary, AnAxisOfExtentZero) {
    const auto x = ramp(0, 1, 2, 0), y = ramp(0, 1, 2, 1);
    EXPECT_EQ((extents_of<Add<Buf<0>, Buf<1>>>(slots(x, y))), (Extents<2>{{2, 0}}));
    EXPECT_TRUE((values<Add<Buf<0>, Buf<1>>>(slots(x, y))).empty());
}

}  // namespace
