// SPDX-License-Identifier: Apache-2.0
/// The type in which attention multiplies, told from all that Q, K and V read.
#include <plan/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct plain : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};
struct gathered : Attention<40, Buf<0>, Gather<Buf<1>, Buf<2>, 0>, Buf<3>> {};
struct summed : Attention<40, Add<Buf<0>, Buf<3>>, Buf<1>, Buf<2>> {};

template <class K, class Q, class... T>
constexpr DType multiplied() {
    using P = decltype(prepare<K>(shape<fp16>(2, 1, 9, 40), shape<Q>(2, 1, 9, 40), std::declval<const T&>()...));
    using In = decltype(P::in);
    return dtype_of<attention_type<std::remove_cvref_t<decltype(get<0>(std::declval<In>()))>,
                                   std::remove_cvref_t<decltype(get<1>(std::declval<In>()))>,
                                   std::remove_cvref_t<decltype(get<2>(std::declval<In>()))>>>;
}
template <class T>
using Four = Tensor<T, 4>;

TEST(AttentionType, The16BitTypeOfAll) {
    EXPECT_EQ((multiplied<plain, fp16, Four<fp16>, Four<fp16>>()), DType::f16);
    EXPECT_EQ((multiplied<plain, bf16, Four<bf16>, Four<bf16>>()), DType::bf16);
    EXPECT_EQ((multiplied<plain, const fp16, Four<const fp16>, Four<fp16>>()), DType::f16);
}
TEST(AttentionType, ElseFloat) {
    EXPECT_EQ((multiplied<plain, float, Four<float>, Four<float>>()), DType::f32);
    EXPECT_EQ((multiplied<plain, fp16, Four<fp16>, Four<bf16>>()), DType::f32);
    EXPECT_EQ((multiplied<plain, fp16, Four<float>, Four<fp16>>()), DType::f32);
    EXPECT_EQ((multiplied<summed, fp16, Four<fp16>, Four<fp16>, Four<float>>()), DType::f32);
}
TEST(AttentionType, IndicesDoNotCount) {
    EXPECT_EQ((multiplied<gathered, fp16, Four<fp16>, Tensor<const std::int32_t, 1>, Four<fp16>>()), DType::f16);
}

}  // namespace
