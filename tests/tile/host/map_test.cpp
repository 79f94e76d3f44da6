// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/map.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

struct increment : Elementwise<Add<Buf<0>, Const<1.0>>> {};

// Each element once, whatever the shape: rows in pieces, many rows to a task, none. In place, so that twice would show.
TEST(Map, CoversEveryElementOnce) {
    on_host::Threads threads(3);
    for (const auto& e : {Extents<3>{{1, 1, 1}}, {{3, 5, 7}}, {{2, 3, 4096}}, {{2, 3, 9001}}, {{400, 50, 3}},
                          {{0, 5, 7}}, {{3, 5, 0}}}) {
        std::vector<float> seen(static_cast<std::size_t>(count(e)) + 1);
        const Tensor<float, 3> t(seen.data(), e);
        const auto k = prepare<increment>(t, t);
        on_host::map(threads, e, get<0>(k.in), k.sink);
        EXPECT_EQ(seen.back(), 0);
        seen.pop_back();
        for (const float n : seen) ASSERT_EQ(n, 1) << text(e);
    }
}

}  // namespace
