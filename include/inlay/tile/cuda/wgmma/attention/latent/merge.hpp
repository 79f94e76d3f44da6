// SPDX-License-Identifier: Apache-2.0
/// Blocks of a cluster that have the same heads of a latent attention and a slice of the keys each. Every block brings
/// some columns of the output to the end: the others send it their sums of these, which it adds by rank.
#pragma once

#include <inlay/tile/cuda/isa/cluster.hpp>
#include <inlay/tile/cuda/isa/memory.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/tile.hpp>
#include <inlay/tile/cuda/wgmma/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Eight parts of a warpgroup's columns, of which each block of the cluster has as many.
template <class Tile>
struct WgmmaLatentSlices {
    static constexpr int parts = 8, most_log2 = 3;
    static constexpr int words = Tile::own / 4 / parts;     ///< of 8 bytes that a thread has of a part
    static constexpr int threads = 256;
    int rank, log2_slices;

    __device__ INLAY_INLINE int slices() const { return 1 << log2_slices; }
    __device__ INLAY_INLINE int owner(int part) const { return part >> (most_log2 - log2_slices); }
    /// True if this block stores a group of 8 columns of a warpgroup's.
    __device__ INLAY_INLINE bool stores(int group) const { return owner(group * parts * 8 / Tile::own) == rank; }
    /// Bytes that a block receives: from each other one maxima, sums, and its parts of the output.
    __device__ INLAY_INLINE std::uint32_t sent_bytes() const {
        return static_cast<std::uint32_t>((slices() - 1) * words_of_block() * 8 * threads);
    }

    /// Sums are those of the lanes that share a row, and of both warpgroups.
    template <class Softmax, int N>
    __device__ INLAY_INLINE void send(const WgmmaLatentShared<Tile>& shared, const Softmax& softmax,
                                      const float (&o)[N]) const {
#pragma unroll 1
        for (int i = 1; i < slices(); ++i) {
            const int to = (rank + i) & (slices() - 1);
            const auto word = [&](int n, float x, float y) {
                send_to_block(place(shared, rank, n), std::uint64_t(float_bits(y)) << 32 | float_bits(x), shared.sent(),
                              static_cast<std::uint32_t>(to));
            };
            word(0, softmax.shift[0], softmax.shift[1]);
            word(1, softmax.sum[0], softmax.sum[1]);
            each_word(to, [&](int n, int at) { word(n, o[at], o[at + 1]); });
        }
    }
    /// Adds the sums of the other blocks to this one's parts.
    template <class Softmax, int N>
    __device__ INLAY_INLINE void receive(const WgmmaLatentShared<Tile>& shared, Softmax& softmax,
                                         float (&o)[N]) const {
        const auto word = [&](int from, int n) {
            const std::uint32_t at = place(shared, from, n);
            return float2{float_of_bits(load_shared(at)), float_of_bits(load_shared(at + 4))};
        };
        barrier_wait(shared.sent(), 0);
        float top[2] = {softmax.shift[0], softmax.shift[1]};
#pragma unroll 1
        for (int i = 1; i < slices(); ++i) {
            const float2 shift = word((rank + i) & (slices() - 1), 0);
            top[0] = fmaxf(top[0], shift.x);
            top[1] = fmaxf(top[1], shift.y);
        }
        float by[2];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            by[h] = exp2_approximate(softmax.shift[h] - top[h]);
            softmax.shift[h] = top[h];
            softmax.sum[h] *= by[h];
        }
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) o[i] *= by[i / 2 % 2];
#pragma unroll 1
        for (int i = 0; i < slices(); ++i) {
            if (i == rank) continue;
            const float2 shift = word(i, 0), sum = word(i, 1);
            by[0] = exp2_approximate(shift.x - top[0]);
            by[1] = exp2_approximate(shift.y - top[1]);
            softmax.sum[0] = fmaf(sum.x, by[0], softmax.sum[0]);
            softmax.sum[1] = fmaf(sum.y, by[1], softmax.sum[1]);
            each_word(rank, [&](int n, int at) {
                const float2 x = word(i, n);
                o[at] = fmaf(x.x, by[at / 2 % 2], o[at]);
                o[at + 1] = fmaf(x.y, by[at / 2 % 2], o[at + 1]);
            });
        }
    }

private:
    /// Over Q and keys.
    __device__ INLAY_INLINE std::uint32_t place(const WgmmaLatentShared<Tile>& shared, int from, int n) const {
        static_assert((parts * 2 + parts * words) * threads * 8 <= 3 * Tile::stage_bytes);
        return shared.q + static_cast<std::uint32_t>(((from * words_of_block() + n) * threads + thread_index()) * 8);
    }
    /// Words that a thread sends: two maxima, two sums, and the output.
    __device__ INLAY_INLINE int words_of_block() const { return 2 + (words * parts >> log2_slices); }
    /// f(number of a word, its first register) for the words of block `of`'s parts.
    template <class F>
    __device__ INLAY_INLINE void each_word(int of, const F& f) const {
        INLAY_UNROLL
        for (int part = 0; part < parts; ++part) {
            if (owner(part) != of) continue;
            const int before = (part - (of << (most_log2 - log2_slices))) * words;      // of its other parts
            INLAY_UNROLL
            for (int i = 0; i < words; ++i) f(2 + before + i, 2 * (part * words + i));
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
