// SPDX-License-Identifier: Apache-2.0
/// From products to scores, in the registers that a product of warpgroups leaves (`isa/wgmma.hpp`): the score's
/// expression, and -infinity for keys that a query does not see or that do not exist.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/tile/cuda/isa/wgmma.hpp>
#include <inlay/tile/cuda/wgmma/attention/key_blocks.hpp>
#include <inlay/tile/cuda/wgmma/attention/linear_score.hpp>
#include <inlay/tile/cuda/wgmma/attention/score_leaves.hpp>
#include <inlay/tile/gpu/attention/quick_score.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// A product of 64 × N leaves N / 2 registers; calls f(i, h, offset) for each, of query 8 · h further and of a key
/// `offset` further. Paced: loads of f are not brought forward past many others, for which there are no registers.
template <bool Paced, int N, class F>
__device__ INLAY_INLINE void each_score(const F& f) {
    INLAY_UNROLL
    for (int i = 0; i < N; i += 4) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            INLAY_UNROLL
            for (int r = 0; r < 2; ++r) f(i + 2 * h + r, h, i / 4 * 8 + r);
        }
        if constexpr (Paced)
            if (i % 8 == 4) loads_keep();
    }
}

/// Of a score that is linear in product and key: both rows' numbers at the lane's first key, then two operations a
/// score.
template <class E, class Args, class Place, int N>
__device__ INLAY_INLINE void evaluate_linear(float (&s)[N], const Args& a, const Place& p) {
    using Linear = LinearScore<E>;
    const auto of_rows = [&]<class Part>(std::type_identity<Part>, float (&x)[2]) {
        const WgmmaScalars<Part, float, std::remove_cv_t<decltype(a.env)>> scalars(a.env);
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) x[h] = value_at<Part, WgmmaReads::of_rows>(a, scalars, p, h, 0, 0.0f);
    };
    float by[2], slope[2], rest[2];
    of_rows(std::type_identity<typename Linear::of_product>{}, by);
    of_rows(std::type_identity<typename Linear::of_key>{}, slope);
    of_rows(std::type_identity<E>{}, rest);
    each_score<false, N>([&](int i, int h, int offset) {
        s[i] = fmaf(s[i], by[h], fmaf(slope[h], static_cast<float>(offset), rest[h]));
    });
}

template <class E, WgmmaReads Reads, class Args, class Place, int N>
__device__ INLAY_INLINE void evaluate_scores_at(float (&s)[N], const Args& a, const Place& p) {
    constexpr bool paced = inlay::detail::slots_in<E>::any && Reads != WgmmaReads::of_rows;
    if constexpr (Reads == WgmmaReads::of_rows && LinearScore<E>::possible) {
        evaluate_linear<E>(s, a, p);
    } else {
        const WgmmaScalars<E, float, std::remove_cv_t<decltype(a.env)>> scalars(a.env);
        each_score<paced, N>(
            [&](int i, int h, int offset) { s[i] = value_at<E, Reads>(a, scalars, p, h, offset, s[i]); });
    }
}

}  // namespace detail

/// Products become scores at a lane's place. OfRows: no tensor of the score varies along the keys. `masked`: some key may
/// not exist.
template <class Score, class T, bool OfRows, class Args, class Place, int N>
__device__ INLAY_INLINE void evaluate_scores(float (&s)[N], const Args& a, const Place& p, bool masked) {
    using E = flash::QuickScore<Score, T>;
    using Reads = detail::WgmmaReads;
    if constexpr (OfRows) detail::evaluate_scores_at<E, Reads::of_rows>(s, a, p);
    else if (masked) detail::evaluate_scores_at<E, Reads::existing>(s, a, p);
    else detail::evaluate_scores_at<E, Reads::all>(s, a, p);
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

/// An algebra, and what the tensors of a launch decide of it. Solved: they give the bounds of its condition. OfRows:
/// those of its score do not vary along the keys. One kernel for either would not have registers for the code of both.
template <class Algebra, bool Solved, bool OfRows>
struct WgmmaAlgebra : Algebra {
    static constexpr bool solved_by_tensors = Solved, scores_of_rows = OfRows;
};

/// The keys that a lane's two rows see, of conditions whose bounds are solved.
template <class Condition>
struct WgmmaRowKeys {
    static constexpr int most = most_intervals<Condition>;
    /// True where bounds need no tensor: they are found anew for each block of keys, and take no registers between.
    static constexpr bool by_types = solved_by_types<Condition>;
    /// True where tensors decide at run time if bounds are solved. Kernels are compiled for both.
    static constexpr bool of_tensors = !by_types && inlay::detail::slots_in<Condition>::any && most <= 2;

    int begin[2][most], end[2][most];

    template <class Args, class Place>
    __device__ INLAY_INLINE static WgmmaRowKeys of(const Args& a, const Place& p) {
        WgmmaRowKeys r;
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            // Rows behind the last one read no tensor.
            const auto row = by_types ? p.row(h) : p.existing(a, h);
            const auto seen = visible_keys<Condition>(a.env, QueryTile::of(row));
            INLAY_UNROLL
            for (int n = 0; n < most; ++n)
                r.begin[h][n] = static_cast<int>(seen.at[n].begin), r.end[h][n] = static_cast<int>(seen.at[n].end);
        }
        return r;
    }
    /// By search: of the four lanes that have two queries, two search for one each. All lanes call it together.
    template <class Args>
    __device__ INLAY_INLINE static WgmmaRowKeys found(const Args& a, int batch, int head, int query) {
        WgmmaRowKeys r;
        const int lane = lane_index(), row = (::min)(query + 8 * (lane % 2), a.queries - 1);
        const auto seen = visible_keys<Condition>(a.env, QueryTile::of({batch, head, row}));
        warp_sync();
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            INLAY_UNROLL
            for (int n = 0; n < most; ++n) {
                r.begin[h][n] = shuffle(static_cast<int>(seen.at[n].begin), lane / 4 * 4 + h);
                r.end[h][n] = shuffle(static_cast<int>(seen.at[n].end), lane / 4 * 4 + h);
            }
        }
        return r;
    }
    /// Others become -infinity, and those past the last key: two comparisons for each interval, one where it begins
    /// with the first key. Of two intervals most blocks meet one alone. `key`: the lane's first one. All lanes call it
    /// together.
    template <int N>
    __device__ INLAY_INLINE void mask(float (&s)[N], int key) const {
        int from[2][most], to[2][most];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            INLAY_UNROLL
            for (int n = 0; n < most; ++n) from[h][n] = begin[h][n] - key, to[h][n] = end[h][n] - key;
        }
        if constexpr (most == 2) {
            const auto meets = [&](int n) {
                return any_lane((from[0][n] < 2 * N && to[0][n] > 0) || (from[1][n] < 2 * N && to[1][n] > 0));
            };
            const bool first = meets(0);
            if (!(first && meets(1))) {
                int one_from[2][1], one_to[2][1];
                INLAY_UNROLL
                for (int h = 0; h < 2; ++h)
                    one_from[h][0] = first ? from[h][0] : from[h][1], one_to[h][0] = first ? to[h][0] : to[h][1];
                return mask_outside(s, one_from, one_to);
            }
        }
        mask_outside(s, from, to);
    }

private:
    template <int N, int M>
    __device__ INLAY_INLINE static void mask_outside(float (&s)[N], const int (&from)[2][M], const int (&to)[2][M]) {
        constexpr bool prefix = sees_prefix<Condition>;
        detail::each_score<false, N>([&](int i, int h, int offset) {
            bool visible = false;
            INLAY_UNROLL
            for (int n = 0; n < M; ++n)
                visible = visible || ((prefix || from[h][n] <= offset) && offset < to[h][n]);
            if (!visible) s[i] = -__builtin_huge_valf();
        });
    }
};

/// Keys that a query does not see, and those past the last one, become -infinity: by the condition itself, in double as
/// its bounds are.
template <class Condition, class Args, class Place, int N>
__device__ INLAY_INLINE void mask_each(float (&s)[N], const Args& a, const Place& p) {
    const detail::WgmmaScalars<Condition, double, std::remove_cv_t<decltype(a.env)>> scalars(a.env);
    detail::each_score<true, N>([&](int i, int h, int offset) {
        const double seen =
            detail::value_at<Condition, detail::WgmmaReads::existing>(a, scalars, p, h, offset, 0.0);
        if (seen == 0.0 || p.key + offset >= a.keys) s[i] = -__builtin_huge_valf();
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
