// SPDX-License-Identifier: Apache-2.0
/// Which leaf of an evaluated input is copied on sm_90a, by the types alone, and which inputs are no such thing.
#include <plan/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct scaled : Linear<Mul<Buf<0>, Buf<1>>> {};
template <class A, class B, class C, class D>
using Sum = Add<Add<A, B>, Add<C, D>>;
struct eight : Linear<Add<Sum<Buf<0>, Buf<1>, Buf<2>, Buf<3>>, Sum<Buf<4>, Buf<5>, Buf<6>, Buf<7>>>> {};

/// The number of the leaf that is copied where weights are of T and Buf<0> and Buf<1> of A and B.
template <class T, class A, class B>
constexpr int copied = detail::copied_leaf_of<
    T, std::remove_cvref_t<decltype(get<0>(prepare<scaled>(std::declval<Tensor<half, 2>>(),
                                                           std::declval<Tensor<half, 2>>(), std::declval<A>(),
                                                           std::declval<B>())
                                               .in))>>;

TEST(HopperEvaluated, CopiesTheLeafOfMostAxes) {
    using Rows = Tensor<const half, 2>;
    using Vector = Tensor<const half, 1>;
    EXPECT_EQ((copied<half, Rows, Vector>), 0);
    EXPECT_EQ((copied<half, Vector, Rows>), 1);
    EXPECT_EQ((copied<half, Rows, Rows>), 0);
    // Those of another type are vectors, whatever their axes.
    EXPECT_EQ((copied<half, Tensor<const float, 2>, Vector>), 1);
    EXPECT_EQ((copied<bf16, Rows, Vector>), -1);
}
TEST(HopperEvaluated, TakesOneTensorAndVectorsOfChannels) {
    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 128);
    EXPECT_EQ(refused<scaled>(y, w, x, shape(128)), "");
    EXPECT_EQ(refused<scaled>(y, w, shape(128), x), "");
    EXPECT_EQ(refused<scaled>(y, w, shape<float>(1, 128), x), "");
    EXPECT_EQ(refused<scaled>(y, w, x, shape<float>(1)), "");
    EXPECT_EQ(refused<scaled>(y, w, x, shape(1, 128)), "");
}
TEST(HopperEvaluated, RefusesOthers) {
    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 128);
    const auto v = shape(128);
    EXPECT_EQ(refused<scaled>(y, w, x, x), "two of its tensors differ from row to row");
    EXPECT_EQ(refused<scaled>(y, w, x, shape(64, 1)), "two of its tensors differ from row to row");
    EXPECT_EQ(refused<scaled>(y, w, shape<float>(64, 128), v), "what it reads is not of the weights' type");
    EXPECT_EQ(refused<scaled>(y, w, shape(1, 128), x),
              "a vector of channels has as many axes as what differs from row to row");
    EXPECT_EQ(refused<eight>(y, w, x, v, v, v, v, v, v, v), "it reads more than 7 tensors");
}

}  // namespace
