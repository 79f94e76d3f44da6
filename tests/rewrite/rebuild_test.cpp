// SPDX-License-Identifier: Apache-2.0
/// Expressions rebuilt with other leaves: every form of node the library has, and a user's.
#include <inlay/inlay.hpp>
#include <inlay/rewrite/rebuild.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using rules::replace_out;
using rules::shift_slots;

template <class E>
struct Mish : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(T x) {
        return x * math::tanh(math::log(T(1) + math::exp(x)));
    }
};
template <int N, bool Up, class E>
struct Odd : pointwise<E> {};

template <class From, class To>
constexpr bool moves = std::is_same_v<shift_slots<From, 2, 3>, To>;

TEST(Rewrite, SlotsMoveInEveryNode) {
    EXPECT_TRUE((moves<Buf<0>, Buf<2>>));
    EXPECT_TRUE((moves<Param<1>, Param<4>>));
    EXPECT_TRUE((moves<Add<Buf<0>, Mul<Buf<1>, Param<0>>>, Add<Buf<2>, Mul<Buf<3>, Param<3>>>>));
    EXPECT_TRUE((moves<Where<Coord<-1>, Buf<0>, Const<2.0>>, Where<Coord<-1>, Buf<2>, Const<2.0>>>));
    EXPECT_TRUE((moves<Cast<Buf<0>, fp16>, Cast<Buf<2>, fp16>>));
    EXPECT_TRUE((moves<Mish<Buf<0>>, Mish<Buf<2>>>));
    EXPECT_TRUE((moves<Slice<Buf<0>, -1, 0, param<0>>, Slice<Buf<2>, -1, 0, param<3>>>));
    EXPECT_TRUE((moves<Permute<Buf<0>, 1, 0>, Permute<Buf<2>, 1, 0>>));
    EXPECT_TRUE((moves<Transpose<Buf<0>, 0, 1>, Transpose<Buf<2>, 0, 1>>));
    EXPECT_TRUE((moves<Reshape<Buf<0>, 1, -1, param<2>>, Reshape<Buf<2>, 1, -1, param<5>>>));
    EXPECT_TRUE((moves<Broadcast<Buf<0>, Buf<1>>, Broadcast<Buf<2>, Buf<3>>>));
    EXPECT_TRUE((moves<Concat<-1, Buf<0>, Silu<Buf<1>>>, Concat<-1, Buf<2>, Silu<Buf<3>>>>));
    EXPECT_TRUE((moves<Concat<param<0>, Buf<0>, Buf<1>>, Concat<param<3>, Buf<2>, Buf<3>>>));
    EXPECT_TRUE((moves<Pad<Buf<0>, -1, 1, param<0>, 0.5>, Pad<Buf<2>, -1, 1, param<3>, 0.5>>));
    EXPECT_TRUE((moves<Upsample2x<Buf<0>>, Upsample2x<Buf<2>>>));
    EXPECT_TRUE((moves<Im2col<Buf<0>, 3, 3, 1, 1>, Im2col<Buf<2>, 3, 3, 1, 1>>));
    EXPECT_TRUE((moves<Gather<Buf<0>, Buf<1>, 0>, Gather<Buf<2>, Buf<3>, 0>>));
}

TEST(Rewrite, OutIsReplacedWhereItStands) {
    using X = Sub<Out, Buf<7>>;
    EXPECT_TRUE((std::is_same_v<replace_out<Out, X>, X>));
    EXPECT_TRUE((std::is_same_v<replace_out<Add<Add<Out, Buf<1>>, Silu<Out>>, X>, Add<Add<X, Buf<1>>, Silu<X>>>));
    // An expression without Out stays as it is, also where a rule could not rebuild it.
    EXPECT_TRUE((std::is_same_v<replace_out<Add<Out, Odd<3, true, Buf<0>>>, X>, Add<X, Odd<3, true, Buf<0>>>>));
}

}  // namespace
