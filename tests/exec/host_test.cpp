// SPDX-License-Identifier: Apache-2.0
/// What a target offers to the frames, called as they call it. The frames themselves are tested in tests/kernel.
#include <inlay/exec/host.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/kernel/elementwise.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using namespace inlay;

TEST(Host, HasAsManyThreadsAsAsked) {
    EXPECT_EQ(Host(3).threads().size(), 3);
    EXPECT_GE(Host().threads().size(), 1);
}

struct increment : Elementwise<Add<Buf<0>, Const<1.0>>> {};
/// Leaves a row as it is.
struct Untouched {
    template <class Row>
    void operator()(Row&) const {}
};

// Each element once, whatever the shape: rows in pieces, whole rows, no rows. In place, so that twice would show.
TEST(Host, RowsCoverEveryElementOnce) {
    Host host(3);
    for (const auto& e : {Extents<3>{{1, 1, 1}}, {{3, 5, 7}}, {{2, 3, 9001}}, {{40, 50, 3}}, {{0, 5, 7}}, {{3, 5, 0}}})
        for (const bool whole : {false, true}) {
            std::vector<float> seen(static_cast<std::size_t>(count(e)) + 1);
            const Tensor<float, 3> t(seen.data(), e);
            const auto k = prepare<increment>(t, t);
            if (whole) host.rows(e, get<0>(k.in), Untouched{}, k.epilogue, k.sink);
            else host.map(e, get<0>(k.in), k.sink);
            seen.pop_back();
            for (const float n : seen) EXPECT_EQ(n, 1) << (whole ? "rows" : "map");
        }
}

TEST(Host, ErrorsOfATaskReachTheCaller) {
    Host host(3);
    EXPECT_THROW(host.threads().parallel_for(1000, [](index_t, int) { fail("no"); }), Error);
    std::atomic<int> n = 0;
    host.threads().parallel_for(1000, [&](index_t, int) { ++n; });
    EXPECT_EQ(n, 1000);
}

TEST(Host, TakesTurnsBetweenCallers) {
    Host host(2);
    std::vector<std::vector<float>> v(4, std::vector<float>(20000, 0));
    std::vector<std::thread> team;
    for (auto& x : v)
        team.emplace_back([&] {
            const auto t = tensor(x.data(), 200, 100);
            const auto k = prepare<increment>(t, t);
            for (int i = 0; i < 50; ++i) k.run(host);
        });
    for (auto& t : team) t.join();
    for (const auto& x : v)
        for (const float f : x) ASSERT_EQ(f, 50);
}

}  // namespace
