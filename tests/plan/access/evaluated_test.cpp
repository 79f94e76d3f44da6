// SPDX-License-Identifier: Apache-2.0
/// The leaf of an evaluated input that is copied on sm_90a, by the types alone, and inputs that have none.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct scaled : Linear<Mul<Buf<0>, Buf<1>>> {};
/// Read in fp32, multiplied in fp16.
struct scaled_to_half : Linear<Cast<Mul<Buf<0>, Buf<1>>, fp16>> {};
template <class A, class B>
using Geglu = Mul<A, Gelu<B>>;
using Hidden = Slice<Buf<0>, -1, 0, 128>;
using Gate = Slice<Buf<0>, -1, 128, 128>;
struct geglu : Linear<Geglu<Hidden, Gate>> {};
struct geglu_scaled : Linear<Geglu<Hidden, Mul<Gate, Buf<1>>>> {};
struct geglu_scaled_to_half : Linear<Cast<Geglu<Hidden, Mul<Gate, Buf<1>>>, fp16>> {};
struct thrice : Linear<Add<Geglu<Hidden, Gate>, Slice<Buf<0>, -1, 64, 128>>> {};
struct two_twice : Linear<Add<Geglu<Hidden, Gate>, Geglu<Slice<Buf<1>, -1, 0, 128>, Slice<Buf<1>, -1, 128, 128>>>> {};
template <class A>
struct windows : Conv2D<Filter<3>, Geglu<Hidden, A>> {};
struct modulated : Linear<Add<Mul<Buf<0>, Slice<Buf<1>, -1, 0, 128>>, Slice<Buf<1>, -1, 128, 128>>> {};
struct three : Linear<Add<Mul<Buf<0>, Buf<1>>, Buf<2>>> {};
template <class A, class B, class C, class D>
using Sum = Add<Add<A, B>, Add<C, D>>;
struct eight : Linear<Add<Sum<Buf<0>, Buf<1>, Buf<2>, Buf<3>>, Sum<Buf<4>, Buf<5>, Buf<6>, Buf<7>>>> {};

/// The leaves that may be copied where K is prepared on a result, weights and tensors of types In; weights are of T.
template <class T, class K, class... In>
constexpr detail::CopiedChoices choices = detail::copied_choices_of<
    T,
    std::remove_cvref_t<decltype(get<0>(prepare<K>(std::declval<Tensor<fp16, 2>>(), std::declval<Tensor<fp16, 2>>(),
                                                   std::declval<In>()...)
                                            .in))>,
    int>;
/// The one leaf that is copied, a bit.
template <class T, class A, class B>
constexpr unsigned copied = choices<T, scaled, A, B>.one;

TEST(WgmmaEvaluated, CopiesTheLeafOfMostAxes) {
    using Rows = Tensor<const fp16, 2>;
    using Vector = Tensor<const fp16, 1>;
    EXPECT_EQ((copied<fp16, Rows, Vector>), 1u);
    EXPECT_EQ((copied<fp16, Vector, Rows>), 2u);
    EXPECT_EQ((copied<fp16, Rows, Rows>), 1u);
    // Those of another type are vectors, whatever their axes.
    EXPECT_EQ((copied<fp16, Tensor<const float, 2>, Vector>), 2u);
    EXPECT_EQ((copied<bf16, Rows, Vector>), 0u);
}
TEST(WgmmaEvaluated, CopiesTwoOfAsManyAxes) {
    using Rows = Tensor<const fp16, 2>;
    EXPECT_EQ((choices<fp16, scaled, Rows, Rows>.two), 3u);
    EXPECT_EQ((choices<fp16, scaled, Rows, Tensor<const fp16, 1>>.two), 0u);
    EXPECT_EQ((choices<fp16, scaled, Rows, Tensor<const float, 2>>.two), 0u);
    EXPECT_EQ((choices<fp16, eight, Rows, Rows, Rows, Rows, Rows, Rows, Rows, Rows>.two), 0u);

    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 128);
    EXPECT_EQ(refused<scaled>(y, w, x, x), "");
    EXPECT_EQ(refused<three>(y, w, shape(128), x, x), "");
    EXPECT_EQ(refused<three>(y, w, x, shape(1, 128), x),
              "more than two of its tensors differ from row to row, or two of unlike axes");
    EXPECT_EQ(refused<scaled>(y, w, x, shape(64, 1)), "rows of the input do not start at multiples of 16 bytes");
    EXPECT_EQ(refused<windows<Buf<1>>>(shape(2, 8, 8, 64), shape(64, 3, 3, 128), shape(2, 8, 8, 128),
                                       shape(2, 8, 8, 128)),
              "two of its tensors differ from row to row, which leaves halo tiles no room");
    EXPECT_EQ(refused<windows<Buf<1>>>(shape(2, 8, 8, 64), shape(64, 3, 3, 128), shape(2, 8, 8, 128),
                                       shape(2, 1, 1, 128)),
              "");
}
TEST(WgmmaEvaluated, CopiesTwoPlacesOfOneTensor) {
    using Rows = Tensor<const fp16, 2>;
    EXPECT_EQ((choices<fp16, geglu, Rows>.one), 0u);
    EXPECT_EQ((choices<fp16, geglu, Rows>.two), 3u);
    EXPECT_EQ((choices<fp16, geglu_scaled, Rows, Rows>.two), 3u);
    EXPECT_EQ((choices<bf16, geglu, Rows>.two), 0u);
    EXPECT_EQ((choices<fp16, thrice, Rows>.two), 0u);
    EXPECT_EQ((choices<fp16, two_twice, Rows, Rows>.two), 0u);

    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 256);
    EXPECT_EQ(refused<geglu>(y, w, x), "");
    EXPECT_EQ(refused<geglu_scaled>(y, w, x, shape(128)), "");
    EXPECT_EQ(refused<geglu_scaled_to_half>(y, w, x, shape<float>(1, 128)), "");
    EXPECT_EQ(refused<geglu_scaled>(y, w, x, shape(64, 128)),
              "more than two of its tensors differ from row to row, or two of unlike axes");
    const std::string neither = "its input is neither tensors as they lie nor a function of one or two and of vectors";
    EXPECT_EQ(refused<thrice>(y, w, x), neither);
    EXPECT_EQ(refused<two_twice>(y, w, x, x), neither);
    EXPECT_EQ(refused<windows<Gate>>(shape(2, 8, 8, 64), shape(64, 3, 3, 128), shape(2, 8, 8, 256)), neither);
}
TEST(WgmmaEvaluated, TakesOneTensorAndVectorsOfChannels) {
    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 128);
    EXPECT_EQ(refused<modulated>(y, w, x, shape(256)), "");
    EXPECT_EQ(refused<scaled>(y, w, x, shape(128)), "");
    EXPECT_EQ(refused<scaled>(y, w, shape(128), x), "");
    EXPECT_EQ(refused<scaled_to_half>(y, w, shape<float>(1, 128), x), "");
    EXPECT_EQ(refused<scaled_to_half>(y, w, x, shape<float>(1)), "");
    EXPECT_EQ(refused<scaled>(y, w, x, shape(1, 128)), "");
}
TEST(WgmmaEvaluated, RefusesOthers) {
    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 128);
    const auto v = shape(128);
    EXPECT_EQ(refused<scaled_to_half>(y, w, shape<float>(64, 128), v), "what it reads is not of the weights' type");
    EXPECT_EQ(refused<scaled>(y, w, x, shape<float>(128)), "its operands are not of one 16-bit type");
    EXPECT_EQ(refused<scaled>(y, w, shape(1, 128), x),
              "a vector of channels has as many axes as what differs from row to row");
    EXPECT_EQ(refused<eight>(y, w, x, v, v, v, v, v, v, v), "it reads more than 7 tensors");
}

}  // namespace
