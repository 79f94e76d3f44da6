// SPDX-License-Identifier: Apache-2.0
/// Problems of reductions: axes that lie like one are one, and what is known of how an input is walked.
#include <inlay/inlay.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/report/describe.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

template <class Over, class In = Buf<0>>
struct sum : Reduce<reduction::Sum, Over, In> {};

auto at(index_t a, index_t b, index_t c) { return tensor(static_cast<fp16*>(nullptr), a, b, c); }
template <class K, class... T>
ReduceProblem problem(const T&... tensors) {
    return describe<K>(prepare<K>(tensors...)).reduce;
}

TEST(ReduceProblem, OfTheLastAxis) {
    const ReduceProblem p = problem<sum<Axes<-1>>>(at(4, 6, 1), at(4, 6, 80));
    EXPECT_EQ(p.results, 24);
    EXPECT_EQ(p.length, 80);
    EXPECT_EQ(p.lines, 1);
    EXPECT_EQ(p.lanes, 8);
    EXPECT_TRUE(p.rows);
    EXPECT_EQ(p.axis, 1) << "the first two are one";
    EXPECT_TRUE(p.walks_down);
    EXPECT_DOUBLE_EQ(p.bytes, 2 * (24 * 80 + 24));
}
TEST(ReduceProblem, OfOtherAxes) {
    const ReduceProblem p = problem<sum<Axes<0, 1>>>(at(1, 1, 80), at(4, 6, 80));
    EXPECT_EQ(p.results, 80);
    EXPECT_EQ(p.width, 80);
    EXPECT_EQ(p.elements(), 24);
    EXPECT_FALSE(p.rows);
    const ReduceProblem all = problem<sum<Axes<0, 1, 2>>>(at(1, 1, 1), at(4, 6, 80));
    EXPECT_EQ(all.length, 4 * 6 * 80) << "joined";
    const ReduceProblem apart = problem<sum<Axes<0, 2>>>(at(1, 6, 1), at(4, 6, 80));
    EXPECT_EQ(apart.length, 80);
    EXPECT_EQ(apart.lines, 4);
    EXPECT_EQ(problem<sum<Axes<-1>>>(at(0, 6, 1), at(0, 6, 80)).results, 0);
}
TEST(ReduceProblem, InputsThatAreNotWalkedDown) {
    EXPECT_FALSE((problem<sum<Axes<-1>, Concat<-1, Buf<0>, Buf<0>>>>(at(4, 6, 1), at(4, 6, 40)).walks_down));
    EXPECT_FALSE((problem<sum<Axes<-1>, Mul<Buf<0>, Coord<-1>>>>(at(4, 6, 1), at(4, 6, 40)).walks_down));
    // Two tensors, half as many chunks of each at once; the wider one is read in chunks of 16 bytes.
    const ReduceProblem two = problem<sum<Axes<-1>, Add<Buf<0>, Buf<1>>>>(
        at(4, 6, 1), at(4, 6, 40), tensor(static_cast<float*>(nullptr), 4, 6, 40));
    EXPECT_EQ(two.at_once, 4);
    EXPECT_EQ(two.lanes, 4);
}

}  // namespace
