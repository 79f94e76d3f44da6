// SPDX-License-Identifier: Apache-2.0
/// Lanes, shared memory, copies, counters and conversions of tile/hip/isa: each thread writes what it got, from data
/// that no other thread has.
#include <inlay/core/half.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

using namespace inlay;
using namespace inlay::on_gpu;

namespace {

constexpr int threads = 128;

/// A thread's row of results.
struct Row {
    std::int32_t* at;
    template <class T>
    __device__ void put(T x) {
        static_assert(sizeof(T) % 4 == 0);
        __builtin_memcpy(at, &x, sizeof(T));
        at += sizeof(T) / 4;
    }
};

__global__ void __launch_bounds__(threads) move_lanes(std::int32_t* out, const std::int32_t* x, int by, int from) {
    const int i = thread_index();
    Row row{out + i * 32};
    const std::int32_t mine = x[i];
    row.put(lane_index());
    row.put(warp_index());
    row.put(shuffle_xor(mine, 1));
    row.put(shuffle_xor(mine, 2));
    row.put(shuffle_xor(mine, 4));
    row.put(shuffle_xor(mine, 8));
    row.put(shuffle_xor(mine, 16));
    row.put(warp_size == 64 ? shuffle_xor(mine, 32) : mine);
    row.put(shuffle_xor(mine, by));
    row.put(shuffle(mine, 5));
    row.put(shuffle(mine, (lane_index() + from) % warp_size));
    row.put(warp_uniform(mine));
    row.put(shuffle_xor(static_cast<float>(mine), 4));
    row.put(shuffle_xor(static_cast<std::uint64_t>(mine) << 32 | static_cast<std::uint32_t>(i), 16));
    const uint4 four{static_cast<unsigned>(mine), 1u, 2u, static_cast<unsigned>(i)};
    row.put(shuffle(four, (lane_index() * 3) % warp_size));
    row.put(static_cast<std::int32_t>(shuffle_xor(static_cast<std::uint16_t>(mine), 8)));
    row.put(static_cast<std::int32_t>(any_lane(mine == from)));
    row.put(static_cast<std::int32_t>(all_lanes(mine >= from)));
    row.put(least_of_lanes(mine));
    row.put(bits_of_lanes(static_cast<unsigned>(mine)));
    row.put(static_cast<std::int32_t>(block_sync_all(mine != 7)));
    row.put(static_cast<std::int32_t>(block_sync_all(mine >= 0)));
}

/// 16 bytes a thread, of which the first size[i] are read, by all ways into shared memory, and from there by another
/// thread.
__global__ void __launch_bounds__(threads) move_chunks(std::uint32_t* out, const std::uint32_t* x, const int* size) {
    __shared__ __align__(16) std::uint32_t room[5][threads][4];
    const int i = thread_index(), other = i ^ 65;
    CopySlot slot;
    copy_async_where(slot, i % 3 != 0, shared_address(room[0][i]), x + 4 * i, size[i]);
    if (i % 3 == 0) store_shared(shared_address(room[0][i]), uint4{9, 9, 9, 9});
    copy_async_part<16>(shared_address(room[1][i]), x + 4 * i, size[i]);
    copy_async_part<8>(shared_address(room[2][i]), x + 4 * i, size[i] < 8 ? size[i] : 8);
    copy_async_part<4>(shared_address(room[2][i] + 2), x + 4 * i + 2, size[i] < 12 ? size[i] < 8 ? 0 : size[i] - 8 : 4);
    store_shared(shared_address(room[2][i] + 3), static_cast<std::uint32_t>(i));
    for (int j = 0; j < 8; ++j)
        store_shared(shared_address(room[3][i]) + 2u * static_cast<unsigned>(j), static_cast<std::uint16_t>(8 * i + j));
    const uint4 streamed = load_streamed(x + 4 * i);
    store_shared(shared_address(room[4][i]), streamed);
    copy_commit();
    land(slot);
    copy_wait<0>();
    block_sync();
    for (int way = 0; way < 5; ++way) {
        std::uint32_t w[4];
        for (int j = 0; j < 4; ++j) w[j] = load_shared(shared_address(room[way][other] + j));
        store_global(way != 4 || i % 2 == 0, out + (way * threads + i) * 4, w[0], w[1], w[2], w[3]);
    }
}

/// Counters, and what other blocks see of them.
__global__ void __launch_bounds__(threads) count_up(std::uint32_t* sums, std::uint32_t* old, std::uint64_t* word) {
    const int i = block_index() * threads + thread_index();
    old[i] = add_atomically(sums, 3);
    old[i + blocks_of_grid() * block_threads()] = count_wrapping(sums + 1, 9);
    fence_device();
    store_relaxed(word + i, load_relaxed(word + i) + (std::uint64_t{1} << 40));
    store_l2(sums + 2 + i, load_l2(sums + 2 + i) + 1u);
}

__global__ void __launch_bounds__(threads) convert_all(float* halves, std::uint32_t* pairs, float* functions,
                                                       const float* x) {
    const int i = block_index() * threads + thread_index();
    halves[i] = half_to_float(static_cast<std::uint16_t>(i));
    const float a = x[2 * i], b = x[2 * i + 1];
    pairs[4 * i] = rounded_pair<fp16>(a, b);
    pairs[4 * i + 1] = rounded_pair<bf16>(a, b);
    pairs[4 * i + 2] = rounded_bits<fp16>(a) | static_cast<std::uint32_t>(rounded_bits<bf16>(b)) << 16;
    pairs[4 * i + 3] = multiply_high(float_bits(a), float_bits(b));
    functions[3 * i] = exp2_approximate(a);
    functions[3 * i + 1] = reciprocal_approximate(a);
    functions[3 * i + 2] = reciprocal_sqrt(a);
}

}  // namespace

extern "C" {

void lanes(std::int32_t* out, const std::int32_t* x, int by, int from) {
    move_lanes<<<1, threads>>>(out, x, by, from);
}
void chunks(std::uint32_t* out, const std::uint32_t* x, const int* size) { move_chunks<<<1, threads>>>(out, x, size); }
void counters(std::uint32_t* sums, std::uint32_t* old, std::uint64_t* word, int blocks) {
    count_up<<<blocks, threads>>>(sums, old, word);
}
void conversions(float* halves, std::uint32_t* pairs, float* functions, const float* x) {
    convert_all<<<65536 / threads, threads>>>(halves, pairs, functions, x);
}

}
