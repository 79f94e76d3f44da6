// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>

namespace {
using namespace inlay_test;

template <class E>
struct Mine : Linear<E> {};
struct named {
    static constexpr std::string print() { return "a name of its own"; }
};
namespace elsewhere {
template <class E, int N, double X>
struct Odd : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return x;
    }
};
}  // namespace elsewhere

TEST(Print, ATypeAsItsUserSpellsIt) {
    EXPECT_EQ((name<Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>>()),
              "Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>");
    EXPECT_EQ(name<Out>(), "Out");
    EXPECT_EQ(name<Param<3>>(), "Param<3>");
    EXPECT_EQ((name<Slice<Buf<0>, -1, param<0>, param<1>>>()), "Slice<Buf<0>, -1, param<0>, param<1>>");
    EXPECT_EQ((name<Concat<-1, Buf<0>, Out>>()), "Concat<-1, Buf<0>, Out>");
    EXPECT_EQ((name<Permute<Buf<2>, 0, 2, 1>>()), "Permute<Buf<2>, 0, 2, 1>");
    EXPECT_EQ((name<Cast<Buf<0>, fp16>>()), "Cast<Buf<0>, fp16>");
    EXPECT_EQ((name<Pad<Buf<0>, 1, 2, 3, -1.5>>()), "Pad<Buf<0>, 1, 2, 3, -1.5>");
    EXPECT_EQ((name<Permuted<Store<0>, 1, 0>>()), "Permuted<Store<0>, 1, 0>");
    EXPECT_EQ((name<WithStats<Store<0>, 1>>()), "WithStats<Store<0>, 1>");
    EXPECT_EQ((name<Partition<-1, Store<0>, Store<1>>>()), "Partition<-1, Store<0>, Store<1>>");
}
TEST(Print, Numbers) {
    EXPECT_EQ(name<Const<0.5>>(), "Const<0.5>");
    EXPECT_EQ(name<Const<-1.0>>(), "Const<-1>");
    EXPECT_EQ(name<Const<1e-5>>(), "Const<1e-5>");
    EXPECT_EQ(name<Const<1e20>>(), "Const<1e20>");
    EXPECT_EQ(name<Const<0.18215>>(), "Const<0.18215>");
}
TEST(Print, FramesStructsAndForeignTypes) {
    EXPECT_EQ((name<Linear<Silu<Buf<0>>, Add<Out, Buf<1>>>>()),
              "Linear<Silu<Buf<0>>, Add<Out, Buf<1>>, Store<0>, Auto>");
    EXPECT_EQ((name<Conv2D<Filter<3>, Buf<0>>>()), "Conv2D<Filter<3, 3, 1, 1, 1, 1, 1>, Buf<0>, Out, Store<0>, Auto>");
    EXPECT_EQ((name<LayerNorm<Buf<0>>>()), "LayerNorm<Buf<0>, Out, Store<0>, 1e-5, Auto>");
    EXPECT_EQ((name<GroupNorm<32, Buf<0>, Silu<Out>>>()), "GroupNorm<32, Buf<0>, Silu<Out>, Store<0>, 1e-5, Auto>");
    EXPECT_EQ((name<Attention<40, Buf<0>, Buf<1>, Buf<2>>>()), "Attention<40, Buf<0>, Buf<1>, Buf<2>>");
    EXPECT_EQ((name<Attention<40, Buf<0>, Buf<1>, Buf<2>, score::Base2, Silu<Out>>>()),
              "Attention<40, Buf<0>, Buf<1>, Buf<2>, Base2, Silu<Out>>");
    EXPECT_EQ((name<Reduce<reduction::Sum, Axes<-1>>>()), "Reduce<Sum, Axes<-1>, Buf<0>, Out, Store<0>, Auto>");
    EXPECT_EQ((name<Mine<Buf<0>>>()), "Mine<Buf<0>>");
    EXPECT_EQ(name<named>(), "a name of its own");
    EXPECT_EQ((name<elsewhere::Odd<Buf<0>, 3, 0.25>>()), "Odd<Buf<0>, 3, 0.25>");
}

}  // namespace
