// SPDX-License-Identifier: Apache-2.0
/// Reports of `explain` on kernels with extents of 0, on every target: it divides by none of them.
#include <inlay/inlay.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>
#include <inlay/report/explain.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

/// A tensor of a plan, which has no memory.
template <class... I>
auto t(I... extents) {
    return tensor(static_cast<fp16*>(nullptr), extents...);
}

/// A report on every target, without a number that is none.
template <class K, class... Args>
void explains(const Args&... args) {
    const auto kernel = prepare<K>(args...);
    for (const TargetInfo& target :
         {host_target, target_named("sm_80"), target_named("sm_90"), target_named("sm_90a")}) {
        const std::string report = explain(describe<K>(kernel), target);
        EXPECT_TRUE(report.starts_with(name<K>())) << report;
        EXPECT_EQ(report.find("nan"), report.npos) << report;
        EXPECT_EQ(report.find(" inf"), report.npos) << report;
    }
}

TEST(ExplainNoElements, Products) {
    explains<Linear<>>(t(200, 16), t(16, 0), t(200, 0));
    explains<Linear<Silu<Buf<0>>>>(t(200, 16), t(16, 0), t(200, 0));
    explains<Linear<>>(t(0, 16), t(16, 32), t(0, 32));
    explains<Linear<>>(t(3, 0), t(0, 32), t(3, 32));
    explains<Conv2D<Filter<3>>>(t(2, 9, 9, 16), t(16, 3, 3, 0), t(2, 9, 9, 0));
    explains<Conv2D<Filter<3>>>(t(0, 9, 9, 16), t(16, 3, 3, 16), t(0, 9, 9, 16));
    explains<Conv2D<Filter<3, 3, 1, 2>>>(t(2, 2, 11, 16), t(16, 3, 3, 16), t(2, 0, 9, 16));
}

TEST(ExplainNoElements, Attention) {
    struct attend : Attention<64, Buf<0>, Buf<1>, Buf<2>> {};
    explains<attend>(t(1, 2, 4, 64), t(1, 2, 4, 64), t(1, 2, 0, 64), t(1, 2, 0, 64));
    explains<attend>(t(1, 2, 0, 64), t(1, 2, 0, 64), t(1, 2, 4, 64), t(1, 2, 4, 64));
    explains<attend>(t(1, 0, 4, 64), t(1, 0, 4, 64), t(1, 0, 4, 64), t(1, 0, 4, 64));
    explains<attend>(t(1, 0, 4, 64), t(1, 0, 4, 64), t(1, 2, 4, 64), t(1, 2, 4, 64));
}

TEST(ExplainNoElements, Others) {
    explains<GroupNorm<4>>(t(2, 0, 8), t(8), t(8), t(2, 0, 8));
    explains<GroupNorm<4>>(t(2, 5, 0), t(0), t(0), t(2, 5, 0));
    explains<LayerNorm<>>(t(2, 0), t(0), t(0), t(2, 0));
    explains<Softmax<>>(t(0, 2), t(0, 2));
    explains<Reduce<reduction::Sum>>(t(2, 1), t(2, 0));
    explains<Reduce<reduction::Sum, Axes<0>>>(t(1, 4), t(0, 4));
    explains<Elementwise<Im2col<Buf<0>, 3, 3, 1, 1>>>(t(1, 4, 4, 0), t(1, 4, 4, 0));
    explains<Elementwise<Concat<-1, Buf<0>, Buf<1>>>>(t(3, 4), t(3, 0), t(3, 4));
}

}  // namespace
