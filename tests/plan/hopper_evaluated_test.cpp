// SPDX-License-Identifier: Apache-2.0
/// Which leaf of an evaluated input is copied on sm_90a, by the types alone, and which inputs are no such thing.
#include <plan/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct scaled : Linear<Mul<Buf<0>, Buf<1>>> {};
template <class A, class B>
using Geglu = Mul<A, Gelu<B>>;
using Hidden = Slice<Buf<0>, -1, 0, 128>;
using Gate = Slice<Buf<0>, -1, 128, 128>;
struct geglu : Linear<Geglu<Hidden, Gate>> {};
struct geglu_scaled : Linear<Geglu<Hidden, Mul<Gate, Buf<1>>>> {};
struct thrice : Linear<Add<Geglu<Hidden, Gate>, Slice<Buf<0>, -1, 64, 128>>> {};
struct two_twice : Linear<Add<Geglu<Hidden, Gate>, Geglu<Slice<Buf<1>, -1, 0, 128>, Slice<Buf<1>, -1, 128, 128>>>> {};
struct geglu_windows : Conv2D<Window<3>, Geglu<Hidden, Gate>> {};
template <class A, class B, class C, class D>
using Sum = Add<Add<A, B>, Add<C, D>>;
struct eight : Linear<Add<Sum<Buf<0>, Buf<1>, Buf<2>, Buf<3>>, Sum<Buf<4>, Buf<5>, Buf<6>, Buf<7>>>> {};

/// The leaves that are copied where K is prepared on a result, weights and tensors of types In, and weights are of T.
template <class T, class K, class... In>
constexpr detail::CopiedLeaves leaves = detail::copied_leaves_of<
    T, std::remove_cvref_t<decltype(get<0>(prepare<K>(std::declval<Tensor<half, 2>>(), std::declval<Tensor<half, 2>>(),
                                                      std::declval<In>()...)
                                               .in))>>;
/// The number of the one leaf that is copied; -1: none.
template <class T, class A, class B>
constexpr int copied = leaves<T, scaled, A, B>.count == 1 ? leaves<T, scaled, A, B>.leaf[0] : -1;

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
TEST(HopperEvaluated, CopiesTwoPlacesOfOneTensor) {
    using Rows = Tensor<const half, 2>;
    constexpr detail::CopiedLeaves two = leaves<half, geglu, Rows>;
    EXPECT_EQ(two.count, 2);
    EXPECT_EQ(two.bits(), 3u);
    EXPECT_EQ(two.place(0), 0);
    EXPECT_EQ(two.place(1), 1);
    EXPECT_EQ(two.place(2), -1);
    EXPECT_EQ((leaves<half, geglu_scaled, Rows, Rows>.bits()), 3u);
    EXPECT_EQ((leaves<half, scaled, Rows, Rows>.place(-1)), -1);
    EXPECT_EQ((leaves<bf16, geglu, Rows>.count), 0);
    EXPECT_EQ((leaves<half, thrice, Rows>.count), 0);
    EXPECT_EQ((leaves<half, two_twice, Rows, Rows>.count), 0);

    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 256);
    EXPECT_EQ(refused<geglu>(y, w, x), "");
    EXPECT_EQ(refused<geglu_scaled>(y, w, x, shape(128)), "");
    EXPECT_EQ(refused<geglu_scaled>(y, w, x, shape<float>(1, 128)), "");
    EXPECT_EQ(refused<geglu_scaled>(y, w, x, shape(64, 128)),
              "besides two places of one tensor another differs from row to row");
    const std::string neither = "its input is neither tensors as they lie nor a function of one and of vectors";
    EXPECT_EQ(refused<thrice>(y, w, x), neither);
    EXPECT_EQ(refused<two_twice>(y, w, x, x), neither);
    EXPECT_EQ(refused<geglu_windows>(shape(2, 8, 8, 64), shape(64, 3, 3, 128), shape(2, 8, 8, 256)), neither);
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
