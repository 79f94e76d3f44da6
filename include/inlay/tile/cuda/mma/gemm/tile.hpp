// SPDX-License-Identifier: Apache-2.0
/// The block tile of a matrix product, what a kernel of it is told, and how it divides its shared memory.
#pragma once

#include <inlay/expr/affine.hpp>
#include <inlay/expr/eval.hpp>
#include <inlay/plan/gemm/gemv.hpp>
#include <inlay/plan/gemm/schedules.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/cuda/mma/atom.hpp>
#include <inlay/tile/shapes.hpp>

#include <type_traits>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

/// M×N of C by `Warps` warps, which step along the sum by K elements of T. Of the warps, `Slices` groups each compute
/// the whole tile over their part of every step, so that a tile that is alone on its multiprocessor has warps enough.
/// Blocks: tiles that are to be resident on a multiprocessor. Stages: of the ring, where the device has room for them.
template <class T, int M, int N, int K, int Warps, int Slices, int Blocks, int Stages>
struct Tile {
    using value_type = T;
    using atom = Atom<T>;
    static constexpr int m = M, n = N, k = K, slices = Slices, blocks = Blocks, stages = Stages,
                         threads = 32 * Warps;
    static constexpr WarpGrid grid = warp_grid(M, N, Warps / Slices);
    static constexpr int warp_m = M / grid.m, warp_n = N / grid.n;
    static constexpr int chunk = 16 / static_cast<int>(sizeof(T));  ///< elements of a 16-byte chunk
    static constexpr int chunks = K / chunk;                        ///< of a row of a step
    static constexpr int a_bytes = M * chunks * 16, b_bytes = N * chunks * 16;
    static constexpr int steps = chunks / 2 / Slices;   ///< atoms along k that a warp multiplies in a step
    static constexpr int out_stride = N + 8;            ///< floats of a row of the finished tile: no bank conflicts

    static_assert(Warps % Slices == 0 && (Slices == 1 || Slices == 2));
    static_assert(grid.m > 0, "inlay: the warps of a schedule cannot share its tile: M is a multiple of 16, N of 8");
    static_assert(chunks == 4 || chunks == 8 || chunks == 16, "inlay: the K of a schedule is 64, 128 or 256 bytes");
    static_assert(steps % 2 == 0, "inlay: each slice of a schedule has an even number of atoms along K");
    static_assert(Slices == 1 || warp_m / 16 % 2 == 0, "inlay: slices exchange halves of a warp's rows");
    static_assert(threads / chunks % 8 == 0,
                  "inlay: the threads of a schedule copy 8 rows of a tile at a time, or a multiple");
};

/// What a kernel of a product is told. Extents fit 32 bits, offsets in tensors 64.
template <class T, class In_, class Rows_, class Epilogue_, class Sink_, class Place_>
struct MatmulArgs {
    using value_type = T;
    using In = In_;
    using Rows = Rows_;
    using Epilogue = Epilogue_;
    using Sink = Sink_;
    using Place = Place_;
    static constexpr int rank = rank_of<typename In::expression, typename In::env_type>;
    static constexpr bool affine = is_affine_of<T, In>;

    In in;
    Rows rows;
    Epilogue epilogue;
    Sink sink;
    Place place;
    AffineView<T, rank> view{};  ///< the input, or null where it is not affine
    const T* w = nullptr;
    bool w_constant = false;     ///< packed: no kernel writes the weights
    index_t w_batch = 0;         ///< elements from one block of weights to the next
    int w_row = 0;               ///< elements from one row of weights to the next
    int batch = 0, m = 0, n = 0, k = 0, total = 0;  ///< total: segments · k
    int m_tiles = 0, n_tiles = 0;
    int parts = 1, part = 0;     ///< of the sum, and elements of each
    int stages = 0, slots = 0, stage_bytes = 0;
    unsigned streams = 0;        ///< which leaves of the input are copied to shared memory before they are evaluated
    float* partial = nullptr;    ///< of the parts
    std::uint32_t* semaphores = nullptr;
};

/// The warp's and the lane's places.
struct Thread {
    int id, lane, warp;
    __device__ Thread() : id(static_cast<int>(threadIdx.x)), lane(id % 32), warp(id / 32) {}
};

/// The tile of C, and the part of the sum, that a block computes.
struct Task {
    int batch, part, m0, n0;

    /// Blocks that run together share rows of A and of B: they go down groups of `tall` tiles.
    template <class Tile, class Args>
    __device__ static Task of(const Args& a, int block) {
        constexpr int tall = 8;
        const int tiles = a.m_tiles * a.n_tiles;
        const int tile = block % tiles, rest = block / tiles;
        const int group = tile / (tall * a.n_tiles), in_group = tile % (tall * a.n_tiles);
        const int height = (::min)(tall, a.m_tiles - group * tall);
        return {rest / a.parts, rest % a.parts, (group * tall + in_group % height) * Tile::m,
                in_group / height * Tile::n};
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
