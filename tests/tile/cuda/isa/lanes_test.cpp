// SPDX-License-Identifier: Apache-2.0
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/isa/lanes.hpp>

namespace emulator_test {

__global__ void exchanges(int* to) {
    const int lane = lane_index(), x = 100 * warp_index() + lane;
    int* const mine = to + 8 * threadIdx.x;
    mine[0] = shuffle(x, 5);
    mine[1] = shuffle_xor(x, 3);
    mine[2] = warp_uniform(warp_index());
    mine[3] = any_lane(lane == 7);
    mine[4] = any_lane(lane == warp_size);
    mine[5] = all_lanes(lane < warp_size);
    mine[6] = least_of_lanes(-lane);
    mine[7] = static_cast<int>(bits_of_lanes(lane % 4 == 0 ? static_cast<unsigned>(lane) : 0u));
}
TEST(Lanes, Exchange) {
    const Device<int> x(std::vector<int>(8 * 2 * warp_size));
    EXPECT_EQ(error_of({1, 2 * warp_size}, exchanges, x.p), "");
    const std::vector<int> got = x.get();
    for (int t = 0; t < 2 * warp_size; ++t) {
        const int warp = t / warp_size, lane = t % warp_size;
        const int expected[] = {100 * warp + 5, 100 * warp + (lane ^ 3), warp, 1, 0, 1, 1 - warp_size, 28};
        for (int i = 0; i < 8; ++i) EXPECT_EQ(got[8 * t + i], expected[i]) << "thread " << t << ", value " << i;
    }
}

__global__ void shuffles_from(int lane, int* to) { to[threadIdx.x] = shuffle(1, lane); }
__global__ void calls_uniform(int differs) { warp_uniform(lane_index() == differs); }
__global__ void votes_before(int stays) {
    if (lane_index() != stays) all_lanes(true);
}
TEST(Lanes, AreChecked) {
    const Device<int> x(std::vector<int>(32));
    EXPECT_EQ(error_of({1, warp_size}, shuffles_from, warp_size - 1, x.p), "");
    EXPECT_SAYS(error_of({1, warp_size}, shuffles_from, warp_size, x.p), "reads lane 32, which does not take part");
    EXPECT_EQ(error_of({1, warp_size}, calls_uniform, warp_size), "");
    EXPECT_SAYS(error_of({1, warp_size}, calls_uniform, 9), "warp_uniform: lane 9 and lane 0 have different values");
    EXPECT_SAYS(error_of({1, warp_size}, votes_before, 4), "all_lanes");
}

}  // namespace emulator_test
