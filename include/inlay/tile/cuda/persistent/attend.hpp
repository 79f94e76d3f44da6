// SPDX-License-Identifier: Apache-2.0
/// Attention of one new query over a part of the cached keys, by a block: scores, and the part's maximum, sum and
/// values.
#pragma once

#include <inlay/tile/cuda/persistent/decoder_arguments.hpp>
#include <inlay/tile/cuda/persistent/decoder_shared.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A row of the ring holds as many keys of a head as there are heads. A part is four rows of keys and four of values;
/// the last part holds the new key, which no copy has: its tile stores it in the cache, and reads it there in later
/// passes.
template <class S, class T>
struct AttendPart {
    using Shared = DecoderShared<S, T>;
    using Ring = DecoderRing<S, T>;
    static constexpr int head = S::width / S::heads, keys_of_row = S::heads, rows = 4, keys = rows * keys_of_row;
    static constexpr int threads = Shared::warps * warp_size, lanes = head / 8, words = 3 * head / 2;
    static constexpr int key_turns = (keys * lanes + threads - 1) / threads, pairs = head / 2;
    static constexpr int score_turns = (keys + warp_size - 1) / warp_size;
    static_assert(sizeof(T) == 2 && head % 8 == 0 && pairs <= warp_size && warp_size % lanes == 0 && words <= threads);

    __device__ static int parts(int position) { return position / keys + 1; }

    /// The producer's part.
    __device__ INLAY_INLINE static void copy(RowProducer<Ring>& producer, const DecoderLayer<T>& layer, int capacity,
                                             int h, int part, int position) {
        const int there = (::min)(keys, position + 1 - part * keys), n = (there + keys_of_row - 1) / keys_of_row;
        const index_t first = (static_cast<index_t>(h) * capacity + part * keys) * head;
        const T *const k = layer.keys + first, *const v = layer.values + first;
        producer.copy(2 * n, [&](int r) { return r < n ? k + r * S::width : v + (r - n) * S::width; });
    }

    /// The consumers' part. `from`: the words of the head's query, key and value; `to`: those of the part.
    __device__ INLAY_INLINE static void run(Ring& ring, Shared& s, const DecoderLayer<T>& layer, int capacity, int h,
                                            int part, int position, const std::uint64_t* from, std::uint32_t tag,
                                            std::uint64_t* to, std::uint32_t own_tag) {
        const int thread = thread_index(), warp = warp_index(), lane = lane_index();
        if (thread < words) reinterpret_cast<std::uint32_t*>(s.heads)[thread] = receive(from + thread, tag);
        named_barrier(1, threads);
        const int there = (::min)(keys, position + 1 - part * keys), n = (there + keys_of_row - 1) / keys_of_row;
        const int fresh = position - part * keys;  // the new key's number in this part
        const int first = ring.receive_rows();
        const float scale = reciprocal_sqrt(static_cast<float>(head));
        INLAY_UNROLL
        for (int i = 0; i < key_turns; ++i) {
            const int key = (thread + i * threads) / lanes, d = thread % lanes * 8;
            float dot = 0;
            if (key < there) {
                const void* const p = key == fresh
                                          ? static_cast<const void*>(s.heads + head + d)
                                          : ring.at(first, key / keys_of_row,
                                                    (key % keys_of_row * head + d) * static_cast<int>(sizeof(T)));
                const uint4 k = *static_cast<const uint4*>(p), q = *reinterpret_cast<const uint4*>(s.heads + d);
                const Vec<float, 8> x = chunk_of_words(k), y = chunk_of_words(q);
                INLAY_UNROLL
                for (int j = 0; j < 8; ++j) dot += x.v[j] * y.v[j];
            }
            INLAY_UNROLL
            for (int apart = lanes / 2; apart > 0; apart /= 2) dot += shuffle_xor(dot, apart);
            if (key < keys && d == 0) s.scores[key] = key < there ? dot * scale : -INFINITY;
        }
        named_barrier(1, threads);
        float score[score_turns], most = -INFINITY, sum = 0;
        INLAY_UNROLL
        for (int i = 0; i < score_turns; ++i) {
            const int key = lane + i * warp_size;
            score[i] = key < keys ? s.scores[key] : -INFINITY;
            most = fmaxf(most, score[i]);
        }
        INLAY_UNROLL
        for (int apart = warp_size / 2; apart > 0; apart /= 2) most = fmaxf(most, shuffle_xor(most, apart));
        INLAY_UNROLL
        for (int i = 0; i < score_turns; ++i) sum += math::quick_exp(score[i] - most);
        INLAY_UNROLL
        for (int apart = warp_size / 2; apart > 0; apart /= 2) sum += shuffle_xor(sum, apart);
        float low = 0, high = 0;
        for (int key = warp; key < there; key += Shared::warps) {
            const float p = math::quick_exp(s.scores[key] - most);
            if (lane >= pairs) continue;
            const void* const at = key == fresh
                                       ? static_cast<const void*>(s.heads + 2 * head + 2 * lane)
                                       : ring.at(first, n + key / keys_of_row,
                                                 (key % keys_of_row * head + 2 * lane) * static_cast<int>(sizeof(T)));
            const Vec<float, 2> v = pair_of<T>(*static_cast<const std::uint32_t*>(at));
            low += p * v.v[0], high += p * v.v[1];
        }
        if (lane < pairs) s.values[warp][2 * lane] = low, s.values[warp][2 * lane + 1] = high;
        if (fresh < keys && thread < 2 * pairs) {
            const int value = thread / pairs, d = thread % pairs * 2;
            T* const cache =
                (value ? layer.values : layer.keys) + ((static_cast<index_t>(h) * capacity + position) * head + d);
            *reinterpret_cast<std::uint32_t*>(cache) =
                reinterpret_cast<const std::uint32_t*>(s.heads + (1 + value) * head)[d / 2];
            fence_global_for_engines();
        }
        named_barrier(1, threads);
        ring.release(thread == 0);
        if (thread < head) {
            float all[4] = {};
            INLAY_UNROLL
            for (int i = 0; i < Shared::warps; ++i) all[i % 4] += s.values[i][thread];
            publish(to + thread, float_bits(all[0] + all[1] + (all[2] + all[3])), own_tag);
        } else if (thread == 4 * warp_size) {
            publish(to + head, float_bits(most), own_tag);
            publish(to + head + 1, float_bits(sum), own_tag);
        }
        // The next values are written behind two barriers; scores and `heads` have been read before the last one.
    }

    /// Merges the parts of a head; `out(d, value, there)` by thread d, and by all of its warp.
    template <class Out>
    __device__ INLAY_INLINE static void merge(Shared& s, int position, const std::uint64_t* from, std::uint32_t tag,
                                              const Out& out) {
        constexpr int most_words = Shared::part_floats, turns = (most_words + threads - 1) / threads;
        const int n = parts(position), thread = thread_index();
        std::uint32_t word[turns];
        receive(word, from, thread, threads, n * (head + 2), tag);
        float* const x = reinterpret_cast<float*>(s.input);
        INLAY_UNROLL
        for (int i = 0; i < turns; ++i)
            if (thread + i * threads < n * (head + 2)) x[thread + i * threads] = float_of_bits(word[i]);
        named_barrier(1, threads);
        if (thread < (head + warp_size - 1) / warp_size * warp_size) {
            const int d = (::min)(thread, head - 1);
            float most = -INFINITY, sum = 0, value = 0;
            for (int p = 0; p < n; ++p) most = fmaxf(most, x[p * (head + 2) + head]);
            for (int p = 0; p < n; ++p) {
                const float weight = math::quick_exp(x[p * (head + 2) + head] - most);
                sum += weight * x[p * (head + 2) + head + 1], value += weight * x[p * (head + 2) + d];
            }
            out(thread, value / sum, thread < head);
        }
        named_barrier(1, threads);  // the input is free
    }

private:
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
