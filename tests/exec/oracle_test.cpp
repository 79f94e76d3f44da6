// SPDX-License-Identifier: Apache-2.0
/// The oracle against mathematics: numbers small enough to work out by hand.
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace inlay;
using Numbers = std::vector<double>;

void expect_near(const Numbers& x, const Numbers& y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-14) << "element " << i;
}

TEST(Oracle, LinearIsAProductWithTheTransposedWeight) {
    Oracle oracle;
    Numbers x = {1, 2, 3, 4, 5, 6}, w = {1, 0, -1, 2, 1, 0}, y(4);
    prepare<Linear<>>(tensor(y.data(), 2, 2), tensor(w.data(), 2, 3), tensor(x.data(), 2, 3)).run(oracle);
    expect_near(y, {1 - 3, 2 + 2, 4 - 6, 8 + 5});
}

TEST(Oracle, ConvolutionIsACorrelationPaddedWithZeros) {
    Oracle oracle;
    Numbers x = {1, 2, 3}, w = {10, 100, 1000}, y(3);
    prepare<Conv2D<Filter<1, 3, 1, 0, 0>>>(tensor(y.data(), 1, 1, 1, 1), tensor(w.data(), 1, 1, 3, 1),
                                           tensor(x.data(), 1, 1, 3, 1))
        .run(oracle);
    EXPECT_EQ(y[0], 3210);
    Numbers image = {1, 2, 3, 4}, ones(9, 1), z(4);
    prepare<Conv2D<Filter<3>>>(tensor(z.data(), 1, 2, 2, 1), tensor(ones.data(), 1, 3, 3, 1),
                               tensor(image.data(), 1, 2, 2, 1))
        .run(oracle);
    expect_near(z, {10, 10, 10, 10});
}

TEST(Oracle, Norms) {
    Oracle oracle;
    Numbers x = {1, 3}, g = {2, 2}, b = {0.5, 0.5}, y(2);
    prepare<LayerNorm<Buf<0>, Out, Store<0>, 0.0>>(tensor(y.data(), 1, 2), tensor(g.data(), 2), tensor(b.data(), 2),
                                                   tensor(x.data(), 1, 2))
        .run(oracle);
    expect_near(y, {-1.5, 2.5});
    Numbers s = {3, 4};
    prepare<RMSNorm<Buf<0>, Out, Store<0>, 0.0>>(tensor(y.data(), 1, 2), tensor(g.data(), 2), tensor(s.data(), 1, 2))
        .run(oracle);
    expect_near(y, {6 / std::sqrt(12.5), 8 / std::sqrt(12.5)});
    Numbers image = {1, 10, 3, 30}, z(4);  // two pixels of two channels, a group each
    prepare<GroupNorm<2, Buf<0>, Out, Store<0>, 0.0>>(tensor(z.data(), 1, 2, 1, 2), tensor(g.data(), 2),
                                                      tensor(b.data(), 2), tensor(image.data(), 1, 2, 1, 2))
        .run(oracle);
    expect_near(z, {-1.5, -1.5, 2.5, 2.5});
}

TEST(Oracle, SoftmaxReduceAttention) {
    Oracle oracle;
    Numbers x = {0, std::log(3.0)}, y(2);
    prepare<Softmax<>>(tensor(y.data(), 1, 2), tensor(x.data(), 1, 2)).run(oracle);
    expect_near(y, {0.25, 0.75});
    Numbers table = {1, 2, 3, 4, 5, 6}, rows(2), columns(3);
    prepare<Reduce<reduction::Mean>>(tensor(rows.data(), 2, 1), tensor(table.data(), 2, 3)).run(oracle);
    expect_near(rows, {2, 5});
    prepare<Reduce<reduction::Max, Axes<0>>>(tensor(columns.data(), 1, 3), tensor(table.data(), 2, 3)).run(oracle);
    expect_near(columns, {4, 5, 6});
    // One query of 1, keys 0 and log 3: probabilities 1/4 and 3/4 of the values 4 and 8.
    Numbers q = {1}, v = {4, 8}, o(1);
    prepare<Attention<1, Buf<0>, Buf<1>, Buf<2>>>(tensor(o.data(), 1, 1, 1, 1), tensor(q.data(), 1, 1, 1, 1),
                                                  tensor(x.data(), 1, 1, 2, 1), tensor(v.data(), 1, 1, 2, 1))
        .run(oracle);
    expect_near(o, {7});
}

TEST(Oracle, CausalQueriesSeeTheEndOfTheKeys) {
    Oracle oracle;
    Numbers q = {0, 0}, k = {0, 0, 0}, v = {1, 2, 6}, o(2);  // equal scores: the mean of what is seen
    prepare<Attention<1, Buf<0>, Buf<1>, Buf<2>, mask::Causal>>(
        tensor(o.data(), 1, 1, 2, 1), tensor(q.data(), 1, 1, 2, 1), tensor(k.data(), 1, 1, 3, 1),
        tensor(v.data(), 1, 1, 3, 1))
        .run(oracle);
    expect_near(o, {1.5, 3});
}

TEST(Oracle, StatisticsAreMeanAndSquaredDeviations) {
    Oracle oracle;
    Numbers x = {1, 10, 3, 30}, y(4);
    std::vector<float> s(4);
    prepare<Elementwise<Buf<0>, WithStats<Store<0>, 1>>>(tensor(y.data(), 1, 2, 2), tensor(s.data(), 1, 2, 2),
                                                         tensor(x.data(), 1, 2, 2))
        .run(oracle);
    EXPECT_EQ(s, (std::vector<float>{2, 2, 20, 200}));
}

}  // namespace
