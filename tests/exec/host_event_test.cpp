// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host_event.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

using inlay::HostEvent;

struct Target {};

TEST(HostEvent, IsNeverAhead) { static_assert(!HostEvent::ahead); }

TEST(HostEvent, MeasuresWhatLiesBetween) {
    using namespace std::chrono;
    Target target;
    HostEvent before(target), after(target);
    const auto start = steady_clock::now();
    before.set();
    std::this_thread::sleep_for(milliseconds(20));
    after.set();
    after.wait();
    const double around = duration<double>(steady_clock::now() - start).count();
    EXPECT_GE(after.seconds_since(before), 0.02);
    EXPECT_LE(after.seconds_since(before), around);
    EXPECT_EQ(before.seconds_since(after), -after.seconds_since(before));
    EXPECT_EQ(after.seconds_since(after), 0);
}

TEST(HostEvent, IsSetAnew) {
    Target target;
    HostEvent first(target), second(target);
    second.set();
    first.set();
    EXPECT_LE(second.seconds_since(first), 0);
    second.set();
    EXPECT_GE(second.seconds_since(first), 0);
}

}  // namespace
