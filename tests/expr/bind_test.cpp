// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <inlay/exec/oracle.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>

#include <array>

namespace {
using namespace inlay_test;

TEST(Bind, AnArgumentThatDecidesExtentsIsBoundByValue) {
    const auto x = ramp(0, 1, 6);
    float live = 2;
    using E = Slice<Buf<0>, -1, param<0>, 3>;
    EXPECT_EQ(error_of([&] { extents_of<E>(slots_and<1>({Scalar(&live)}, x)); }),
              "inlay: Param<0> decides the extents of a view, so it must be bound by value, not by pointer");
    EXPECT_EQ(values<E>(slots_and<1>({Scalar(2.0)}, x)), (std::vector<float>{2, 3, 4}));
}

TEST(Bind, ABoundExpressionIsCopiedAsBytes) {
    using E = Add<Slice<Buf<0>, -1, param<0>, 3>, Concat<0, Buf<1>, Buf<1>>>;
    using B = Bound<E, Env<2, 1, Tensor<const float, 1>, Tensor<const fp16, 2>>>;
    EXPECT_TRUE(std::is_trivially_copyable_v<B>);
}

TEST(Bind, RanksFollowFromTheTypes) {
    using Environment = Env<3, 0, Tensor<float, 2>, Tensor<std::int32_t, 2>, Tensor<float, 4>>;
    EXPECT_EQ((rank_of<Add<Buf<0>, Const<1.0>>, Environment>), 2);
    EXPECT_EQ((rank_of<Gather<Buf<0>, Buf<1>>, Environment>), 3);
    EXPECT_EQ((rank_of<Reshape<Buf<2>, 4, -1>, Environment>), 2);
    EXPECT_EQ((rank_of<Mul<Out, Buf<0>>, Environment>), 3);
    EXPECT_EQ((rank_of<Broadcast<Const<1.0>, Buf<2>>, Environment>), 4);
}

TEST(Prepare, RunsAKernelInDouble) {
    auto y = ramp(0, 0, 2, 3);
    const auto x = ramp(1, 1, 2, 4), w = ramp(0.5, 0.25, 3, 4);
    const auto bias = ramp(10, 10, 3);
    const auto k =
        prepare<Linear<Buf<0>, Add<Mul<Out, Param<0>>, Buf<1>>>>(y.tensor, w.tensor, x.tensor, bias.tensor, 2);
    Oracle oracle;
    k.run(oracle);
    for (int m = 0; m < 2; ++m)
        for (int n = 0; n < 3; ++n) {
            double sum = 0;
            for (int i = 0; i < 4; ++i) sum += x.at({{m, i}}) * w.at({{n, i}});
            EXPECT_FLOAT_EQ(static_cast<float>(y.at({{m, n}})), static_cast<float>(2 * sum + bias.at({{n}})));
        }
}

TEST(Prepare, AMisfitIsOneErrorThatNamesTheKernel) {
    auto y = ramp(0, 0, 2, 3);
    const auto x = ramp(1, 1, 2, 4), w = ramp(0.5, 0.25, 3, 5), b = ramp(0, 1, 1, 4);
    EXPECT_EQ(error_of([&] { prepare<Linear<Buf<0>>>(y.tensor, w.tensor, x.tensor); }),
              "inlay: Linear<Buf<0>, Out, Store<0>, Auto>: the input [2, 4] has K = 4, the weight [3, 5] has K = 5");
    EXPECT_EQ(
        error_of([&] { prepare<Elementwise<Silu<Buf<0>>>>(y.tensor, x.tensor); }),
        "inlay: Elementwise<Silu<Buf<0>>, Store<0>, Auto>: the output takes [2, 3], the expression has extents [2, 4]");
    const auto g = ramp(0, 1, 4);
    EXPECT_EQ(
        error_of([&] { prepare<LayerNorm<Buf<0>>>(y.tensor, g.tensor, g.tensor, x.tensor); }),
        "inlay: LayerNorm<Buf<0>, Out, Store<0>, 1e-5, Auto>: the output takes [2, 3], the kernel computes [2, 4]");
    EXPECT_EQ(error_of([&] {
                  prepare<LayerNorm<Buf<0>, Add<Out, Slice<Buf<1>, -1, 0, 2>>>>(y.tensor, g.tensor, g.tensor, x.tensor,
                                                                                b.tensor);
              }),
              "inlay: LayerNorm<Buf<0>, Add<Out, Slice<Buf<1>, -1, 0, 2>>, Store<0>, 1e-5, Auto>: "
              "Add<Out, Slice<Buf<1>, -1, 0, 2>>: cannot broadcast [2, 4] with [1, 2]");
}

TEST(Prepare, AnEpilogueMayNotWidenTheResult) {
    auto y = ramp(0, 0, 1, 4);
    const auto x = ramp(1, 1, 1, 4), r = ramp(0, 1, 3, 4);
    const auto g = ramp(0, 1, 4);
    EXPECT_EQ(
        error_of(
            [&] { prepare<LayerNorm<Buf<0>, Add<Out, Buf<1>>>>(y.tensor, g.tensor, g.tensor, x.tensor, r.tensor); }),
        "inlay: LayerNorm<Buf<0>, Add<Out, Buf<1>>, Store<0>, 1e-5, Auto>: the epilogue Add<Out, Buf<1>> has extents "
        "[3, 4], the kernel's result has [1, 4]");
}

}  // namespace
