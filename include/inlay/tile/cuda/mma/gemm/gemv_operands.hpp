// SPDX-License-Identifier: Apache-2.0
/// Operands of `gemv.hpp`: weights as lanes of the atom load them, rows of A as a block stages them, and the sum, which
/// is that of `tile/cuda/mma/gemm/gemv_copied.hpp` as well.
#pragma once

#include <inlay/tile/gpu/gemm/load.hpp>
#include <inlay/tile/gpu/gemm/tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// The sum of a lane's products.
template <class T>
struct StreamSum {
    using Atom = on_gpu::Atom<T>;
    using A = typename Atom::A;
    using B = typename Atom::B;
    typename Atom::C c[2];

    __device__ INLAY_INLINE void add(const A& a0, const B& b0, const A& a1, const B& b1) {
        if constexpr (Atom::steps_per_sum < (1 << 20)) {
            // The matrix unit truncates its sums: big products are added here, and the rounding error goes with the
            // small ones.
            typename Atom::C first, second;
            Atom::mma(first, c[1], Atom::split(a0), Atom::split(b0));
            Atom::mma(second, c[1], Atom::split(a1), Atom::split(b1));
            INLAY_UNROLL
            for (int i = 0; i < 4; ++i) {
                add(c[0].r[i], c[1].r[i], first.r[i]);
                add(c[0].r[i], c[1].r[i], second.r[i]);
            }
        } else {
            Atom::mma(c[0], a0, b0);    // two chains: neither waits for the other
            Atom::mma(c[1], a1, b1);
        }
    }
    __device__ float operator[](int i) const { return c[0].r[i] + c[1].r[i]; }

private:
    /// sum + lost grow by x but for the last bits of `lost`.
    __device__ INLAY_INLINE static void add(float& sum, float& lost, float x) {
        const float s = sum + x, of_x = s - sum;
        lost += (sum - (s - of_x)) + (x - of_x);
        sum = s;
    }
};

/// n elements of a chunk of weights, at an address without alignment; zeros after them.
template <class T>
__device__ INLAY_INLINE uint4 stream_chunk(const T* p, int n) {
    Vec<float, chunk_of<T>> v(0.0f);
    INLAY_UNROLL
    for (int i = 0; i < chunk_of<T>; ++i)
        if (i < n) v.v[i] = to_float(p[i]);
    return packed_chunk<T>(v);
}

/// A batch of the weights of sixteen columns, as a lane of the atom reads them: chunk lane % 4 of each step, of columns
/// lane / 4 (`low`) and lane / 4 + 8 (`high`). An atom takes two words of a chunk for its k; their place in the sum
/// does not matter, as long as the rows of A are read alike.
template <class T>
struct WeightStream {
    using Atom = on_gpu::Atom<T>;
    static constexpr int batch = 4, step = 4 * chunk_of<T>;     ///< steps, and elements of the sum in one

    uint4 words[batch][2];

    /// `low`, `high`: the lane's chunk of the first step; `place`: its number, in elements. `left`: elements of the sum
    /// from the batch on.
    __device__ INLAY_INLINE void load(const T* low, const T* high, int left, int place) {
        if (left >= batch * step) {
            INLAY_UNROLL
            for (int j = 0; j < batch; ++j)
                words[j][0] = load_streamed(low + j * step), words[j][1] = load_streamed(high + j * step);
        } else {
            INLAY_UNROLL
            for (int j = 0; j < batch; ++j) {
                const bool some = j * step + place < left;
                words[j][0] = some ? load_streamed(low + j * step) : uint4{};
                words[j][1] = some ? load_streamed(high + j * step) : uint4{};
            }
        }
    }
    /// The same from addresses without alignment. `left`: from the lane's first element on.
    __device__ INLAY_INLINE void gather(const T* low, const T* high, int left) {
#pragma unroll 1
        for (int j = 0; j < 2 * batch; ++j) {
            const int k = j / 2 * step;
            const uint4 q = stream_chunk(j % 2 ? high + k : low + k, left - k);
            INLAY_UNROLL
            for (int i = 0; i < 2 * batch; ++i)
                if (i == j) words[i / 2][i % 2] = q;
        }
    }
    /// `x`: the lane's chunk of the first step in its row of A; `real`: true if there is such a row.
    __device__ INLAY_INLINE void multiply(StreamSum<T>& sum, const T* x, bool real) const {
        INLAY_UNROLL
        for (int j = 0; j < batch; ++j) {
            const uint4 &u = words[j][0], &v = words[j][1];
            const uint4 b = real ? *reinterpret_cast<const uint4*>(x + j * step) : uint4{};
            sum.add({{u.x, v.x, u.y, v.y}}, {{b.x, b.y}}, {{u.z, v.z, u.w, v.w}}, {{b.z, b.w}});
        }
    }
};

/// The numbers of a kernel. Copied: rows of A and weights are whole chunks at addresses that are multiples of 16 bytes,
/// which are only copied (fp32 alone: `tile/cuda/mma/gemm/gemv_copied.hpp` has 16 bits); else anything. A phase is as
/// many elements of the sum as a block's warps multiply in a batch each.
template <class T, bool Copied>
struct Gemv {
    static constexpr int warps = 8, threads = warp_size * warps, columns = 16, most_rows = 8, most_stages = 3;
    static constexpr int depth = warps * WeightStream<T>::batch * WeightStream<T>::step, chunks = depth / chunk_of<T>;
    /// Rows lie 64 bytes apart modulo 128, so that two of them are read without bank conflicts.
    static constexpr int row_bytes = depth * static_cast<int>(sizeof(T)) + 64;
    static constexpr int static_bytes = warps * columns * most_rows * 4 + 2048;     ///< of shared memory, at most
    static_assert(threads % chunks == 0);
};

/// The rows of A of a block, and a phase of them in shared memory: row r of stage s at (s · m + r) · row_bytes.
template <class T, bool Copied, class Args>
class StagedRows {
public:
    using G = Gemv<T, Copied>;
    static constexpr int all = chunk_of<T>;

    /// Threads of a block call it together.
    __device__ StagedRows(const Args& a, int batch, char* memory) : a_(a), memory_(memory) {
        __shared__ __align__(16) char kept[G::most_rows * sizeof(Kept)];
        kept_ = reinterpret_cast<Kept*>(kept);
        const int r = thread_index();
        bool dense = true;
        if (r < a.m) {
            const auto start = a.rows.row(batch, r);
            Extents<Args::rank> c;
            const bool inside = a.rows.at(start, 0, c);
            if constexpr (Copied) {
                kept_[r] = inside ? a.view.data + inlay::detail::offset(c, a.view.strides) : nullptr;
            } else {
                kept_[r] = start;
                dense = inside && RowReader<all, typename Args::In, Args::rank>(a.in, c, a.k).dense();
            }
        }
        if constexpr (Copied) block_sync();
        else dense_ = block_sync_all(dense);
    }
    /// Elements [k0, k0 + depth) of the sum to a stage, zeros after the last: copied in the background, or evaluated.
    __device__ INLAY_INLINE void stage(int s, int k0) const {
        if constexpr (Copied) {
            const Chunk c(a_, k0);
#pragma unroll 1
            for (int r = c.row; r < a_.m; r += apart) {
                const bool some = c.n > 0 && kept_[r];
                copy_async_part<16>(shared_address(place(a_, memory_, s, r, c)), some ? kept_[r] + c.kk : a_.w,
                                    some ? 16 : 0);
            }
        } else {
            evaluate(a_, kept_, memory_, dense_, s, k0);
        }
    }

private:
    using Kept = std::conditional_t<Copied, const T*, typename Args::Rows::Row>;
    static constexpr int apart = G::threads / G::chunks;

    /// The chunk of a stage that a thread fills, of every row from `row` on that is `apart` further.
    struct Chunk {
        int row, chunk, kk, n;
        __device__ Chunk(const Args& a, int k0)
            : row(thread_index() / G::chunks),
              chunk(thread_index() % G::chunks),
              kk(k0 + chunk * all),
              n((::min)(a.total - kk, all)) {}
    };
    __device__ INLAY_INLINE static char* place(const Args& a, char* memory, int s, int r, const Chunk& c) {
        return memory + (s * a.m + r) * G::row_bytes + c.chunk * 16;
    }
    /// Inlined where a kernel evaluates: as a function of its own SiLU of few rows takes 8 to 10 % longer on an H200.
    __device__ INLAY_INLINE static void evaluate(const Args& a, const Kept* kept, char* memory, bool dense, int s,
                                                 int k0) {
        if (!dense) return evaluate_uneven(a, kept, memory, s, k0);
        const Chunk chunk(a, k0);
#pragma unroll 1
        for (int r = chunk.row; r < a.m; r += apart) {
            Vec<float, all> v(0.0f);
            if (chunk.n > 0) {
                Extents<Args::rank> c;
                a.rows.at(kept[r], 0, c);
                v = RowReader<all, typename Args::In, Args::rank>(a.in, c, a.k)[chunk.kk];
            }
            *reinterpret_cast<uint4*>(place(a, memory, s, r, chunk)) = packed_chunk<T>(v);
        }
    }
    /// Rows whose leaves are uneven, or padding; one copy of the code for a kernel.
    __device__ INLAY_OUTLINE static void evaluate_uneven(const Args& a, const Kept* kept, char* memory, int s, int k0) {
        const Chunk chunk(a, k0);
#pragma unroll 1
        for (int r = chunk.row; r < a.m; r += apart) {
            Vec<float, all> v(0.0f);
            Extents<Args::rank> c;
            if (chunk.n > 0 && a.rows.at(kept[r], 0, c)) {
                c.back(0) += chunk.kk;
                v = read_chunk<all>(a.in, c, chunk.n);
                INLAY_UNROLL
                for (int i = 0; i < all; ++i) v.v[i] = i < chunk.n ? v.v[i] : 0.0f;
            }
            *reinterpret_cast<uint4*>(place(a, memory, s, r, chunk)) = packed_chunk<T>(v);
        }
    }

    const Args& a_;
    char* memory_;
    Kept* kept_;
    bool dense_ = false;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
