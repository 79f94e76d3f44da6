// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <limits>

namespace {
using namespace inlay_test;

constexpr double pi = 3.14159265358979323846;

/// E over x in [first, first + 0.07·99] against a formula in double.
template <class E, class F>
void check(F f, double first = -3.5, double tolerance = 2e-6) {
    const auto x = ramp(first, 0.07, 3, 33);
    const auto v = values<E>(slots(x), tolerance);
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double exact = f(static_cast<double>(x.memory[i]));
        EXPECT_NEAR(v[i], exact, tolerance * std::max(1.0, std::fabs(exact))) << name<E>() << ' ' << x.memory[i];
    }
}

TEST(Unary, Activations) {
    check<Silu<Buf<0>>>([](double x) { return x / (1 + std::exp(-x)); });
    check<Gelu<Buf<0>>>([](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2)); });
    check<GeluTanh<Buf<0>>>(
        [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x))); });
    check<QuickGelu<Buf<0>>>([](double x) { return x / (1 + std::exp(-1.702 * x)); });
    check<Sigmoid<Buf<0>>>([](double x) { return 1 / (1 + std::exp(-x)); });
    check<Relu<Buf<0>>>([](double x) { return x > 0 ? x : 0; });
    check<decltype(leaky_relu<0.25>(buf<0>))>([](double x) { return x > 0 ? x : 0.25 * x; });
}

TEST(Unary, Functions) {
    check<Tanh<Buf<0>>>([](double x) { return std::tanh(x); });
    check<Exp<Buf<0>>>([](double x) { return std::exp(x); });
    check<Exp2<Buf<0>>>([](double x) { return std::exp2(x); });
    check<Sin<Buf<0>>>([](double x) { return std::sin(x); });
    check<Cos<Buf<0>>>([](double x) { return std::cos(x); });
    check<Erf<Buf<0>>>([](double x) { return std::erf(x); });
    check<Log<Buf<0>>>([](double x) { return std::log(x); }, 0.01);
    check<Sqrt<Buf<0>>>([](double x) { return std::sqrt(x); }, 0.01);
    check<Rsqrt<Buf<0>>>([](double x) { return 1 / std::sqrt(x); }, 0.01);
    check<Neg<Buf<0>>>([](double x) { return -x; });
    check<Abs<Buf<0>>>([](double x) { return std::fabs(x); });
    check<Floor<Buf<0>>>([](double x) { return std::floor(x); });
    check<Ceil<Buf<0>>>([](double x) { return std::ceil(x); });
    check<Ascending<Buf<0>>>([](double x) { return x; });
    check<Not<Floor<Buf<0>>>>([](double x) { return std::floor(x) == 0 ? 1 : 0; });
}

TEST(Unary, FarOutTheActivationsStayFinite) {
    const Data<float, 1> x({{4}}, {-200, 200, -1e30, 1e30});
    EXPECT_EQ((values<Silu<Buf<0>>>(slots(x))), (std::vector<float>{0, 200, 0, 1e30f}));
    EXPECT_EQ((values<Sigmoid<Buf<0>>>(slots(x))), (std::vector<float>{0, 1, 0, 1}));
    EXPECT_EQ((values<Gelu<Buf<0>>>(slots(x))), (std::vector<float>{0, 200, 0, 1e30f}));
}

TEST(Unary, CastRoundsAndTruncates) {
    const Data<float, 1> x({{4}}, {1.0009765625f * 1.0001f, -2.7, 2.7, 257.3});
    const auto h = values<Cast<Buf<0>, fp16>>(slots(x)), b = values<Cast<Buf<0>, bf16>>(slots(x));
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(h[i], static_cast<float>(fp16(x.memory[i])));
        EXPECT_EQ(b[i], static_cast<float>(bf16(x.memory[i])));
    }
    EXPECT_EQ((values<Cast<Buf<0>, std::int32_t>>(slots(x))), (std::vector<float>{1, -2, 2, 257}));
}

TEST(Unary, NanPasses) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Data<float, 1> x({{3}}, {1, -1, 0});
    x.memory[1] = nan;
    for (const auto& v : {values<Relu<Buf<0>>>(slots(x)), values<Abs<Buf<0>>>(slots(x)), values<Silu<Buf<0>>>(slots(x)),
                          values<decltype(leaky_relu(buf<0>))>(slots(x)), values<Cast<Buf<0>, fp16>>(slots(x)),
                          values<Cast<Buf<0>, bf16>>(slots(x)), values<Gelu<Buf<0>>>(slots(x))}) {
        EXPECT_FALSE(std::isnan(v[0]));
        EXPECT_TRUE(std::isnan(v[1]));
        EXPECT_FALSE(std::isnan(v[2]));
    }
}

/// A new operation is one struct with one function.
template <class E>
struct Mish : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return x * math::tanh(math::log(T(1) + math::exp(x)));
    }
};
TEST(Unary, AnOperationFromOutside) {
    check<Mish<Buf<0>>>([](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
    EXPECT_EQ(name<Mish<Buf<0>>>(), "Mish<Buf<0>>");
}

}  // namespace
