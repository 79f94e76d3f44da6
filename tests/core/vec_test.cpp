// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/vec.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using inlay::fvec;
using inlay::host_lanes;

template <class T>
T mish(T x) {
    using namespace inlay::math;
    return x * tanh(log(T(1) + exp(x)));
}
// Found by argument-dependent lookup alone.
template <class T>
T softplus(T x) {
    return log(1 + exp(x));
}

TEST(Vec, AScalarOperationServesVectors) {
    float x[host_lanes];
    for (int i = 0; i < host_lanes; ++i) x[i] = static_cast<float>(i - host_lanes / 2) * 0.7f;
    const fvec y = mish(fvec::load(x)), z = softplus(fvec::load(x));
    for (int i = 0; i < host_lanes; ++i) {
        EXPECT_NEAR(y[i], mish(static_cast<double>(x[i])), 1e-6);
        EXPECT_NEAR(z[i], std::log1p(std::exp(static_cast<double>(x[i]))), 1e-6);
    }
}

TEST(Vec, ALiteralOfDoubleIsRounded) { EXPECT_EQ(fvec(0.7071067811865476)[1], 0.7071067811865476f); }
TEST(Vec, ASplatKeepsTheSignOfZero) { EXPECT_TRUE(std::signbit(fvec(-0.f)[0])); }

}  // namespace
