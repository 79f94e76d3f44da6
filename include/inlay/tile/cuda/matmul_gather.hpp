// SPDX-License-Identifier: Apache-2.0
/// The product of rows whose segments are a few elements each: the taps of a convolution over an image's 3 or 4
/// channels. A step then holds many segments at once instead of a part of one, and is gathered by four elements at a
/// time, that a thread evaluates, or only copies, straight into the stage. Weights are copied by as many. The sum is
/// short: there is one stage.
#pragma once

#include <inlay/tile/cuda/launch.hpp>
#include <inlay/tile/cuda/matmul_finish.hpp>
#include <inlay/tile/cuda/matmul_split.hpp>
#include <inlay/tile/cuda/matmul_sum.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// Fills the one stage. A quad: four elements of a row.
template <class Tile, class Args>
struct GatherStage {
    using T = typename Tile::value_type;
    static constexpr int lanes = 4, bytes = lanes * static_cast<int>(sizeof(T)), quads = Tile::k / lanes;
    static constexpr int apart = Tile::threads / Tile::m;   // quads of a row of A from one of a thread's to the next
    static_assert(Tile::threads % Tile::m == 0);

    __device__ INLAY_INLINE static std::uint32_t place(int row, int quad) {
        return swizzled<Tile::chunks>(row, quad * bytes / 16) + static_cast<std::uint32_t>(quad * bytes % 16);
    }
    /// Four values as T, rounded.
    __device__ INLAY_INLINE static void store(char* to, const Vec<float, lanes>& v) {
        if constexpr (sizeof(T) == 4) *reinterpret_cast<float4*>(to) = make_float4(v.v[0], v.v[1], v.v[2], v.v[3]);
        else
            *reinterpret_cast<uint2*>(to) =
                make_uint2(rounded_pair<T>(v.v[0], v.v[1]), rounded_pair<T>(v.v[2], v.v[3]));
    }
    /// Starts the copies of the weights of elements [k0, k0 + Tile::k) of the sum to `tile`.
    __device__ static void copy_weights(const Args& a, const Task& task, const Thread& t, int k0, char* tile) {
        const T* const w = a.w + task.batch * a.w_batch;
        const bool aligned = is_aligned(w, bytes) && a.w_row % lanes == 0;
        // A thread has one quad of every `rows`-th row, which differ by multiples of 8: their places turn alike.
        constexpr int rows = Tile::threads / quads;
        static_assert(Tile::threads % quads == 0 && rows % 8 == 0);
        const int quad = t.id % quads, kk = k0 + quad * lanes, n = ::min(::max(a.total - kk, 0), lanes);
        char* to = tile + place(t.id / quads, quad);
#pragma unroll 2
        for (int row = t.id / quads; row < Tile::n; row += rows, to += rows * Tile::chunks * 16) {
            const int here = task.n0 + row < a.n ? n : 0;
            const T* const from = here > 0 ? w + static_cast<index_t>(task.n0 + row) * a.w_row + kk : w;
            if (aligned) copy_async_part<bytes>(shared_address(to), from, here * static_cast<int>(sizeof(T)));
            else store(to, load_lanes<lanes>(from, 1, 0, here));
        }
        copy_commit();
    }
    /// The rows of A there, to `tile`. A thread has one row, of which it has every `apart`-th quad: where it begins is
    /// found once.
    __device__ static void load_rows(const Args& a, const Task& task, const Thread& t, int k0, char* tile) {
        const int row = t.id % Tile::m, m = task.m0 + row, first = t.id / Tile::m;
        const auto start = a.rows.row(task.batch, ::min(m, a.m - 1));
        const int total = m < a.m ? a.total : 0;
        if constexpr (Args::affine)
            if (has_whole_quads(a)) return copy_quads(a, start, total, k0, tile, row, first);
#pragma unroll 1
        for (int quad = first; quad < quads; quad += apart) {
            const int kk = k0 + quad * lanes;
            store(tile + place(row, quad), evaluate_sum<lanes>(a, start, kk, ::min(total - kk, lanes)));
        }
    }

private:
    /// Whether the input is one tensor of which a quad is never cut, nor off its alignment.
    __device__ static bool has_whole_quads(const Args& a) {
        bool whole = a.view.data && a.k % lanes == 0 && is_aligned(a.view.data, bytes) && a.view.strides.back(0) == 1;
        for (int i = 0; i + 1 < Args::rank; ++i) whole = whole && a.view.strides[i] % lanes == 0;
        return whole;
    }
    /// Copies all that a thread has at once, so that its loads overlap.
    template <class Row>
    __device__ static void copy_quads(const Args& a, const Row& start, int total, int k0, char* tile, int row,
                                      int first) {
        using Words = std::conditional_t<sizeof(T) == 4, uint4, uint2>;
        constexpr int each = quads / apart;
        const T* from[each];
        Words words[each];
        INLAY_UNROLL
        for (int i = 0; i < each; ++i) {
            const int kk = k0 + (first + i * apart) * lanes;
            const int segment = static_cast<int>(static_cast<unsigned>(kk) / static_cast<unsigned>(a.k));
            Extents<Args::rank> c;
            from[i] = nullptr;
            if (kk < total && a.rows.at(start, segment, c)) {
                c.back(0) += kk - segment * a.k;
                from[i] = a.view.data + inlay::detail::offset(c, a.view.strides);
            }
        }
        INLAY_UNROLL
        for (int i = 0; i < each; ++i) words[i] = from[i] ? *reinterpret_cast<const Words*>(from[i]) : Words{};
        INLAY_UNROLL
        for (int i = 0; i < each; ++i) *reinterpret_cast<Words*>(tile + place(row, first + i * apart)) = words[i];
    }
};

template <class Tile, class Args>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks) gather_kernel(const __grid_constant__ Args a) {
    using Stage = GatherStage<Tile, Args>;
    extern __shared__ __align__(256) char matmul_memory[];
    const Thread t;
    const Task task = Task::of<Tile>(a, static_cast<int>(blockIdx.x));
    WarpProduct<Tile> product(t, Tile::a_bytes);
    const std::uint32_t stage = shared_address(matmul_memory);
    after_previous_kernel();
#pragma unroll 1
    for (int k0 = 0; k0 < a.total; k0 += Tile::k) {
        if (k0 > 0) __syncthreads();
        Stage::copy_weights(a, task, t, k0, matmul_memory + Tile::a_bytes);
        Stage::load_rows(a, task, t, k0, matmul_memory);
        copy_wait<0>();
        __syncthreads();
        product.begin(stage);
        product.multiply([](int) {}, [=] { return stage; });
    }
    __syncthreads();
    float* const out = reinterpret_cast<float*>(matmul_memory);
    FinishedSums<Tile>(product, out, t).store(out, t);
    __syncthreads();
    FinishTile<Tile, Args>::run(a, task, t, matmul_memory);
}

template <class Tile, class Args>
void gather(Launcher& l, Args& a) {
    a.m_tiles = (a.m + Tile::m - 1) / Tile::m;
    a.n_tiles = (a.n + Tile::n - 1) / Tile::n;
    constexpr int stage = Tile::a_bytes + Tile::b_bytes, finish = FinishTile<Tile, Args>::bytes;
    constexpr std::size_t bytes = stage > finish ? stage : finish;
    l.launch({.blocks = static_cast<index_t>(a.batch) * a.m_tiles * a.n_tiles,
              .threads = Tile::threads,
              .shared = bytes,
              .overlaps = true},
             gather_kernel<Tile, Args>, a);
}

}  // namespace inlay::inline INLAY_ABI::cuda
