// SPDX-License-Identifier: Apache-2.0
/// A host compiler has its executor by this header, and so by the one include.
#include <inlay/exec/targets.hpp>

using Target = inlay::Host;

#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

struct twice : inlay::Elementwise<inlay::Add<inlay::Buf<0>, inlay::Buf<0>>> {};

TEST(Targets, AHostCompilerHasTheHost) {
    std::vector<float> x = {1, 2, 3}, y(3);
    Target host(1);
    inlay::prepare<twice>(inlay::tensor(y.data(), 3), inlay::tensor(x.data(), 3)).run(host);
    EXPECT_EQ(y, (std::vector<float>{2, 4, 6}));
}

}  // namespace
