// SPDX-License-Identifier: Apache-2.0
/// Subtrees that are one value, and those that are not though they look alike.
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

template <class E>
constexpr int unique = flatten<E>::values::size;

template <class P, int N>
struct nested {
    using type = Add<Silu<typename nested<P, N - 1>::type>, typename nested<P, N - 1>::type>;
};
template <class P>
struct nested<P, 0> {
    using type = P;
};

TEST(Flatten, ASharedSubtreeIsOneValue) {
    EXPECT_EQ((unique<nested<Buf<0>, 6>::type>), 1 + 2 * 6);  // not 2^6 - 1 Silus
    EXPECT_EQ((unique<Mul<Add<Buf<0>, Buf<1>>, Add<Buf<0>, Buf<1>>>>), 4);
    EXPECT_EQ((unique<Mul<Add<Buf<0>, Buf<1>>, Add<Buf<1>, Buf<0>>>>), 5);
}

TEST(Flatten, ViewsVanishIntoThePaths) {
    EXPECT_EQ((unique<Slice<Permute<Buf<0>, 1, 0>, -1, 0, 4>>), 1);
    EXPECT_EQ((unique<Add<Slice<Buf<0>, -1, 0, 4>, Slice<Buf<0>, -1, 4, 4>>>), 3);
    // One leaf, sliced alike under two operations: one load.
    EXPECT_EQ((unique<Add<Slice<Silu<Buf<0>>, -1, 0, 4>, Slice<Neg<Buf<0>>, -1, 0, 4>>>), 4);
    // A slice over a sum is a sum of slices, and shares with them.
    EXPECT_EQ((unique<Mul<Slice<Add<Buf<0>, Buf<1>>, -1, 0, 4>, Slice<Buf<0>, -1, 0, 4>>>), 4);
}

TEST(Flatten, APiecewiseViewIsOneValueWithListsBelow) {
    EXPECT_EQ((unique<Silu<Concat<-1, Gelu<Buf<0>>, Buf<1>>>>), 2);
    EXPECT_EQ((unique<Add<Pad<Buf<0>, -1, 1, 1>, Pad<Buf<0>, -1, 1, 1>>>), 2);
    EXPECT_EQ((unique<Add<Pad<Buf<0>, -1, 1, 1>, Pad<Buf<0>, -1, 1, 1, 2.0>>>), 3);
}

TEST(Flatten, AnAxisCountedFromTheFirstDependsOnItsOperandsRank) {
    const auto x = ramp(1, 1, 4);
    const auto y = ramp(10, 10, 4, 4);
    const auto env = slots(x, y);
    // Slice<…, 0, 2, 1> of a matrix takes a row, in which x is whole; of x itself it takes one element.
    using E = Add<Slice<Add<Buf<0>, Buf<1>>, 0, 2, 1>, Mul<Const<1000.0>, Slice<Buf<0>, 0, 2, 1>>>;
    const auto v = values<E>(env);
    for (int j = 0; j < 4; ++j) EXPECT_EQ(v[static_cast<std::size_t>(j)], 1 + j + 10 + 10 * (8 + j) + 3000);
    values<Add<Upsample<Add<Buf<0>, Buf<1>>, 2, 0>, Reshape<Upsample<Buf<0>, 2, 0>, 8, 1>>>(env);
    values<Add<Transpose<Add<Buf<0>, Buf<1>>, 0, 1>, Transpose<Buf<0>, 0, 0>>>(env);
}

}  // namespace
