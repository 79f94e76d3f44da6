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

// Each element once, whatever the shape: rows in pieces, whole rows, no rows.
TEST(Host, RowsCoverEveryElementOnce) {
    Host host(3);
    for (const auto& e : {Extents<3>{{1, 1, 1}}, {{3, 5, 7}}, {{2, 3, 9001}}, {{40, 50, 3}}, {{0, 5, 7}}, {{3, 5, 0}}})
        for (const bool whole : {false, true}) {
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count(e)));
            const auto visit = [&](const Extents<3>& c, index_t n, float* scratch) {
                EXPECT_LE(c[2] + n, e[2]);
                EXPECT_TRUE(!whole || n == e[2]);
                for (index_t j = 0; j < n; ++j) {
                    scratch[j] = 1;
                    ++seen[static_cast<std::size_t>((c[0] * e[1] + c[1]) * e[2] + c[2] + j)];
                }
            };
            if (whole) host.whole_rows(e, visit);
            else host.rows(e, visit);
            for (const auto& n : seen) EXPECT_EQ(n, 1);
        }
}

TEST(Host, ErrorsOfATaskReachTheCaller) {
    Host host(3);
    EXPECT_THROW(host.rows(Extents<2>{{1000, 100}}, [](const auto&, index_t, float*) { fail("no"); }), Error);
    std::atomic<int> n = 0;
    host.rows(Extents<2>{{1000, 100}}, [&](const auto&, index_t, float*) { ++n; });
    EXPECT_EQ(n, 1000);
}

struct increment : Elementwise<Add<Buf<0>, Const<1.0>>> {};

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
