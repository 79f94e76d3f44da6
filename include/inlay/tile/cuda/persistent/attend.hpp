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
    static constexpr int element = static_cast<int>(sizeof(T)), of_word = word_values<T>, chunk = 4 * of_word;
    static constexpr int threads = Shared::warps * warp_size, lanes = head / chunk, words = 3 * head / of_word;
    static constexpr int head_words = head / of_word, part_words = (head + 2) * S::part_bytes / 8,
                         row_words = S::heads * S::parts * part_words, copy_words = S::batch * row_words;
    static constexpr int piece_rows = Ring::most_rows, piece_keys = piece_rows * keys_of_row;
    static constexpr int key_turns = (keys < piece_keys ? keys : piece_keys) * lanes / threads + 1;
    static_assert(head % chunk == 0 && (head_words <= warp_size || head_words == 2 * warp_size) &&
                  warp_size % lanes == 0 && words <= threads && S::copies <= Shared::warps && part_words > head_words);

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
        const bool stores = has_new && thread < 2 * head_words;
        const int value = thread / head_words, d = thread % head_words * of_word;
        const std::uint32_t fresh_word =
            stores ? reinterpret_cast<const std::uint32_t*>(s.heads + (1 + value) * head)[d / of_word] : 0;
        named_barrier(1, threads);
        ring.release(thread == 0);  // the last values
        // A warp for each copy of the words.
        if (warp < S::copies && lane < head_words) {
            std::uint64_t* const own = to + (warp * copy_words + (h * S::parts + part) * part_words);
            const auto hand_on = [&](int w) {
                float low[2] = {}, high[2] = {}, sum[2] = {};
                INLAY_UNROLL
                for (int i = 0; i < Shared::warps; ++i) {
                    low[i % 2] += s.values[i][of_word * w];
                    if constexpr (of_word > 1) high[i % 2] += s.values[i][of_word * w + 1];
                    sum[i % 2] += s.weights[i];
                }
                const float all = sum[0] + sum[1], by = 1.0f / all;
                publish(own + w, word_of<T>((low[0] + low[1]) * by, (high[0] + high[1]) * by), own_tag);
                if (w == 0) publish(own + head_words, float_bits(most + logf(all)), own_tag);
            };
            hand_on(lane);
            if constexpr (head_words > warp_size) hand_on(lane + warp_size);
        }
        // Behind the words, for which others wait: the cache is not read before the next pass, and the pieces between
        // are released behind barriers of these threads.
        if (stores) {
            T* const cache =
                (value ? layer.values : layer.keys) + ((static_cast<index_t>(h) * capacity + position) * head + d);
            *reinterpret_cast<std::uint32_t*>(cache) = fresh_word;
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
    /// The same of `Parts` parts at most; a thread has `Turns` words of a row in flight.
    template <int Parts, int Turns, class Position>
    __device__ INLAY_INLINE static void receive_parts(T* to, int to_pitch, int batch, int parts,
                                                      const Position& position_of, const std::uint64_t* from,
                                                      std::uint32_t tag) {
        constexpr int of_row = S::width / of_word, each = 2 * Parts;
        const int all = batch * of_row;
#pragma unroll 1
        for (int begin = 0; begin < all; begin += Turns * threads) {
            int n[Turns], row[Turns], place[Turns];
            if (begin + thread_index() >= all) break;
            INLAY_UNROLL
            for (int j = 0; j < Turns; ++j) {
                const int i = begin + thread_index() + j * threads;
                row[j] = S::batch == 1 ? 0 : i / of_row, place[j] = i - row[j] * of_row;
                n[j] = i < all ? persistent::parts_at<S>(position_of(row[j]), parts) : 0;
            }
            std::uint32_t word[Turns * each];
            receive_each(
                word, [&](int i) { return i % each / 2 < n[i / each] && (Parts > 1 || i % 2 == 0); },
                [&](int i) {
                    const int j = i / each, h = row[j] * S::heads + place[j] / head_words;
                    return from + (h * S::parts * part_words +
                                   (i % each / 2 * part_words + (i % 2 ? head_words : place[j] % head_words)));
                },
                tag);
            INLAY_UNROLL
            for (int j = 0; j < Turns; ++j)
                if (n[j] > 0)
                    reinterpret_cast<std::uint32_t*>(to)[row[j] * (to_pitch / of_word) + place[j]] =
                        merged<Parts>(word + j * each, n[j]);
        }
    }
    /// n parts of a word: values, and the logarithms of what they weigh.
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
            const auto v = values_of<T>(word[2 * p]);
            sum += weight, low += weight * v.v[0];
            if constexpr (of_word > 1) high += weight * v.v[1];
        }
        const float by = 1.0f / sum;
        return word_of<T>(low * by, high * by);
    }
    /// Scores of the keys of all pieces, which all threads have stored then.
    template <class R>
    __device__ INLAY_INLINE static void score_keys(R& ring, Shared& s, int n, int there, int fresh) {
        const int thread = thread_index(), d = thread % lanes * chunk;
        const float scale = reciprocal_sqrt(static_cast<float>(head));
        const Vec<float, chunk> q = chunk_of_words(*reinterpret_cast<const uint4*>(s.heads + d));
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
                    const Vec<float, chunk> k = chunk_of_words(*static_cast<const uint4*>(p));
                    INLAY_UNROLL
                    for (int j = 0; j < chunk; ++j) dot += q.v[j] * k.v[j];
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
        const int warp = warp_index(), lane = lane_index(), d = lane % lanes * chunk;
        float sum[chunk] = {}, weight = 0;
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
                const Vec<float, chunk> v = chunk_of_words(*static_cast<const uint4*>(at));
                weight += p;
                INLAY_UNROLL
                for (int j = 0; j < chunk; ++j) sum[j] += p * v.v[j];
            }
        }
        INLAY_UNROLL
        for (int apart = lanes; apart < warp_size; apart *= 2) {
            weight += shuffle_xor(weight, apart);
            INLAY_UNROLL
            for (int j = 0; j < chunk; ++j) sum[j] += shuffle_xor(sum[j], apart);
        }
        if (lane >= lanes) return;
        INLAY_UNROLL
        for (int j = 0; j < chunk; ++j) s.values[warp][d + j] = sum[j];
        if (lane == 0) s.weights[warp] = weight;
    }
    __device__ INLAY_INLINE static Vec<float, chunk> chunk_of_words(const uint4& w) {
        Vec<float, chunk> v;
        const std::uint32_t words_of[4] = {w.x, w.y, w.z, w.w};
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) {
            const auto of = values_of<T>(words_of[i]);
            v.v[of_word * i] = of.v[0];
            if constexpr (of_word > 1) v.v[of_word * i + 1] = of.v[1];
        }
        return v;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
