// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/threads.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace {

using inlay::index_t;
using inlay::on_host::Threads;

TEST(Threads, EveryIndexOnce) {
    for (const int size : {1, 2, 5}) {
        Threads threads(size);
        EXPECT_EQ(threads.size(), size);
        for (const index_t n : {0, 1, 2, 7, 1000}) {
            std::vector<int> hits(static_cast<std::size_t>(n));
            threads.parallel_for(n, [&](index_t i, int worker) {
                EXPECT_TRUE(worker >= 0 && worker < size);
                ++hits[static_cast<std::size_t>(i)];
            });
            for (const int h : hits) EXPECT_EQ(h, 1);
        }
    }
}

TEST(Threads, ManyShortLoops) {
    Threads threads(3);
    std::atomic<index_t> sum = 0;
    for (int r = 0; r < 5000; ++r) threads.parallel_for(4, [&](index_t i, int) { sum += i; });
    EXPECT_EQ(sum, 5000 * 6);
}

TEST(Threads, SleepersWake) {
    Threads threads(3);
    for (int r = 0; r < 5; ++r) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::atomic<int> count = 0;
        threads.parallel_for(50, [&](index_t, int) { ++count; });
        EXPECT_EQ(count, 50);
    }
}

TEST(Threads, ExceptionsReachTheCaller) {
    Threads threads(3);
    for (int r = 0; r < 50; ++r) {
        EXPECT_THROW(threads.parallel_for(100, [](index_t i, int) {
            if (i == 40) throw std::out_of_range("40");
        }), std::out_of_range);
        std::atomic<int> count = 0;
        threads.parallel_for(10, [&](index_t, int) { ++count; });
        EXPECT_EQ(count, 10);
    }
}

TEST(Threads, NestedLoopsRunInTheirTask) {
    Threads threads(3);
    std::atomic<int> count = 0;
    threads.parallel_for(20, [&](index_t i, int worker) {
        auto* outer = static_cast<index_t*>(threads.scratch(worker, 1024));
        *outer = i;
        threads.parallel_for(10, [&](index_t, int inner) {
            EXPECT_EQ(inner, worker);
            std::memset(threads.scratch(inner, 4096), 255, 4096);
            ++count;
        });
        EXPECT_EQ(*outer, i) << "the nested loop had the same scratch memory";
    });
    EXPECT_EQ(count, 200);
}

TEST(Threads, CallsFromSeveralThreadsTakeTurns) {
    Threads threads(3);
    std::atomic<int> count = 0;
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int r = 0; r < 200; ++r)
                threads.parallel_for(8, [&](index_t i, int worker) {
                    auto* mine = static_cast<index_t*>(threads.scratch(worker, 64));
                    *mine = i;
                    ++count;
                    EXPECT_EQ(*mine, i);
                });
        });
    for (std::thread& t : callers) t.join();
    EXPECT_EQ(count, 4 * 200 * 8);
}

TEST(Threads, ReservedScratchStays) {
    Threads threads(1);
    threads.reserve(10000);
    void* p = nullptr;
    threads.parallel_for(3, [&](index_t, int worker) {
        void* q = threads.scratch(worker, 9000);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % 64, 0u);
        EXPECT_TRUE(!p || p == q);
        p = q;
    });
}

TEST(Threads, TooManyIsAnError) { EXPECT_THROW(Threads(5000), inlay::Error); }

}  // namespace
