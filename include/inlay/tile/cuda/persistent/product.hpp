// SPDX-License-Identifier: Apache-2.0
/// A block's columns of a product of a few rows, from weights in its ring: warps take 128 bytes of the sum in rotation,
/// and their sums are added in order. In 16 bits the same order of sums as `tile/cuda/mma/gemm/gemv_copied.hpp`, so the
/// same bits.
#pragma once

#include <inlay/tile/cuda/persistent/product_sums.hpp>
#include <inlay/tile/cuda/persistent/ring.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Number of values in a word: a pair in 16 bits, one in fp32.
template <class T>
inline constexpr int word_values = 4 / static_cast<int>(sizeof(T));
/// The values of a word, in the order of their addresses.
template <class T>
__device__ INLAY_INLINE Vec<float, word_values<T>> values_of(std::uint32_t word) {
    T x[word_values<T>];
    __builtin_memcpy(x, &word, sizeof(word));
    Vec<float, word_values<T>> v;
    v.v[0] = to_float(x[0]);
    if constexpr (word_values<T> > 1) v.v[1] = to_float(x[1]);
    return v;
}
/// A word of two values, or of the first alone.
template <class T>
__device__ INLAY_INLINE std::uint32_t word_of(float low, [[maybe_unused]] float high) {
    if constexpr (word_values<T> == 1) return float_bits(low);
    else return rounded_pair<T>(low, high);
}
/// The sum of at(i) for the values of a word.
template <class T, class At>
__device__ INLAY_INLINE float sum_of(const At& at) {
    if constexpr (word_values<T> == 1) return at(0);
    else return at(0) + at(1);
}

/// Columns [first, end) of a phase that a block computes: an even share of `pairs` pairs.
struct ColumnRange {
    int first, end;

    __device__ INLAY_INLINE static ColumnRange of(int pairs, int block, int blocks) {
        return {2 * (pairs * block / blocks), 2 * (pairs * (block + 1) / blocks)};
    }
};

/// Floats of shared memory in which the warps of a product of `batch` rows leave their sums.
constexpr int product_sum_floats(int batch) { return 2 * 16 * product_sum_pitch * batch; }
/// Elements from an input row to the next: 64 bytes apart modulo 128, so that two are read without bank conflicts.
template <class T>
constexpr int product_pitch(int length) {
    constexpr int chunk = 64 / static_cast<int>(sizeof(T));
    return (length + 2 * chunk - 1) / (2 * chunk) * (2 * chunk) + chunk;
}

/// `Segments`: rows of the ring that hold a column, of `Width` elements each. `Batch`: input rows, at most.
template <class T, int Width, int Segments, int Batch, class Ring>
struct RowProduct {
    static constexpr int warps = 16, threads = warps * warp_size, barrier = 1;
    static constexpr int columns = Ring::most_rows / Segments;  ///< of a piece
    static constexpr int octets = (columns + 7) / 8;
    using Sums = ProductSums<T, octets, Batch>;
    static constexpr int chunk = Sums::chunk, steps = Sums::steps, length = steps * Sums::step;
    static constexpr int total = Width * Segments, slots = total / length, pitch = product_sum_pitch;
    static_assert(Width % length == 0 && columns > 0 && octets <= 4 && Batch <= 8 &&
                  product_sum_floats(Batch) == 2 * warps * Batch * pitch);

    static constexpr int turns = (slots + warps - 1) / warps;  ///< of a warp

    __device__ static int piece_columns(int left) { return left < columns ? left : columns; }

    /// The producer's part: column n begins at weights + stored(n) · total. The first segments of a piece's columns lie
    /// before the second ones, so that columns are a pitch apart and eight of them are read without bank conflicts.
    template <class Producer, class Stored>
    __device__ INLAY_INLINE static void copy(Producer& producer, const T* weights, ColumnRange range,
                                             const Stored& stored) {
#pragma unroll 1
        for (int n = range.first; n < range.end; n += columns) {
            const int count = piece_columns(range.end - n);
            producer.copy(count * Segments, [&](int r) {
                const int segment = Segments == 1 ? 0 : r / count;
                return weights + static_cast<index_t>(stored(n + (r - segment * count))) * total + segment * Width;
            });
        }
    }

    /// A warp's weights of a piece: of its first `Early` octets of columns in registers.
    template <int Early>
    struct Weights {
        int first = 0;  ///< slot of the piece's first row
        uint4 early[turns][Early > 0 ? Early : 1][steps];
    };
    /// Weights of a range's first piece, which is there before the input is: what is read so early takes no time behind
    /// the wait for it. Nothing where no octet is read early.
    template <int Early, class R>
    __device__ INLAY_INLINE static Weights<Early> first_piece(R& ring, ColumnRange range) {
        if constexpr (Early > 0) return receive<Early>(ring, piece_columns(range.end - range.first));
        else return {};
    }
    /// Waits for a piece of `count` columns.
    template <int Early, class R>
    __device__ INLAY_INLINE static Weights<Early> receive(R& ring, int count) {
        Weights<Early> w;
        if (count > 0) w.first = ring.receive_rows();
        INLAY_UNROLL
        for (int t = 0; t < turns; ++t)
            INLAY_UNROLL
            for (int o = 0; o < Early; ++o) {
                const int s = (::min)(warp_index() + t * warps, slots - 1);
                const uint4* const p = weights_at(ring, w.first, count, s, o);
                INLAY_UNROLL
                for (int j = 0; j < steps; ++j) w.early[t][o][j] = count > 8 * o ? p[4 * j] : uint4{};
            }
        return w;
    }
    /// The consumers' part. `w`: the first piece's; `x`: `batch` rows, `x_pitch` elements apart, in shared memory.
    /// `store(n, sum, there)` for each column by a lane of the warp that has the row's number, of which all lanes come.
    template <int Early, class R, class Store>
    __device__ INLAY_INLINE static void run(R& ring, Weights<Early> w, const T* x, int x_pitch, int batch,
                                            float* sums, ColumnRange range, const Store& store) {
        const int warp = warp_index(), lane = lane_index(), quad = lane / 4, place = lane % 4 * chunk;
        const int size = range.end - range.first;
#pragma unroll 1
        for (int at = 0; at < size; at += columns) {
            const int count = piece_columns(size - at), turn = ring.piece & 1;
            if (Early == 0 || at > 0) w = receive<Early>(ring, count);
            typename Sums::Pair sum[2];
            const auto add = [&](int s, const auto& early) {
                const auto input = Sums::input(x, x_pitch, batch, s * length, quad, place);
                INLAY_UNROLL
                for (int i = 0; i < (octets + 1) / 2; ++i) {
                    if (i > 0 && count <= 16) continue;
                    const uint4* p[2] = {};
                    INLAY_UNROLL
                    for (int half = 0; half < 2; ++half)
                        if (const int o = 2 * i + half; o >= Early && o < octets)
                            p[half] = weights_at(ring, w.first, count, s, o);
                    INLAY_UNROLL
                    for (int j = 0; j < steps; ++j) {
                        uint4 of[2] = {};
                        INLAY_UNROLL
                        for (int half = 0; half < 2; ++half) {
                            const int o = 2 * i + half;
                            if (o < Early) of[half] = early[o < Early ? o : 0][j];
                            else if (o < octets && (o == 0 || count > 8 * o)) of[half] = p[half][4 * j];
                        }
                        Sums::add(sum[i], i, j, of[0], of[1], input);
                    }
                }
            };
            if constexpr (Early > 0) {
                INLAY_UNROLL
                for (int t = 0; t < turns; ++t)
                    if (slots % warps == 0 || warp + t * warps < slots) add(warp + t * warps, w.early[t]);
            } else {
#pragma unroll 1
                for (int s = warp; s < slots; s += warps) add(s, w.early[0]);
            }
            Sums::store(sum, sums, turn * warps + warp, batch, quad, lane);
            named_barrier(barrier, threads);
            ring.release(thread_index() == 0);
            if (warp >= batch) continue;
            float all[4] = {};
            INLAY_UNROLL
            for (int i = 0; i < warps; ++i)
                all[i % 4] += sums[((turn * warps + i) * Batch + (Batch > 1 ? warp : 0)) * pitch + lane];
            store(range.first + at + lane, all[0] + all[1] + (all[2] + all[3]), lane < count);
        }
        // The next piece, of this product or of another one, takes the other half of the sums.
    }

private:
    /// The first 16 bytes of those that a lane multiplies in slot s of the sum, of its column of an octet of a piece of
    /// `count` columns; those of the next step are 64 bytes on.
    __device__ INLAY_INLINE static const uint4* weights_at(const Ring& ring, int first, int count, int s, int octet) {
        const int k = s * length, segment = Segments == 1 ? 0 : k / Width,
                  byte = (k - segment * Width + lane_index() % 4 * chunk) * static_cast<int>(sizeof(T));
        const int column = (::min)(octet * 8 + lane_index() / 4, count - 1);
        return reinterpret_cast<const uint4*>(ring.at(first, segment * count + column, byte));
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
