// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/tensor.hpp>
#include <inlay/tile/host/lanes.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

TEST(Lanes, CoverARowInOrder) {
    for (const int n : {0, 1, host_lanes - 1, host_lanes, host_lanes + 1, 5 * host_lanes + 3}) {
        index_t next = 0;
        for_lanes(n, [&](index_t j, index_t lanes) {
            EXPECT_EQ(j, next);
            EXPECT_TRUE(lanes == host_lanes || j + lanes == n);
            next += lanes;
        });
        EXPECT_EQ(next, n);
    }
}

TEST(Lanes, ReadAndWriteNoMoreThanTheyAreTold) {
    for (int n = 1; n <= host_lanes; ++n) {
        std::vector<float> from(static_cast<std::size_t>(n)), to(host_lanes + 1, -1);  // tight: a sanitizer sees more
        std::iota(from.begin(), from.end(), 1.f);
        const fvec v = lane(from.data(), n);
        put(to.data(), v, n);
        for (int i = 0; i <= host_lanes; ++i) {
            EXPECT_EQ(to[static_cast<std::size_t>(i)], i < n ? static_cast<float>(i + 1) : -1.f);
        }
        for (int i = 0; i < host_lanes; ++i) EXPECT_EQ(v[i], i < n ? static_cast<float>(i + 1) : 0.f);
    }
}

// Parameters of channels: of any type, with gaps, one for all.
TEST(Lanes, ChannelsOfAnyLayout) {
    std::vector<fp16> v(4 * host_lanes);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = fp16(static_cast<float>(i));
    for (const index_t step : {0, 1, 3}) {
        const Tensor<const fp16, 1> t(v.data(), {{host_lanes + 2}}, {{step}});
        for (const int n : {1, host_lanes - 1, host_lanes}) {
            const fvec x = channel(t, 2, n);
            for (int i = 0; i < n; ++i) EXPECT_EQ(x[i], static_cast<float>((2 + i) * step));
        }
    }
}

}  // namespace
