// SPDX-License-Identifier: Apache-2.0
/// From products to scores, in the registers that a product of warpgroups leaves (`isa/wgmma.hpp`): the score's
/// expression, and -infinity for keys that a query does not see or that do not exist.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/score_value.hpp>
#include <inlay/tile/cuda/wgmma/attention/key_blocks.hpp>
#include <inlay/tile/gpu/attention/quick_score.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The place of a lane's scores: its first query and the query 8 further, its first key.
struct WgmmaScorePlace {
    int batch, head, query, key;
};

namespace detail {

/// Leaves of a score at a key, whose number each register finds by one addition.
template <class T, class Environment>
struct WgmmaLeaves {
    ScoreLeaves<T, Environment> at;
    T key;

    template <class Leaf>
    __device__ INLAY_INLINE T operator()(Leaf leaf) const {
        if constexpr (inlay::detail::is_coord<Leaf>)
            if constexpr (inlay::detail::score_axis<Leaf::axis> == 3) return key;
        return at(leaf);
    }
};

/// Of E at register i + r, whose query is `row`. Within: the query and the key exist; else tensors are read at the last
/// ones.
template <class E, class T, bool Within, class Environment>
__device__ INLAY_INLINE T value_at(const Environment& env, const WgmmaScorePlace& p, int h, int offset, int queries,
                                   int keys, T product) {
    constexpr bool reads = inlay::detail::slots_in<E>::any;
    const int query = reads ? (::min)(p.query + 8 * h, queries - 1) : p.query + 8 * h;
    const int key = reads && !Within ? (::min)(p.key + offset, keys - 1) : p.key + offset;
    const WgmmaLeaves<T, Environment> leaves{{env, {p.batch, p.head, query}, key, product},
                                             static_cast<T>(p.key) + static_cast<T>(offset)};
    return online::evaluate<E, T>(leaves);
}

/// A product of 64 × N leaves N / 2 registers; calls f(i, h, offset) for each, of query 8 · h further and of a key
/// `offset` further.
template <int N, class F>
__device__ INLAY_INLINE void each_score(const F& f) {
    INLAY_UNROLL
    for (int h = 0; h < 2; ++h) {
        INLAY_UNROLL
        for (int i = 2 * h; i < N; i += 4) {
            INLAY_UNROLL
            for (int r = 0; r < 2; ++r) f(i + r, h, i / 4 * 8 + r);
        }
    }
}

}  // namespace detail

/// Products become scores. Within: as above.
template <class Score, class T, bool Within, class Args, int N>
__device__ INLAY_INLINE void evaluate_scores(float (&s)[N], const Args& a, const WgmmaScorePlace& p) {
    using E = flash::QuickScore<Score, T>;
    detail::each_score<N>([&](int i, int h, int offset) {
        s[i] = detail::value_at<E, float, Within>(a.env, p, h, offset, a.queries, a.keys, s[i]);
    });
}

/// Keys past the last one become -infinity. `key`: the first of the block, `column`: the lane's first one.
template <int N>
__device__ INLAY_INLINE void mask_absent(float (&s)[N], int key, int column, int keys) {
    INLAY_UNROLL
    for (int h = 0; h < 2; ++h) {
        const int end = keys - key;
        INLAY_UNROLL
        for (int i = 2 * h; i < N; i += 4) {
            if (i / 4 * 8 + 8 <= end) continue;     // the same for all lanes
            INLAY_UNROLL
            for (int r = 0; r < 2; ++r)
                if (!(i / 4 * 8 + r < end - column)) s[i + r] = -__builtin_huge_valf();
        }
    }
}

/// Keys that a query does not see, and those past the last one, become -infinity: by two comparisons for each interval
/// of the query's keys, one where they begin with the first key, or by the condition itself, in double as its bounds
/// are.
template <class Condition, class Args, int N>
__device__ INLAY_INLINE void mask_scores(float (&s)[N], const Args& a, const WgmmaScorePlace& p) {
    if constexpr (solved_by_types<Condition>) {
        constexpr int most = most_intervals<Condition>;
        constexpr bool prefix = sees_prefix<Condition>;
        int begin[2][most], end[2][most];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            const auto seen = visible_keys<Condition>(a.env, QueryTile::of({p.batch, p.head, p.query + 8 * h}));
            INLAY_UNROLL
            for (int n = 0; n < most; ++n) {
                begin[h][n] = static_cast<int>(seen.at[n].begin) - p.key;
                end[h][n] = static_cast<int>(seen.at[n].end) - p.key;
            }
        }
        detail::each_score<N>([&](int i, int h, int offset) {
            bool visible = false;
            INLAY_UNROLL
            for (int n = 0; n < most; ++n)
                visible = visible || ((prefix || begin[h][n] <= offset) && offset < end[h][n]);
            if (!visible) s[i] = -__builtin_huge_valf();
        });
    } else {
        detail::each_score<N>([&](int i, int h, int offset) {
            const double seen =
                detail::value_at<Condition, double, false>(a.env, p, h, offset, a.queries, a.keys, 0.0);
            if (seen == 0.0 || p.key + offset >= a.keys) s[i] = -__builtin_huge_valf();
        });
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
