// SPDX-License-Identifier: Apache-2.0
/// The block tile of a matrix product, and how its warps and its shared memory are divided.
#pragma once

#include <inlay/plan/gemm/gemv.hpp>
#include <inlay/plan/gemm/schedules.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/gemm/arguments.hpp>
#include <inlay/tile/gpu/gemm/work_tile.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/matrix.hpp>
#include <inlay/tile/shapes.hpp>

#include <type_traits>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

/// M×N of C by `Warps` warps of the atom's width, with k-blocks of K elements. Of the warps, `Slices` groups each
/// compute the whole tile over their slice of every k-block, so that a tile that is alone on its multiprocessor has
/// warps enough. Blocks: tiles that are to be resident on a multiprocessor. Stages: of the ring, where the device has
/// room for them.
template <class Atom, int M, int N, int K, int Warps, int Slices, int Blocks, int Stages>
struct Tile {
    using atom = Atom;
    using value_type = typename Atom::value_type;
    using T = value_type;
    static constexpr int m = M, n = N, k = K, slices = Slices, blocks = Blocks, stages = Stages,
                         threads = Atom::lanes * Warps;
    static constexpr WarpGrid grid = warp_grid(M, N, Warps / Slices, Atom::m, Atom::n);
    static constexpr int warp_m = M / grid.m, warp_n = N / grid.n;
    static constexpr int chunk = 16 / static_cast<int>(sizeof(T));  ///< elements of a 16-byte chunk
    static constexpr int chunks = K / chunk;                        ///< of a row of a k-block
    static constexpr int a_bytes = M * chunks * 16, b_bytes = N * chunks * 16;
    static constexpr int steps = chunks / Atom::chunks / Slices;  ///< atoms along k of a warp in a k-block
    static constexpr int out_stride = N + 8;            ///< floats of a row of the finished tile: no bank conflicts

    static_assert(Warps % Slices == 0 && (Slices == 1 || Slices == 2));
    static_assert(grid.m > 0, "inlay: the warps of a schedule cannot share its tile in whole atoms");
    static_assert(chunks == 4 || chunks == 8 || chunks == 16, "inlay: the K of a schedule is 64, 128 or 256 bytes");
    static_assert(steps > 0, "inlay: each slice of a schedule has atoms along K");
    static_assert(Slices == 1 || warp_m / Atom::m % 2 == 0, "inlay: slices exchange halves of a warp's rows");
    static_assert(threads / chunks % 8 == 0,
                  "inlay: the threads of a schedule copy 8 rows of a tile at a time, or a multiple");
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
