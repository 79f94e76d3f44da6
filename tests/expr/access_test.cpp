// SPDX-License-Identifier: Apache-2.0
/// The access lattice: an access class for every node, alone and under others, and the operations of an expression.
#include <inlay/expr/access.hpp>
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

template <class E>
struct Mish : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(T x) {
        return x * math::tanh(math::log(T(1) + math::exp(x)));
    }
};
/// A user's own view is anything.
template <class E>
struct Reversed : view<E> {};

template <class E>
std::string reason() {
    return std::string(reason_of<E>());
}

TEST(Access, EachViewHasItsRung) {
    EXPECT_EQ(access_class_of<Buf<0>>, AccessClass::plain);
    EXPECT_EQ(access_class_of<Param<0>>, AccessClass::plain);
    EXPECT_EQ((access_class_of<Slice<Buf<0>, -1, 0, 4>>), AccessClass::affine);
    EXPECT_EQ((access_class_of<Slice<Buf<0>, -1, param<0>, param<1>>>), AccessClass::affine);
    EXPECT_EQ((access_class_of<Permute<Buf<0>, 1, 0>>), AccessClass::affine);
    EXPECT_EQ((access_class_of<Transpose<Buf<0>, 0, 1>>), AccessClass::affine);
    EXPECT_EQ((access_class_of<Reshape<Buf<0>, 2, -1>>), AccessClass::affine);
    EXPECT_EQ((access_class_of<Broadcast<Buf<0>, Buf<1>>>), AccessClass::affine);
    EXPECT_EQ((access_class_of<Concat<-1, Buf<0>, Buf<1>>>), AccessClass::piecewise);
    EXPECT_EQ((access_class_of<Pad<Buf<0>, -1, 1, 1>>), AccessClass::piecewise);
    EXPECT_EQ((access_class_of<Upsample2x<Buf<0>>>), AccessClass::piecewise);
    EXPECT_EQ((access_class_of<Im2col<Buf<0>, 3, 3>>), AccessClass::piecewise);
    EXPECT_EQ((access_class_of<Silu<Buf<0>>>), AccessClass::pointwise);
    EXPECT_EQ((access_class_of<Gather<Buf<0>, Buf<1>>>), AccessClass::general);
    EXPECT_EQ((access_class_of<Paged<Buf<0>, Buf<1>>>), AccessClass::general);
}

TEST(Access, ARunTimeAxisIsGeneral) {
    EXPECT_EQ((access_class_of<Slice<Buf<0>, param<0>, 0, 4>>), AccessClass::general);
    EXPECT_EQ((access_class_of<Concat<param<0>, Buf<0>, Buf<1>>>), AccessClass::general);
    EXPECT_EQ((access_class_of<Pad<Buf<0>, param<0>, 1, 1>>), AccessClass::general);
}

TEST(Access, UserNodesWorkByDefault) {
    EXPECT_EQ(access_class_of<Mish<Buf<0>>>, AccessClass::pointwise);
    EXPECT_EQ(operations_of<Mish<Buf<0>>>, 1);
    EXPECT_EQ(access_class_of<Reversed<Buf<0>>>, AccessClass::general);
    EXPECT_EQ(reason<Mish<Reversed<Buf<0>>>>(), "Reversed");
}

TEST(Access, TheWorstNodeDecidesAndIsNamed) {
    EXPECT_EQ(reason<Buf<0>>(), "");
    EXPECT_EQ((access_class_of<Slice<Concat<-1, Buf<0>, Buf<1>>, -1, 0, 4>>), AccessClass::piecewise);
    EXPECT_EQ((reason<Slice<Concat<-1, Buf<0>, Buf<1>>, -1, 0, 4>>()), "Concat");
    EXPECT_EQ((access_class_of<Mul<Slice<Buf<0>, -1, 0, 4>, Gelu<Slice<Buf<0>, -1, 4, 4>>>>), AccessClass::pointwise);
    EXPECT_EQ((reason<Mul<Slice<Buf<0>, -1, 0, 4>, Gelu<Slice<Buf<0>, -1, 4, 4>>>>()), "Gelu");
    EXPECT_EQ((access_class_of<Add<Buf<0>, Gather<Buf<1>, Buf<2>>>>), AccessClass::general);
    EXPECT_EQ((reason<Add<Buf<0>, Gather<Buf<1>, Buf<2>>>>()), "Gather");
}

TEST(Access, EachLeafHasTheRungOfItsOwnPath) {
    using values = flatten<Add<Buf<0>, Add<Slice<Buf<1>, -1, 0, 4>, Gather<Buf<2>, Buf<3>>>>>::values;
    EXPECT_EQ((detail::path_access_class<type_at<0, values>::path>::value), AccessClass::plain);
    EXPECT_EQ((detail::path_access_class<type_at<1, values>::path>::value), AccessClass::affine);
    EXPECT_EQ((detail::path_access_class<type_at<2, values>::path>::value), AccessClass::general);
    EXPECT_EQ((detail::path_access_class<type_at<2, values>::path>::why()), "Gather");
}

template <class P, int N>
struct nested {
    using type = Add<Silu<typename nested<P, N - 1>::type>, typename nested<P, N - 1>::type>;
};
template <class P>
struct nested<P, 0> {
    using type = P;
};

TEST(Access, SharedSubtreesCountOnce) {
    EXPECT_EQ((operations_of<Mul<Slice<Buf<0>, -1, 0, 4>, Gelu<Slice<Buf<0>, -1, 4, 4>>>>), 2);
    EXPECT_EQ((operations_of<nested<Buf<0>, 6>::type>), 12);
    EXPECT_EQ((special_functions_of<nested<Buf<0>, 6>::type>),
              12);  // an exponential and a reciprocal for each of 6 SiLUs
    EXPECT_EQ((operations_of<Permute<Concat<-1, Buf<0>, Buf<1>>, 1, 0>>), 0);
}

TEST(Access, OperationsUnderAPieceCount) {
    // Each element reads one piece; the dearer one is what an element costs at most.
    EXPECT_EQ((operations_of<Concat<-1, Silu<Buf<0>>, Buf<1>>>), 1);
    EXPECT_EQ((special_functions_of<Concat<-1, Silu<Buf<0>>, Gelu<Exp<Buf<1>>>>>), 2);
    EXPECT_EQ((operations_of<Neg<Concat<-1, Silu<Buf<0>>, Gelu<Exp<Buf<1>>>>>>), 3);
}

}  // namespace
