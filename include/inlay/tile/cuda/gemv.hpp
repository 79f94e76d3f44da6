// SPDX-License-Identifier: Apache-2.0
/// The product for a few rows of A: weights are streamed once, 16 bytes a lane, from memory straight into the matrix unit,
/// past rows of A that every block evaluates into shared memory. A warp computes sixteen columns over a part of the sum;
/// the warps of a block add their parts in order. Bound by memory: moves the weights once.
#pragma once

#include <inlay/tile/cuda/launch.hpp>
#include <inlay/tile/cuda/matmul_load.hpp>
#include <inlay/tile/cuda/matmul_sum.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

/// `batch`: steps whose weights a lane loads at once; it loads those of the next batch before it multiplies one.
struct Gemv {
    static constexpr int warps = 8, threads = 32 * warps, columns = 16, most_rows = 8, batch = 4;
};

/// n elements of a chunk of weights, at an address without alignment; zeros after them.
template <class T>
__device__ INLAY_INLINE uint4 stream_chunk(const T* p, int n) {
    Vec<float, chunk_of<T>> v(0.0f);
    INLAY_UNROLL
    for (int i = 0; i < chunk_of<T>; ++i)
        if (i < n) v.v[i] = to_float(p[i]);
    return chunk_words<T>(v);
}

/// Elements [k0, k0 + depth) of the rows of A to rows of `row_bytes` in shared memory, zeros after the last.
template <class T, class Args>
__device__ void stage_rows(const Args& a, int batch, int k0, int depth, int row_bytes, char* memory) {
    constexpr int all = chunk_of<T>;
    const int chunks = depth / all, id = static_cast<int>(threadIdx.x);
#pragma unroll 1
    for (int r = 0; r < a.m; ++r) {
        const auto start = a.rows.row(batch, r);
        const auto at = [&](int i) { return reinterpret_cast<T*>(memory + r * row_bytes) + i * all; };
        Extents<Args::rank> c;
        if (a.k == a.total && a.rows.at(start, 0, c)) {
            const RowReader<all, typename Args::In, Args::rank> reader(a.in, c, a.k);
            if (reader.dense()) {
                const int whole = ::min(chunks, (a.k - k0) / all);
#pragma unroll 4
                for (int i = id; i < whole; i += Gemv::threads)
                    *reinterpret_cast<uint4*>(at(i)) = chunk_words<T>(reader[k0 + i * all]);
                for (int i = whole + id; i < chunks; i += Gemv::threads) *reinterpret_cast<uint4*>(at(i)) = uint4{};
                continue;
            }
        }
#pragma unroll 1
        for (int i = id; i < chunks; i += Gemv::threads)
            *reinterpret_cast<uint4*>(at(i)) =
                chunk_words<T>(evaluate_sum<all>(a, start, k0 + i * all, ::min(all, a.total - k0 - i * all)));
    }
}

/// The weights of sixteen columns, as a lane of the atom reads them: chunk lane % 4 of each step, of columns lane / 4 and
/// lane / 4 + 8. An atom takes two words of a chunk for its k; where those lie in the sum does not matter, as long as
/// the rows of A are read alike.
template <class T>
struct WeightStream {
    using Atom = cuda::Atom<T>;
    using A = typename Atom::A;
    using B = typename Atom::B;
    static constexpr int step = 4 * chunk_of<T>;    ///< elements of the sum

    const T* low;
    const T* high;
    uint4 words[Gemv::batch][2];

    /// The batch of steps from `first` on. Not `Whole`: those before `end`. `left`: elements of the sum from the lane's
    /// first on.
    template <bool Whole>
    __device__ INLAY_INLINE void load(int first, int end, int left) {
        INLAY_UNROLL
        for (int j = 0; j < Gemv::batch; ++j) {
            const int k = (first + j) * step;
            const bool some = Whole || (first + j < end && k < left);
            words[j][0] = some ? load_streamed(low + k) : uint4{};
            words[j][1] = some ? load_streamed(high + k) : uint4{};
        }
    }
    /// The same from addresses without alignment.
    __device__ INLAY_INLINE void gather(int first, int end, int left) {
#pragma unroll 1
        for (int j = 0; j < 2 * Gemv::batch; ++j) {
            const int k = (first + j / 2) * step;
            const uint4 q = stream_chunk(j % 2 ? high + k : low + k, first + j / 2 < end ? left - k : 0);
            INLAY_UNROLL
            for (int i = 0; i < 2 * Gemv::batch; ++i)
                if (i == j) words[i / 2][i % 2] = q;
        }
    }
    /// `x`: the lane's chunk of step 0 in its row of A; `real`: whether there is such a row.
    template <bool Whole>
    __device__ INLAY_INLINE void multiply(typename Atom::C& sum, int first, int end, const T* x, bool real) const {
        INLAY_UNROLL
        for (int j = 0; j < Gemv::batch; ++j) {
            if (!Whole && first + j >= end) break;
            const uint4 &u = words[j][0], &v = words[j][1];
            const uint4 b = real ? *reinterpret_cast<const uint4*>(x + (first + j) * step) : uint4{};
            typename Atom::C part;
            auto& to = Atom::steps_per_sum < (1 << 20) ? part : sum;
            Atom::mma(to, A{{u.x, v.x, u.y, v.y}}, B{{b.x, b.y}});
            Atom::mma(to, A{{u.z, v.z, u.w, v.w}}, B{{b.z, b.w}});
            if constexpr (Atom::steps_per_sum < (1 << 20)) {
                INLAY_UNROLL
                for (int i = 0; i < 4; ++i) sum.r[i] += part.r[i];
            }
        }
    }
};

}  // namespace detail

/// k_warps: warps of a block that share sixteen columns. depth: elements of the sum that are in shared memory at a time.
template <class T, class Args>
__global__ void __launch_bounds__(detail::Gemv::threads, 1)
    gemv_kernel(const __grid_constant__ Args a, int blocks, int k_warps, int depth, int row_bytes) {
    using namespace detail;
    using Weights = WeightStream<T>;
    using In = typename Args::In;
    // The first weights are on their way while the input is staged, unless evaluating it needs the registers.
    constexpr bool copies = copies_list<T, In, flatten<typename In::expression>>;
    constexpr int all = chunk_of<T>, values = Gemv::columns * Gemv::most_rows;
    extern __shared__ __align__(16) char gemv_memory[];
    __shared__ float parts[Gemv::warps][values];
    const Thread t;
    const int batch = static_cast<int>(blockIdx.x) / blocks, block = static_cast<int>(blockIdx.x) % blocks;
    const T* const w = a.w + batch * a.w_batch;
    const bool aligned = is_aligned(w, 16) && a.w_row % all == 0;
    const int teams = Gemv::warps / k_warps, team = t.warp / k_warps, k_warp = t.warp % k_warps;
    const int columns = teams * Gemv::columns, quad = t.lane / 4, place = t.lane % 4 * all;
    const T* const x = reinterpret_cast<const T*>(gemv_memory + quad * row_bytes) + place;

    bool staged = false;
#pragma unroll 1
    for (int first = block * columns; first < a.n; first += blocks * columns) {
        const int n0 = first + team * Gemv::columns;
        typename Weights::Atom::C sum;
#pragma unroll 1
        for (int k0 = 0; k0 < a.total; k0 += depth) {
            const int left = a.total - k0 - place, length = ::min(depth, a.total - k0);
            const int steps = (length + Weights::step - 1) / Weights::step, each = (steps + k_warps - 1) / k_warps;
            const int begin = k_warp * each, end = n0 < a.n ? ::min(steps, begin + each) : begin;
            const auto row = [&](int n) { return w + static_cast<index_t>(::min(n, a.n - 1)) * a.w_row + k0 + place; };
            const int whole = ::min(end, length / Weights::step);
            Weights now{row(n0 + quad), row(n0 + quad + 8), {}}, next = now;
            if (copies && aligned) now.template load<false>(begin, end, left);
            if (!staged || depth < a.total) {
                __syncthreads();
                stage_rows<T>(a, batch, k0, steps * Weights::step, row_bytes, gemv_memory);
                staged = true;
                __syncthreads();
            }
            if (!copies && aligned) now.template load<false>(begin, end, left);
            int s = begin;
            if (aligned) {
#pragma unroll 2
                for (; s + 2 * Gemv::batch <= whole; s += Gemv::batch) {
                    next.template load<true>(s + Gemv::batch, end, left);
                    now.template multiply<true>(sum, s, end, x, quad < a.m);
                    now = next;
                }
                next.template load<false>(s + Gemv::batch, end, left);
                now.template multiply<false>(sum, s, end, x, quad < a.m);
                s += Gemv::batch;
                now = next;
            } else {
#pragma unroll 1
                for (; s + Gemv::batch < end; s += Gemv::batch) {
                    now.gather(s, end, left);
                    now.template multiply<true>(sum, s, end, x, quad < a.m);
                }
                now.gather(s, end, left);
            }
            now.template multiply<false>(sum, s, end, x, quad < a.m);
        }
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) {
            const Place at = Weights::Atom::place_c(t.lane, i);
            parts[t.warp][at.column * Gemv::columns + at.row] = sum.r[i];
        }
        __syncthreads();
        for (int i = t.id; i < a.m * columns; i += Gemv::threads) {
            const int r = i / columns, j = i % columns, n = first + j;
            if (n >= a.n) continue;
            float all_parts = 0;
            for (int k = 0; k < k_warps; ++k)
                all_parts += parts[j / Gemv::columns * k_warps + k][r * Gemv::columns + j % Gemv::columns];
            auto c = a.place(batch, r);
            c.back(0) += n;
            const Vec<float, 1> v(all_parts);
            write_chunk<1>(a.sink, c, 1, read_chunk<1>(a.epilogue, c, 1, &v));
        }
        __syncthreads();
    }
}

/// At most `gemv_rows` rows.
template <class Args>
void gemv(Launcher& l, const Args& a) {
    using namespace detail;
    using T = typename Args::value_type;
    constexpr int step = WeightStream<T>::step, size = static_cast<int>(sizeof(T));
    const auto up = [](index_t x, index_t y) { return static_cast<int>((x + y - 1) / y); };
    const index_t units = l.device().multiprocessors;
    // As many warps to a sum as leave the busiest multiprocessor the fewest columns.
    int k_warps = 1, least = 0, blocks = 1;
    for (int k = 1; k <= Gemv::warps; k *= 2) {
        const int teams = Gemv::warps / k, tiles = up(a.n, teams * Gemv::columns);
        const int load = up(static_cast<index_t>(tiles) * a.batch, units) * teams;
        if (least == 0 || load < least) k_warps = k, least = load, blocks = tiles;
    }
    blocks = std::min(blocks, up(units, a.batch));
    // Rows lie 64 bytes apart modulo 128, so that two of them are read without bank conflicts.
    const int most = (l.device().shared_bytes - Gemv::warps * Gemv::columns * Gemv::most_rows * 4 - 1024) / a.m - 128;
    const int depth = std::min(up(a.total, step) * step, most / size / 64 * 64);
    const int row_bytes = up(depth * size, 128) * 128 + 64;
    const std::size_t bytes = static_cast<std::size_t>(a.m) * static_cast<std::size_t>(row_bytes);
    l.launch({static_cast<index_t>(a.batch) * blocks, Gemv::threads, bytes},
             gemv_kernel<T, Args>, a, blocks, k_warps, depth, row_bytes);
}

}  // namespace inlay::inline INLAY_ABI::cuda
