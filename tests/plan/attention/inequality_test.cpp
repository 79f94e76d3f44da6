// SPDX-License-Identifier: Apache-2.0
/// Half lines against a count of the keys; whole inequalities are in random_conditions_test.cpp.
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/inequality.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(Inequality, HalfLinesHoldTheKeysThatSatisfyIt) {
    const index_t keys = 12;
    for (index_t p = -5; p <= 5; ++p)
        for (index_t w = -40; w <= 40; ++w) {
            const Interval found = inlay::detail::half_line(p, w, keys);
            for (index_t key = 0; key < keys; ++key)
                EXPECT_EQ(key >= found.begin && key < found.end, p * key + w >= 0) << p << " * " << key << " + " << w;
        }
}

}  // namespace
