// SPDX-License-Identifier: Apache-2.0
/// Promises of a run of the whole pipeline besides its numbers: equal runs, no allocation, launches, errors.
#include "tiny.hpp"
#include "allocations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <thread>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(Tiny, ResultsDoNotDependOnTheNumberOfThreads) {
    if (networks_on_gpu) GTEST_SKIP() << "of the CPU executor";
    const auto options = run_options(model::SchedulerKind::euler, 3);
    const Picture two = networks(DType::f32).picture(options);
    for (const int threads : {1, 3}) {
        const Picture p = new_networks(DType::f32, threads)->picture(options);
        EXPECT_EQ(p.latents.v, two.latents.v) << threads << " threads";
        EXPECT_EQ(p.image.v, two.image.v) << threads << " threads";
    }
}

TEST(Tiny, RunsOfOnePipelineAreEqual) {
    for (const auto kind : {model::SchedulerKind::dpmpp_2m, model::SchedulerKind::euler_ancestral}) {
        auto options = run_options(kind, 4);
        const Picture once = networks(DType::f32).picture(options);
        options.repeats = 3;
        EXPECT_EQ(networks(DType::f32).picture(options).image.v, once.image.v) << model::name(kind);
    }
}

// An image is that of its own seed, whatever else is in the batch.
/// On the CPU to the last bit. A GPU has other schedules for a batch, which add in another order: a prediction may then
/// be as far off as a kernel may, 1e-6, and guidance g makes of the two up to g and g - 1 times as much.
TEST(Tiny, BatchOfSeeds) {
    auto options = run_options(model::SchedulerKind::euler_ancestral, 4);
    const auto row = options.ids;
    options.seeds = {7, 42, 8};
    options.ids.clear();
    for (const int half : {0, 1})
        for (int i = 0; i < 3; ++i)
            options.ids.insert(options.ids.end(), row.begin() + half * 77, row.begin() + half * 77 + 77);
    const Picture batch = networks(DType::f32).picture(options);
    options.ids = row;
    const double most = networks_on_gpu ? 1e-6 * (2 * options.guidance - 1) : 0;
    for (int i = 0; i < 3; ++i) {
        options.seeds = {std::vector<std::uint64_t>{7, 42, 8}[static_cast<std::size_t>(i)]};
        const Picture alone = networks(DType::f32).picture(options);
        const auto size = static_cast<std::ptrdiff_t>(alone.latents.v.size());
        const std::vector<float> item(batch.latents.v.begin() + i * size, batch.latents.v.begin() + (i + 1) * size);
        EXPECT_LE(relative_l2(item, alone.latents.v), most) << "image " << i;
    }
}

TEST(Tiny, WithoutGuidanceTheNegativePromptIsNotRead) {
    auto options = run_options(model::SchedulerKind::ddim, 2);
    options.guidance = 1;
    options.ids.erase(options.ids.begin(), options.ids.begin() + 77);
    const Picture p = networks(DType::f32).picture(options);
    EXPECT_TRUE(std::all_of(p.image.v.begin(), p.image.v.end(), [](float x) { return std::isfinite(x); }));
}

// The first run grows scratch memory; after that a step allocates nothing.
TEST(Tiny, StepsAllocateNothing) {
    for (const auto kind :
         {model::SchedulerKind::ddim, model::SchedulerKind::dpmpp_2m, model::SchedulerKind::euler_ancestral}) {
        auto options = run_options(kind, 5);
        options.watch = allocations;
        options.repeats = 2;
        const Picture p = networks(DType::f32).picture(options);
        ASSERT_EQ(p.watched.size(), 5u);
        for (std::size_t i = 1; i < 5; ++i)
            EXPECT_EQ(p.watched[i], p.watched[0]) << model::name(kind) << ", step " << i;
    }
}

// On a GPU the first are the kernel nodes of the step's graph.
TEST(Tiny, LaunchesAreThoseOfThePrograms) {
    for (const auto kind : {model::SchedulerKind::ddim, model::SchedulerKind::dpmpp_2m}) {
        const Picture p = networks(network_types[std::size(network_types) / 2]).picture(run_options(kind, 2));
        EXPECT_EQ(p.step_launches, p.explained_launches) << model::name(kind);
    }
}

TEST(Tiny, TwoHostThreads) {
    const auto options = run_options(model::SchedulerKind::euler_ancestral, 20);
    const std::unique_ptr<Networks> one = new_networks(network_types[std::size(network_types) / 2], 0),
                                    two = new_networks(network_types[std::size(network_types) - 1], 0);
    const Picture alone_one = one->picture(options), alone_two = two->picture(options);
    Picture p, q;
    std::thread other([&] { q = two->picture(options); });
    p = one->picture(options);
    other.join();
    EXPECT_EQ(p.image.v, alone_one.image.v);
    EXPECT_EQ(q.image.v, alone_two.image.v);
}

/// Two threads in the place of two GPUs: each leaves its half for the other, and takes the other's.
TEST(Tiny, HalvesOfGuidanceMakeTheSamePicture) {
    if (networks_on_gpu) GTEST_SKIP() << "memory of a GPU is not exchanged by threads: tests/program/mpi_test.sh";
    for (const auto kind : {model::SchedulerKind::dpmpp_2m, model::SchedulerKind::euler_ancestral}) {
        auto options = run_options(kind, 4);
        const Picture whole = networks(DType::f32).picture(options);
        const std::size_t row = options.ids.size() / 2;
        std::barrier both(2);
        const void* left[2] = {};
        Picture halves[2];
        const auto draw = [&](int h) {
            auto half = options;
            const auto from = options.ids.begin() + static_cast<std::ptrdiff_t>(h == 1 ? row : 0);
            half.ids.assign(from, from + static_cast<std::ptrdiff_t>(row));
            half.conditional = h == 1;
            half.exchange = [&, h](const void* mine, void* others, std::size_t bytes) {
                left[h] = mine;
                both.arrive_and_wait();
                std::memcpy(others, left[1 - h], bytes);
                both.arrive_and_wait();
            };
            halves[h] = new_networks(DType::f32, 1)->picture(half);
        };
        std::thread other([&] { draw(1); });
        draw(0);
        other.join();
        for (const Picture& p : halves) {
            EXPECT_EQ(p.latents.v, whole.latents.v) << model::name(kind);
            EXPECT_EQ(p.image.v, whole.image.v) << model::name(kind);
        }
    }
}

// Layers share the arena: the whole pipeline fits in far less than the sum of its tensors.
TEST(Tiny, ArenaIsReused) {
    const auto options = run_options(model::SchedulerKind::ddim, 2);
    auto larger = options;
    larger.width = 256;
    const std::size_t small = networks(DType::f32).picture(options).arena;
    EXPECT_LT(small, 16u << 20);
    EXPECT_LT(networks(DType::f32).picture(larger).arena, 2 * small + (1u << 20));
}

TEST(Tiny, SizesThatAreNoMultipleOf64) {
    auto options = run_options(model::SchedulerKind::ddim, 2);
    options.width = 100;
    try {
        networks(DType::f32).picture(options);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: width is 100, expected a multiple of 64");
    }
}

}  // namespace
