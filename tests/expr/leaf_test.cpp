// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <array>

namespace {
using namespace inlay_test;

TEST(Leaf, ATensorOfAnyTypeReadsAsFloat) {
    const auto f = ramp<float>(-1, 0.5, 7), i = ramp<float>(0, 1, 7);
    const auto h = ramp<fp16>(-1, 0.5, 7);
    const auto b = ramp<bf16>(-1, 0.5, 7);
    const auto n = ramp<std::int32_t>(-3, 1, 7);
    const auto d = ramp<double>(-1, 0.5, 7);
    const auto env = slots(f, h, b, n, d);
    const auto all = values<Add<Add<Buf<0>, Mul<Buf<1>, Buf<2>>>, Sub<Buf<3>, Buf<4>>>>(env);
    for (int j = 0; j < 7; ++j) {
        const float x = -1 + 0.5f * static_cast<float>(j);
        EXPECT_EQ(all[static_cast<std::size_t>(j)], x + x * x + static_cast<float>(j - 3) - x);
    }
}

TEST(Leaf, StridesAreFollowed) {
    auto x = ramp(0, 1, 4, 6);
    x.tensor = Tensor<float, 2>(x.memory.data() + 1, {{3, 2}}, {{1, 6}});  // a transposed window
    const auto v = values<Neg<Buf<0>>>(slots(x));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 2; ++c) EXPECT_EQ(v[static_cast<std::size_t>(2 * r + c)], -(1 + r + 6 * c));
}

TEST(Leaf, RanksZeroToFive) {
    EXPECT_EQ(values<Neg<Buf<0>>>(slots(ramp(3, 0))).size(), 1u);
    EXPECT_EQ(values<Neg<Buf<0>>>(slots(ramp(3, 1, 5))).size(), 5u);
    EXPECT_EQ(values<Neg<Buf<0>>>(slots(ramp(3, 1, 2, 3))).size(), 6u);
    EXPECT_EQ(values<Neg<Buf<0>>>(slots(ramp(3, 1, 2, 1, 3))).size(), 6u);
    EXPECT_EQ(values<Neg<Buf<0>>>(slots(ramp(3, 1, 2, 3, 1, 2))).size(), 12u);
    EXPECT_EQ(values<Neg<Buf<0>>>(slots(ramp(3, 1, 2, 1, 3, 1, 2))).size(), 12u);
}

TEST(Leaf, RaggedRows) {
    for (int n : {1, 2, 3, 15, 16, 17, 31, 33, 64, 100}) {
        const auto x = ramp(-5, 0.1, 2, n);
        const auto v = values<Mul<Buf<0>, Buf<0>>>(slots(x));
        for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], x.memory[i] * x.memory[i]) << n;
    }
}

TEST(Leaf, AScalarByValueAndByPointer) {
    const auto x = ramp(1, 1, 3);
    float live = 2;
    const auto env = slots_and<2>({Scalar(10.0), Scalar(&live)}, x);
    using E = Add<Mul<Buf<0>, Param<1>>, Param<0>>;
    const auto bound = bind<E>(env);
    EXPECT_EQ(value_at<float>(bound, Extents<1>{{2}}), 16);
    live = -1;  // every run reads it again
    EXPECT_EQ(value_at<float>(bound, Extents<1>{{2}}), 7);
    EXPECT_EQ(values<E>(env), (std::vector<float>{9, 8, 7}));
}

TEST(Leaf, ConstantsAndCoordinates) {
    const auto x = ramp(0, 0, 3, 20);
    const auto v = values<Add<Buf<0>, Add<Mul<Coord<0>, Const<100.0>>, Coord<-1>>>>(slots(x));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 20; ++c) EXPECT_EQ(v[static_cast<std::size_t>(20 * r + c)], 100 * r + c);
}

TEST(Leaf, AQueryPositionIsCountedFromTheEndOfTheKeys) {
    const Env<4, 0> env{{}, {}, {{1, 2, 3, 8}}};
    using E = Sub<Mul<QueryPosition, Const<100>>, Coord<3>>;
    const auto bound = bind<E>(env);
    for (index_t q = 0; q < 3; ++q)
        for (index_t k = 0; k < 8; ++k) {
            const Extents<4> c{{0, 1, q, k}};
            EXPECT_EQ(value_at<float>(bound, c), 100 * (q + 5) - k);
            EXPECT_EQ(reference<E>(env, c), 100 * (q + 5) - k);
        }
    static_assert(!valid<QueryPosition>);  // outside scores
}

TEST(Leaf, ACoordinateBelowAViewIsTheViewsOwn) {
    const auto x = ramp(0, 0, 4, 6);
    using Inner = Add<Buf<0>, Coord<-1>>;
    EXPECT_EQ((values<Slice<Inner, -1, 2, 3>>(slots(x))), (std::vector<float>{2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3, 4}));
    // The same leaf below views of other shapes is another value.
    const auto tall = ramp(0, 0, 2, 4, 6);
    const auto flat = ramp(0, 0, 1, 6);
    const auto v = values<Add<Broadcast<Coord<0>, Buf<0>>, Broadcast<Coord<0>, Buf<1>>>>(slots(x, tall));
    const auto w = values<Sub<Broadcast<Coord<0>, Buf<0>>, Broadcast<Coord<0>, Buf<1>>>>(slots(x, flat));
    for (int a = 0; a < 2; ++a)
        for (int r = 0; r < 4; ++r) EXPECT_EQ(v[static_cast<std::size_t>((a * 4 + r) * 6)], r + a);
    for (int r = 0; r < 4; ++r) EXPECT_EQ(w[static_cast<std::size_t>(6 * r)], r);
}

TEST(Leaf, OutIsTheAccumulator) {
    const auto bias = ramp(10, 1, 5);
    const auto env = with_out(slots(bias), Extents<2>{{2, 5}});
    const auto bound = bind<Silu<Add<Out, Buf<0>>>>(env);
    const float acc[5] = {-10, -10, -12, 0, 1};
    float to[5];
    on_host::evaluate_row(bound, Extents<2>{{1, 0}}, 5, to, acc);
    for (int j = 0; j < 5; ++j) {
        const double x = acc[j] + 10.0 + j;
        EXPECT_NEAR(to[j], x / (1 + std::exp(-x)), 1e-6 * std::max(1.0, std::fabs(x)));
    }
}

}  // namespace
