// SPDX-License-Identifier: Apache-2.0
/// The emulator of HIP itself: waves of 64 or 32 lanes, copies through registers, LDS, and products of waves.
#include <gpu/emulated/check.hpp>

#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/hip/isa/matrix.hpp>

#include <cmath>
#include <cstring>

namespace emulator_test {

constexpr int lanes = emulator::warp_lanes;
constexpr bool gfx9 = lanes == 64;

// Lanes.

__global__ void exchanges(float* to) {
    const float mine = static_cast<float>(thread_index());
    to[thread_index()] = shuffle(mine, lanes - 1 - lane_index()) * 1000 + shuffle_xor(mine, lanes / 2);
}
TEST(HipEmulator, ShufflesCrossAWholeWave) {
    const Floats x(std::vector<float>(2 * lanes));
    EXPECT_EQ(error_of({1, 2 * lanes}, exchanges, x.p), "");
    const std::vector<float> got = x.get();
    for (int i = 0; i < 2 * lanes; ++i) {
        const int wave = i / lanes * lanes, lane = i % lanes;
        EXPECT_EQ(got[static_cast<std::size_t>(i)], (wave + lanes - 1 - lane) * 1000 + wave + (lane ^ lanes / 2)) << i;
    }
}
__global__ void votes(float* to, int alone) {
    const bool me = lane_index() == alone;
    const unsigned mine = 1u << lane_index() % 32;
    to[thread_index()] = static_cast<float>(any_lane(me) + 2 * all_lanes(!me) + 4 * (bits_of_lanes(mine) == ~0u)) +
                         16 * static_cast<float>(least_of_lanes(100 - thread_index()));
}
TEST(HipEmulator, VotesAreOfAWholeWave) {
    const Floats x(std::vector<float>(2 * lanes));
    for (const int alone : {0, lanes - 1, lanes}) {
        EXPECT_EQ(error_of({1, 2 * lanes}, votes, x.p, alone), "");
        for (int i = 0; i < 2 * lanes; ++i)
            EXPECT_EQ(x.get()[static_cast<std::size_t>(i)],
                      (alone < lanes ? 1 : 2) + 4 + 16 * (101 - (i / lanes + 1) * lanes));
    }
}
/// A block of which the last wave is half there.
__global__ void half_a_wave(float* to, int by) {
    to[thread_index()] = shuffle_xor(1.0f, by) + static_cast<float>(all_lanes(true));
}
TEST(HipEmulator, LanesThatABlockDoesNotHaveAreNotRead) {
    const Floats x(std::vector<float>(std::size_t(lanes / 2)));
    EXPECT_EQ(error_of({1, lanes / 2}, half_a_wave, x.p, lanes / 4), "");
    EXPECT_SAYS(error_of({1, lanes / 2}, half_a_wave, x.p, lanes / 2), "which does not take part");
}

// Copies.

/// Uses of a slot, right and wrong ones.
enum class Does { lands, leaves, loads_twice, lands_twice, lands_unloaded };
template <Does What>
__global__ void copies(float* to, const float* from, int size) {
    extern __shared__ __align__(16) char memory[];
    const std::uint32_t here = shared_address(memory) + static_cast<std::uint32_t>(thread_index() * 16);
    CopySlot slot;
    if (What != Does::lands_unloaded) copy_async_where(slot, true, here, from + thread_index() * 4, size);
    if (What == Does::loads_twice) copy_async_where(slot, true, here, from + thread_index() * 4, size);
    const std::uint32_t before = load_shared(here);
    if (What != Does::leaves) land(slot);
    if (What == Does::lands_twice) land(slot);
    const uint4 chunk = load_shared_chunk(here);
    to[thread_index() * 4] = float_of_bits(chunk.x);
    to[thread_index() * 4 + 1] = float_of_bits(chunk.y);
    to[thread_index() * 4 + 2] = float_of_bits(chunk.z);
    to[thread_index() * 4 + 3] = float_of_bits(before);
}
TEST(HipEmulator, CopiesAreThereOnceTheyHaveLanded) {
    const Floats from(counting(256)), to(std::vector<float>(256));
    EXPECT_EQ(error_of({1, 64, 1024}, copies<Does::lands>, to.p, from.p, 8), "");
    const std::vector<float> got = to.get();
    for (std::size_t i = 0; i < 256; ++i) {
        if (i % 4 == 3) EXPECT_TRUE(std::isnan(got[i])) << "not before";
        else EXPECT_EQ(got[i], i % 4 < 2 ? static_cast<float>(i) : 0.0f);
    }
    EXPECT_SAYS(error_of({1, 64, 1024}, copies<Does::leaves>, to.p, from.p, 16),
                "it returns while 1 copies have not landed");
    EXPECT_SAYS(error_of({1, 64, 1024}, copies<Does::loads_twice>, to.p, from.p, 16),
                "a copy slot is loaded again before it has landed");
    EXPECT_SAYS(error_of({1, 64, 1024}, copies<Does::lands_twice>, to.p, from.p, 16), "a copy slot lands twice");
    EXPECT_SAYS(error_of({1, 64, 1024}, copies<Does::lands_unloaded>, to.p, from.p, 16), "that was never loaded");
    EXPECT_SAYS(error_of({1, 64, 1024}, copies<Does::lands>, to.p, from.p + 4, 16), "a copy of 16 bytes at");
    EXPECT_SAYS(error_of({1, 64, 1008}, copies<Does::lands>, to.p, from.p, 16),
                "byte 1008 of dynamic shared memory, of which there are 1008");
}

// LDS.

__global__ void nothing() {}
TEST(HipEmulator, ABlockHas64KBOfLds) {
    EXPECT_EQ(error_of({1, 64, 64 << 10}, nothing), "");
    EXPECT_SAYS(error_of({1, 64, (64 << 10) + 1}, nothing), "shared memory");
}

// Products.

/// An instruction in which lane l gives a row and a column number of its own: C tells where each went.
__global__ void multiplies(float* to, int threads) {
    float c[8] = {};
    const std::uint32_t words[8] = {};
    if (thread_index() >= threads) return;
    if constexpr (gfx9) {
        float c4[4] = {};
        mfma_16x16x16<fp16>(c4, {words[0], words[1]}, {words[2], words[3]});
        c[0] = c4[0];
    } else {
        wmma_16x16x16<fp16>(c, words, words);
    }
    to[thread_index()] = c[0];
}
TEST(HipEmulator, AProductNeedsAllLanesOfAWave) {
    const Floats x(std::vector<float>(std::size_t{lanes}));
    const char* const name = gfx9 ? "waits at v_mfma_f32_16x16x16 with mask 0xffffffffffffffff"
                                  : "waits at v_wmma_f32_16x16x16 with mask 0xffffffff";
    EXPECT_EQ(error_of({1, lanes}, multiplies, x.p, lanes), "");
    EXPECT_SAYS(error_of({1, lanes}, multiplies, x.p, lanes - 1), name);
    EXPECT_SAYS(error_of({1, lanes / 2}, multiplies, x.p, lanes), "names lanes that the warp does not have");
}
/// wmma with other halves of A, or of B, in lanes 16 to 31.
__global__ void halves_differ(float* to, int of_a, int of_b) {
    const std::uint32_t mine = static_cast<std::uint32_t>(lane_index() / 16);
    const std::uint32_t a[8] = {of_a * mine}, b[8] = {0, 0, of_b * mine};
    float c[8] = {};
    wmma_16x16x16<fp16>(c, a, b);
    to[thread_index()] = c[0];
}
__global__ void multiplies_64(float* to) {
    float c[4] = {};
    mfma_16x16x4(c, 1, 1);
    to[thread_index()] = c[0];
}
TEST(HipEmulator, ProductsAreThoseOfTheArchitecture) {
    const Floats x(std::vector<float>(64));
    if (gfx9) {
        EXPECT_SAYS(error_of({1, 64}, halves_differ, x.p, 0, 0), "v_wmma in a wave of 64 lanes");
    } else {
        EXPECT_SAYS(error_of({1, 32}, multiplies_64, x.p), "v_mfma in a wave of 32 lanes");
        EXPECT_EQ(error_of({1, 32}, halves_differ, x.p, 0, 0), "");
        EXPECT_SAYS(error_of({1, 32}, halves_differ, x.p, 1, 0), "has other elements of A than lane ");
        EXPECT_SAYS(error_of({1, 32}, halves_differ, x.p, 0, 1), "has other elements of B than lane ");
    }
}
/// A denormal of fp16 counts.
__global__ void multiplies_denormals(float* to) {
    const std::uint32_t one = rounded_pair<fp16>(1, 0), least = rounded_pair<fp16>(0x1p-24f, 0);
    if constexpr (gfx9) {
        float c[4] = {};
        mfma_16x16x16<fp16>(c, {least, 0}, {one, 0});
        to[thread_index()] = c[0];
    } else {
        float c[8] = {};
        const std::uint32_t a[8] = {least}, b[8] = {one};
        wmma_16x16x16<fp16>(c, a, b);
        to[thread_index()] = c[0];
    }
}
__global__ void shares(float* to) {
    float c = 1000;
    fma_row_share<5>(c, 2, static_cast<float>(lane_index()));
    to[thread_index()] = c;
}
TEST(HipEmulator, SumsAndRows) {
    const Floats x(std::vector<float>(std::size_t{lanes}));
    EXPECT_EQ(error_of({1, lanes}, multiplies_denormals, x.p), "");
    for (const float v : x.get()) EXPECT_EQ(v, gfx9 ? 4 * 0x1p-24f : 0x1p-24f);
    EXPECT_EQ(error_of({1, lanes}, shares, x.p), "");
    for (int i = 0; i < lanes; ++i) EXPECT_EQ(x.get()[static_cast<std::size_t>(i)], 1000 + 2 * (i / 16 * 16 + 5));
}

// Blocks that wait for each other.

__global__ void meet_all(std::uint32_t* come, float* to) {
    if (thread_index() == 0) {
        add_atomically(come, 1u);
        while (add_atomically(come, 0u) < gridDim.x) {}
    }
    block_sync();
    to[block_index() * block_threads() + thread_index()] = 1;
}
TEST(HipEmulator, ResidentBlocksMeet) {
    const Device<std::uint32_t> come({0});
    const Floats x(std::vector<float>(9 * 64));
    EXPECT_EQ(error_of({8, 64, 0, true}, meet_all, come.p, x.p), "");
    EXPECT_SAYS(error_of({9, 64, 0, true}, meet_all, come.p, x.p), "hipErrorCooperativeLaunchTooLarge");
    EXPECT_SAYS(error_of({5, 64, 40 << 10, true}, meet_all, come.p, x.p), "hipErrorCooperativeLaunchTooLarge");
}

}  // namespace emulator_test
