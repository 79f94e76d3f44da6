// SPDX-License-Identifier: Apache-2.0
/// The members that a target offers to the frames, called as they call them. The frames themselves are tested in
/// tests/frame.
#include <inlay/exec/host.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

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
