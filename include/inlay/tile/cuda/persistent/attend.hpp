// SPDX-License-Identifier: Apache-2.0
/// Attention of one new query over a part of the cached keys, by a block: scores, and the part's values and weight.
/// Every block merges all parts, as it reads them for the next product: a phase that merged would cost its trip through
/// the second-level cache.
#pragma once

#include <inlay/plan/persistent/decoder.hpp>
#include <inlay/tile/cuda/persistent/decoder_arguments.hpp>
#include <inlay/tile/cuda/persistent/decoder_shared.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A row of the ring holds as many keys of a head as there are heads. Parts take rows in rotation, so that they are
/// equally long and each key is always the same block's. The part of the last row holds the new key, which no copy has:
/// its tile stores it in the cache, and reads it there in later passes.
template <class S, class T, DecoderMemory M = DecoderMemory::all>
struct AttendPart {
    using Shared = DecoderShared<S, T, M>;
    using Ring = DecoderRing<S, T, M>;
    static constexpr int head = S::width / S::heads, keys_of_row = S::heads, keys = Shared::part_keys;
    static constexpr int element = static_cast<int>(sizeof(T));
    static constexpr int threads = Shared::warps * warp_size, lanes = head / 8, words = 3 * head / 2;
    static constexpr int pairs = head / 2, part_words = pairs + 1, row_words = S::heads * S::parts * part_words,
                         copy_words = S::batch * row_words;
    static constexpr int piece_rows = Ring::most_rows, piece_keys = piece_rows * keys_of_row;
    static constexpr int key_turns = (keys < piece_keys ? keys : piece_keys) * lanes / threads + 1;
    static_assert(sizeof(T) == 2 && head % 8 == 0 && pairs <= warp_size && warp_size % lanes == 0 &&
                  words <= threads && S::width / 2 <= threads && S::copies <= Shared::warps &&
                  2 * part_words * 4 == (head + 2) * S::part_bytes);

    /// Rows of a part.
    __device__ static int rows(int part, int parts, int position) {
        return (position / keys_of_row - part) / parts + 1;
    }

    /// The producer's part: keys, then values, in pieces. `h`: of the heads of all sequences.
    template <class Producer>
    __device__ INLAY_INLINE static void copy(Producer& producer, const DecoderLayer<T>& layer, int capacity,
                                             int h, int part, int parts, int position) {
        const int n = rows(part, parts, position);
#pragma unroll 1
        for (int i = 0; i < 2; ++i) {
            const T* const from = (i ? layer.values : layer.keys) + static_cast<index_t>(h) * capacity * head;
#pragma unroll 1
            for (int row = 0; row < n; row += piece_rows)
                producer.copy((::min)(piece_rows, n - row), [&](int r) {
                    return from + static_cast<index_t>(part + (row + r) * parts) * S::width;
                });
        }
    }

    /// The consumers' part. `h`: of the heads of all sequences; `from`: the words of their queries, keys and values;
    /// `to`: all parts.
    template <class R>
    __device__ INLAY_INLINE static void run(R& ring, Shared& s, const DecoderLayer<T>& layer, int capacity, int h,
                                            int part, int parts, int position, const std::uint64_t* from,
                                            std::uint32_t tag, std::uint64_t* to, std::uint32_t own_tag) {
        const int thread = thread_index(), warp = warp_index(), lane = lane_index();
        if (thread < words) reinterpret_cast<std::uint32_t*>(s.heads)[thread] = receive(from + h * words + thread, tag);
        named_barrier(1, threads);
        const int n = rows(part, parts, position), last = position / keys_of_row;
        const bool has_new = last % parts == part;
        const int there = has_new ? n * keys_of_row - keys_of_row + position % keys_of_row + 1 : n * keys_of_row;
        const int fresh = has_new ? there - 1 : keys;  // the new key's number in this part
        score_keys(ring, s, n, there, fresh);
        float most = -INFINITY;
#pragma unroll 4
        for (int key = lane; key < there; key += warp_size) most = fmaxf(most, s.scores[key]);
        INLAY_UNROLL
        for (int apart = warp_size / 2; apart > 0; apart /= 2) most = fmaxf(most, shuffle_xor(most, apart));
        add_values(ring, s, n, there, fresh, most);
        const bool stores = has_new && thread < 2 * pairs;
        const int value = thread / pairs, d = thread % pairs * 2;
        const std::uint32_t fresh_pair =
            stores ? reinterpret_cast<const std::uint32_t*>(s.heads + (1 + value) * head)[d / 2] : 0;
        named_barrier(1, threads);
        ring.release(thread == 0);  // the last values
        // A warp for each copy of the words.
        if (warp < S::copies && lane < pairs) {
            std::uint64_t* const own = to + (warp * copy_words + (h * S::parts + part) * part_words);
            float low[2] = {}, high[2] = {}, sum[2] = {};
            INLAY_UNROLL
            for (int i = 0; i < Shared::warps; ++i) {
                low[i % 2] += s.values[i][2 * lane], high[i % 2] += s.values[i][2 * lane + 1];
                sum[i % 2] += s.weights[i];
            }
            const float all = sum[0] + sum[1], by = 1.0f / all;
            publish(own + lane, rounded_pair<T>((low[0] + low[1]) * by, (high[0] + high[1]) * by), own_tag);
            if (lane == 0) publish(own + pairs, float_bits(most + logf(all)), own_tag);
        }
        // Behind the words, for which others wait: the cache is not read before the next pass, and the pieces between
        // are released behind barriers of these threads.
        if (stores) {
            T* const cache =
                (value ? layer.values : layer.keys) + ((static_cast<index_t>(h) * capacity + position) * head + d);
            *reinterpret_cast<std::uint32_t*>(cache) = fresh_pair;
            fence_global_for_engines();
        }
        // The next values are written behind two barriers; scores and `heads` have been read before the last one.
    }

    /// Waits for the parts of all heads of all sequences, merges them, and stores the rows that they make, `to_pitch`
    /// elements apart. `position_of(row)`: of a sequence; `from`: a copy of the words.
    template <class Position>
    __device__ INLAY_INLINE static void receive_merged(T* to, int to_pitch, int batch, int parts,
                                                       const Position& position_of, const std::uint64_t* from,
                                                       std::uint32_t tag) {
        constexpr int flying = M == DecoderMemory::all ? 12 : 4;     // words of a thread
        if constexpr (S::batch == 1) {
            receive_parts<S::parts, 1>(to, to_pitch, batch, parts, position_of, from, tag);
        } else if (parts == 1) {
            receive_parts<1, flying / 2>(to, to_pitch, batch, parts, position_of, from, tag);
        } else if (parts == 2) {
            receive_parts<2, flying / 4>(to, to_pitch, batch, parts, position_of, from, tag);
        } else {
            receive_parts<S::parts, 1>(to, to_pitch, batch, parts, position_of, from, tag);
        }
    }

private:
    /// The same of `Parts` parts at most; a thread has `Turns` pairs in flight.
    template <int Parts, int Turns, class Position>
    __device__ INLAY_INLINE static void receive_parts(T* to, int to_pitch, int batch, int parts,
                                                      const Position& position_of, const std::uint64_t* from,
                                                      std::uint32_t tag) {
        constexpr int row_pairs = S::width / 2, each = 2 * Parts;
        const int all = batch * row_pairs;
#pragma unroll 1
        for (int begin = 0; begin < all; begin += Turns * threads) {
            int n[Turns], row[Turns], pair[Turns];
            if (begin + thread_index() >= all) break;
            INLAY_UNROLL
            for (int j = 0; j < Turns; ++j) {
                const int i = begin + thread_index() + j * threads;
                row[j] = S::batch == 1 ? 0 : i / row_pairs, pair[j] = i - row[j] * row_pairs;
                n[j] = i < all ? persistent::parts_at<S>(position_of(row[j]), parts) : 0;
            }
            std::uint32_t word[Turns * each];
            receive_each(
                word, [&](int i) { return i % each / 2 < n[i / each] && (Parts > 1 || i % 2 == 0); },
                [&](int i) {
                    const int j = i / each, h = row[j] * S::heads + pair[j] / pairs;
                    return from + (h * S::parts * part_words +
                                   (i % each / 2 * part_words + (i % 2 ? pairs : pair[j] % pairs)));
                },
                tag);
            INLAY_UNROLL
            for (int j = 0; j < Turns; ++j)
                if (n[j] > 0)
                    reinterpret_cast<std::uint32_t*>(to)[row[j] * (to_pitch / 2) + pair[j]] =
                        merged<Parts>(word + j * each, n[j]);
        }
    }
    /// n parts of a pair: values, and the logarithms of what they weigh.
    template <int Parts>
    __device__ INLAY_INLINE static std::uint32_t merged(const std::uint32_t* word, int n) {
        if constexpr (Parts == 1) return word[0];
        float most = -INFINITY, sum = 0, low = 0, high = 0;
        INLAY_UNROLL
        for (int p = 0; p < Parts; ++p)
            if (p < n) most = fmaxf(most, float_of_bits(word[2 * p + 1]));
        INLAY_UNROLL
        for (int p = 0; p < Parts; ++p) {
            const float weight = p < n ? math::quick_exp(float_of_bits(word[2 * p + 1]) - most) : 0.0f;
            const Vec<float, 2> v = pair_of<T>(word[2 * p]);
            sum += weight, low += weight * v.v[0], high += weight * v.v[1];
        }
        const float by = 1.0f / sum;
        return rounded_pair<T>(low * by, high * by);
    }
    /// Scores of the keys of all pieces, which all threads have stored then.
    template <class R>
    __device__ INLAY_INLINE static void score_keys(R& ring, Shared& s, int n, int there, int fresh) {
        const int thread = thread_index(), d = thread % lanes * 8;
        const float scale = reciprocal_sqrt(static_cast<float>(head));
        const Vec<float, 8> q = chunk_of_words(*reinterpret_cast<const uint4*>(s.heads + d));
#pragma unroll 1
        for (int row = 0; row < n; row += piece_rows) {
            const int first = ring.receive_rows(), begin = row * keys_of_row;
#pragma unroll 2
            for (int i = 0; i < key_turns; ++i) {
                const int in = (thread + i * threads) / lanes, key = begin + in;
                if (i > 0 && begin + i * threads / lanes >= there) break;  // by all threads
                float dot = 0;
                if (in < piece_keys && key < there) {
                    const void* const p = key == fresh
                                              ? static_cast<const void*>(s.heads + head + d)
                                              : ring.at(first, in / keys_of_row,
                                                        (in % keys_of_row * head + d) * element);
                    const Vec<float, 8> k = chunk_of_words(*static_cast<const uint4*>(p));
                    INLAY_UNROLL
                    for (int j = 0; j < 8; ++j) dot += q.v[j] * k.v[j];
                }
                INLAY_UNROLL
                for (int apart = lanes / 2; apart > 0; apart /= 2) dot += shuffle_xor(dot, apart);
                if (in < piece_keys && key < there && d == 0) s.scores[key] = dot * scale;
            }
            named_barrier(1, threads);
            ring.release(thread == 0);
        }
    }
    /// Sums of values and weights by warp, of which some lanes have a key. The last piece is not released yet.
    template <class R>
    __device__ INLAY_INLINE static void add_values(R& ring, Shared& s, int n, int there, int fresh, float most) {
        constexpr int together = warp_size / lanes;
        const int warp = warp_index(), lane = lane_index(), d = lane % lanes * 8;
        float sum[8] = {}, weight = 0;
#pragma unroll 1
        for (int row = 0; row < n; row += piece_rows) {
            if (row > 0) {
                named_barrier(1, threads);
                ring.release(thread_index() == 0);
            }
            const int first = ring.receive_rows(), begin = row * keys_of_row,
                      end = (::min)(there, begin + piece_keys);
#pragma unroll 2
            for (int key = begin + warp * together + lane / lanes; key < end; key += Shared::warps * together) {
                const int in = key - begin;
                const float p = math::quick_exp(s.scores[key] - most);
                const void* const at = key == fresh ? static_cast<const void*>(s.heads + 2 * head + d)
                                                    : ring.at(first, in / keys_of_row,
                                                              (in % keys_of_row * head + d) * element);
                const Vec<float, 8> v = chunk_of_words(*static_cast<const uint4*>(at));
                weight += p;
                INLAY_UNROLL
                for (int j = 0; j < 8; ++j) sum[j] += p * v.v[j];
            }
        }
        INLAY_UNROLL
        for (int apart = lanes; apart < warp_size; apart *= 2) {
            weight += shuffle_xor(weight, apart);
            INLAY_UNROLL
            for (int j = 0; j < 8; ++j) sum[j] += shuffle_xor(sum[j], apart);
        }
        if (lane >= lanes) return;
        INLAY_UNROLL
        for (int j = 0; j < 8; ++j) s.values[warp][d + j] = sum[j];
        if (lane == 0) s.weights[warp] = weight;
    }
    __device__ INLAY_INLINE static Vec<float, 8> chunk_of_words(const uint4& w) {
        Vec<float, 8> v;
        const std::uint32_t words_of[4] = {w.x, w.y, w.z, w.w};
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) {
            const Vec<float, 2> p = pair_of<T>(words_of[i]);
            v.v[2 * i] = p.v[0], v.v[2 * i + 1] = p.v[1];
        }
        return v;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
