// SPDX-License-Identifier: Apache-2.0
/// softmax(scale · Q Kᵀ) V in one pass over the keys, the scores never stored as a whole (Dao et al. 2022, with the
/// online softmax of Milakov and Gimelshein 2018). Q, K and V come row by row from callbacks, the result leaves row by
/// row.
/// Holes: staging of Q, K and V, a hook on the scores, a bound of the keys, the sink.
/// Moves: Q once, K and V once per block of queries; 2 · batch · queries · keys · (d + dv) FLOPs and as many
/// exponentials as scores.
///
/// fp32 throughout, in an order that depends on the shape alone. A query whose every score is -infinity gives 0.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/prefix_mask.hpp>
#include <inlay/tile/host/micro.hpp>
#include <inlay/tile/host/pack.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/threads.hpp>
#include <inlay/tile/shapes.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

struct AttentionShape {
    index_t batch = 1;  // times heads
    index_t queries = 0, keys = 0;
    index_t d = 0, dv = 0;
};

/// Leaves the scores as they are, and costs nothing. A score hook of the user's own may declare `identity` too.
struct IdentityScore {
    static constexpr bool identity = true;
    void operator()(index_t, index_t, index_t, index_t, float*) const {}
};
template <class S>
inline constexpr bool is_identity_score = requires { requires std::remove_cvref_t<S>::identity; };

/// Every query attends to every key.
struct AllKeys {
    index_t operator()(index_t, index_t) const { return (std::numeric_limits<index_t>::max)(); }
};

/// The division of attention into work tiles, and the layout of a worker's scratch memory.
struct AttentionPlan {
    static constexpr index_t row_limit = 224;
    index_t rows, blocks;  // queries of a work tile, and work tiles per batch
    index_t key_block;     // keys of a block
    index_t q_stride, score_stride, out_stride;        // floats from row to row
    std::size_t q_at, pointers_at, score_at, out_at, most_at, sum_at, k_at, v_at, row_at, bytes;

    explicit AttentionPlan(const AttentionShape& s) {
        const auto up = [](index_t a, index_t b) { return (a + b - 1) / b; };
        // Packing a block of keys costs as much as some ten rows of scores, hence many rows; Q must fit in the cache.
        rows = s.d + s.dv <= 512 ? row_limit : row_limit / 2;
        while (s.batch * up(s.queries, rows) < 16 && rows > 56) rows /= 2;
        rows = (std::min)(up(rows, host_tile_rows) * host_tile_rows, s.queries);
        blocks = up(s.queries, std::max<index_t>(1, rows));
        key_block = s.d + s.dv <= 256 ? 256 : 128;  // K and V of a block stay in the second-level cache
        q_stride = up(s.d, 16) * 16 + 16;  // not a power of two: rows spread over the sets of the cache
        score_stride = key_block + 16;
        out_stride = data(s.dv) * host_panel + 16;

        std::size_t at = 0;
        const auto take = [&](index_t n, std::size_t size) {
            const std::size_t begin = at;
            at += (size * static_cast<std::size_t>(n) + 63) / 64 * 64;
            return begin;
        };
        const auto floats = [&](index_t n) { return take(n, sizeof(float)); };
        q_at = floats(rows * q_stride);
        pointers_at = take(rows * 2, sizeof(const float*));
        score_at = floats(rows * score_stride);
        out_at = floats(rows * out_stride);
        most_at = floats(rows);
        sum_at = floats(rows);
        k_at = floats(key_block * s.d);
        v_at = floats(key_block * data(s.dv) * host_panel);
        row_at = floats(host_panel * (std::max)(s.d, s.dv));
        bytes = at;
    }
};

/// Scratch memory a worker needs for attention: for `Threads::reserve`.
inline std::size_t attention_scratch_bytes(const AttentionShape& s) { return AttentionPlan(s).bytes; }

namespace detail {

/// Packs up to host_panel rows of length d as one panel [d][host_panel], absent rows zero: a transposition.
inline void pack_columns(const float* const* rows, index_t count, index_t d, float* out) {
    if (count < host_panel) std::fill_n(out, d * host_panel, 0.f);
    index_t j = 0;
#if defined(__SSE__)
    for (; j + 4 <= count; j += 4) {
        index_t i = 0;
        for (; i + 4 <= d; i += 4) {
            __m128 a = _mm_loadu_ps(rows[j] + i), b = _mm_loadu_ps(rows[j + 1] + i), c = _mm_loadu_ps(rows[j + 2] + i),
                   e = _mm_loadu_ps(rows[j + 3] + i);
            _MM_TRANSPOSE4_PS(a, b, c, e);
            float* const to = out + i * host_panel + j;
            _mm_storeu_ps(to, a);
            _mm_storeu_ps(to + host_panel, b);
            _mm_storeu_ps(to + 2 * host_panel, c);
            _mm_storeu_ps(to + 3 * host_panel, e);
        }
        for (; i < d; ++i)
            for (index_t r = j; r < j + 4; ++r) out[i * host_panel + r] = rows[r][i];
    }
#endif
    for (; j < count; ++j)
        for (index_t i = 0; i < d; ++i) out[i * host_panel + j] = rows[j][i];
}

/// Row `row` of a block of B with `depth` rows, into panels [ceil(n / host_panel)][depth][host_panel].
inline void pack_row(const float* from, index_t n, index_t row, index_t depth, float* out) {
    for (index_t n0 = 0; n0 < n; n0 += host_panel) {
        float* to = out + n0 * depth + row * host_panel;
        const index_t columns = std::min<index_t>(host_panel, n - n0);
        std::memcpy(to, from + n0, sizeof(float) * static_cast<std::size_t>(columns));
        std::fill(to + columns, to + host_panel, 0.f);
    }
}

/// s[i] · scale in place, the greatest of them returned. The row is continued to a whole vector with -infinity. A NaN
/// may be passed over: it makes the sum of the row NaN, and so the whole row.
inline float scale_and_max(float* s, index_t n, float scale) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto step = [&](fvec& most, index_t i) {
        const fvec x = fvec::load(s + i) * scale;
        x.store(s + i);
        most.v = most.v > x.v ? most.v : x.v;
    };
    fvec even = -infinity, odd = -infinity;  // two chains hide the latency of the comparison
    index_t i = 0;
    for (; i + 2 * host_lanes <= n; i += 2 * host_lanes) step(even, i), step(odd, i + host_lanes);
    if (i + host_lanes <= n) step(even, i), i += host_lanes;
    float r = math::lane_max((math::max)(even, odd));
    for (; i < n; ++i) r = (math::max)(r, s[i] *= scale);
    for (; i % host_lanes != 0; ++i) s[i] = -infinity;
    return r;
}

/// exp(s[i] - shift) in place, the sum returned.
inline float exp_and_sum(float* s, index_t n, float shift) {
    fvec sum = 0.f;
    for (index_t i = 0; i < n; i += host_lanes) {
        const fvec p = math::exp(fvec::load(s + i) - shift);
        p.store(s + i);
        sum += p;
    }
    return math::lane_sum(sum);
}

/// One row of a tile of scores becomes probabilities relative to the greatest score so far; the running maximum, sum
/// and output are brought to the same scale.
inline void online_softmax(float* s, index_t n, float block_most, float& most, float& sum, float* out, index_t dv) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float next = (math::max)(most, block_most);
    // If every score so far is -infinity the exponents would be NaN: any finite shift gives the right zeros.
    const float shift = next == -infinity ? 0.f : next;
    const float correction = std::exp(most - shift);
    const float block_sum = exp_and_sum(s, n, shift);
    if (!(correction == 1.f) && most != -infinity)
        for (index_t i = 0; i < dv; i += host_lanes) (fvec::load(out + i) * correction).store(out + i);
    sum = sum * correction + block_sum;  // also where `most` is -infinity: the sum is 0 then, or NaN
    most = next;
}

/// `multiply_panel` over k, at most 128 terms to a chain: a head of 512 summed in one loses twice what PyTorch's does.
inline void multiply_in_slices(const float* const* a, index_t m, const float* b, index_t n, index_t k, float* c,
                              index_t ldc) {
    constexpr index_t part = 128;
    const float* shifted[AttentionPlan::row_limit + host_tile_rows];  // whole tiles of rows
    multiply_panel(a, m, b, n, (std::min)(part, k), c, ldc, false);
    for (index_t k0 = part; k0 < k; k0 += part) {
        for (index_t i = 0; i < m; ++i) shifted[i] = a[i] + k0;
        multiply_panel(shifted, m, b + k0 * host_panel, n, (std::min)(part, k - k0), c, ldc, true);
    }
}

}  // namespace detail

/// `q(batch, query, scratch)`, `k(batch, key, scratch)` and `v(batch, key, scratch)` return the address of d (for v:
/// dv) floats, in place or evaluated into `scratch`; the caller maps a batch of queries to one of keys (grouped
/// queries).
/// `score(batch, query, key0, n, s)` may change the n scaled scores of keys key0 … in place: -infinity masks.
/// `key_end(batch, query)`: no query up to this one attends to a key from there on, so those blocks are skipped
/// (causal: query + 1). It bounds the work only; within a block the score hook masks.
/// `store(batch, query, o)` receives dv finished floats.
/// The callbacks run in several threads at once. They must not use `Threads::scratch` of these threads.
template <class StageQ, class StageK, class StageV, class Store, class Score = IdentityScore, class KeyEnd = AllKeys>
void attention(Threads& threads, const AttentionShape& s, float scale, StageQ&& q, StageK&& k, StageV&& v,
               Store&& store, Score&& score = {}, KeyEnd&& key_end = {}) {
    if (s.batch <= 0 || s.queries <= 0 || s.dv <= 0) return;
    const AttentionPlan p(s);
    constexpr float infinity = std::numeric_limits<float>::infinity();

    threads.parallel_for(s.batch * p.blocks, [&](index_t task, int worker) {
        char* const memory = static_cast<char*>(threads.scratch(worker, p.bytes));
        const auto floats = [&](std::size_t at) { return reinterpret_cast<float*>(memory + at); };
        float *const scores = floats(p.score_at), *const out = floats(p.out_at), *const most = floats(p.most_at),
              *const sum = floats(p.sum_at), *const keys = floats(p.k_at), *const values = floats(p.v_at),
              *const spare = floats(p.row_at);
        const float** const q_row = reinterpret_cast<const float**>(memory + p.pointers_at);
        const float** const p_row = q_row + p.rows;

        // The last blocks first: under a causal mask they are the longest.
        const index_t batch = task / p.blocks, block = p.blocks - 1 - task % p.blocks;
        const index_t query0 = block * p.rows, rows = (std::min)(p.rows, s.queries - query0);
        for (index_t i = 0; i < rows; ++i) {
            q_row[i] = q(batch, query0 + i, floats(p.q_at) + i * p.q_stride);
            p_row[i] = scores + i * p.score_stride;
            most[i] = -infinity;
            sum[i] = 0;
        }

        const index_t end = std::clamp<index_t>(key_end(batch, query0 + rows - 1), 0, s.keys);
        for (index_t key0 = 0; key0 < end; key0 += p.key_block) {
            const index_t n = (std::min)(p.key_block, end - key0);
            for (index_t j0 = 0; j0 < n; j0 += host_panel) {
                const float* row[host_panel];
                const index_t count = std::min<index_t>(host_panel, n - j0);
                for (index_t j = 0; j < count; ++j) row[j] = k(batch, key0 + j0 + j, spare + j * s.d);
                detail::pack_columns(row, count, s.d, keys + j0 * s.d);
                detail::multiply_in_slices(q_row, rows, keys + j0 * s.d, count, s.d, scores + j0, p.score_stride);
            }
            for (index_t j = 0; j < n; ++j) detail::pack_row(v(batch, key0 + j, spare), s.dv, j, n, values);

            for (index_t i = 0; i < rows; ++i) {
                float* const row = scores + i * p.score_stride;
                float block_most = detail::scale_and_max(row, n, scale);
                if constexpr (!is_identity_score<Score>) {
                    score(batch, query0 + i, key0, n, row);
                    block_most = detail::scale_and_max(row, n, 1.f);
                }
                detail::online_softmax(row, n, block_most, most[i], sum[i], out + i * p.out_stride, s.dv);
            }
            for (index_t n0 = 0; n0 < s.dv; n0 += host_panel)
                multiply_panel(p_row, rows, values + n0 * n, std::min<index_t>(host_panel, s.dv - n0), n, out + n0,
                               p.out_stride, key0 > 0);
        }

        for (index_t i = 0; i < rows; ++i) {
            float* const o = out + i * p.out_stride;
            if (sum[i] == 0) std::fill_n(o, s.dv, 0.f);
            else
                for (index_t j = 0; j < s.dv; j += host_lanes) (fvec::load(o + j) / sum[i]).store(o + j);
            store(batch, query0 + i, o);
        }
    });
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END

namespace inlay::inline INLAY_ABI::on_host {

/// The same of bound operands: rows of Q, K and V are evaluated as the loop reaches them, under a mask, and results
/// leave through the epilogue and the sink.
template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
void bound_attention(Threads& threads, const inlay::AttentionShape& s, const Q& q, const K& k, const V& v,
                     const Scores&, const Epilogue& epilogue, const Sink& sink) {
    using Algebra = AttentionAlgebra<Form>;
    using Mask = PrefixMask<typename Algebra::condition>;
    constexpr int D = Algebra::d;
    static_assert(Algebra::softmax && Algebra::scales_out && Mask::prefix && Algebra::dv == D && !Algebra::stores_number,
                  "inlay: the CPU has softmax of scaled scores under no mask or a causal one alone");
    constexpr double scale = Algebra::scale * Algebra::log2_base * 0.6931471805599453;
    const AttentionShape flat{s.batch * s.heads, s.queries, s.keys, D, D};
    const auto query = [&](index_t item, index_t i) { return Extents<4>{{item / s.heads, item % s.heads, i, 0}}; };
    const auto reads = [&](const auto& bound, index_t group) {
        return [&bound, &query, group](index_t item, index_t i, float* scratch) {
            Extents<4> c = query(item, i);
            c[1] /= group;
            return read_row(bound, c, D, scratch);
        };
    };
    const auto store = [&](index_t item, index_t i, const float* row) {
        finish(epilogue, sink, query(item, i), D, row);
    };
    const float by = static_cast<float>(scale);
    if constexpr (Mask::identity) {
        attention(threads, flat, by, reads(q, 1), reads(k, s.group), reads(v, s.group), store);
    } else {
        attention(
            threads, flat, by, reads(q, 1), reads(k, s.group), reads(v, s.group), store,
            [&](index_t, index_t i, index_t key0, index_t n, float* scores) {
                for (index_t j = 0; j < n; ++j)
                    if (key0 + j >= Mask::end(i, s.queries, s.keys))
                        scores[j] = -std::numeric_limits<float>::infinity();
            },
            [&](index_t, index_t i) { return Mask::end(i, s.queries, s.keys); });
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host
