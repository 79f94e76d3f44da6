// SPDX-License-Identifier: Apache-2.0
/// The state of an online reduction over a warp's rows, of any recurrence: weights are evaluated score by score.
#pragma once

#include <inlay/tile/gpu/attention/online_rows.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Registers of scores, `s` [m tiles][key tiles], become the weights of the first sum with V; those of others stand
/// beside them.
template <class Algebra, class Atom, int MTiles, bool Softmax = has_softmax_weights<Algebra>>
struct OnlineState : OnlineRows<typename Algebra::row, Atom, MTiles> {
    using R = typename Algebra::row;
    using Base = OnlineRows<R, Atom, MTiles>;
    struct Shift {};
    static constexpr bool softmax = false;

    __device__ explicit OnlineState(float) {}
    __device__ INLAY_INLINE Shift shift() const { return {}; }

    template <int KeyTiles, class Places>
    __device__ INLAY_INLINE void raise(const typename Atom::C (&s)[MTiles][KeyTiles], typename Base::Maxima& most,
                                        const Places& at) const {
        maxima_of(s, most, at, typename R::maxima{});
    }
    /// Brings sums, and those with V, to the new maxima; to the same ones in most blocks.
    template <int V, int OutTiles, class Places>
    __device__ INLAY_INLINE void advance(typename Atom::C (&o)[V][MTiles][OutTiles], const typename Base::Maxima& most,
                                         const Places& at) {
        if constexpr (Base::maxima > 0) {
            bool moves = false;
            INLAY_UNROLL
            for (int i = 0; i < Base::maxima; ++i)
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m)
                    INLAY_UNROLL
                    for (int h = 0; h < Atom::c_rows; ++h) moves |= most[i][m][h] > this->row[m][h].most[i];
            if (!any_lane(moves)) return;
            INLAY_UNROLL
            for (int m = 0; m < MTiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h) {
                    float block[Base::maxima], by[online::detail::room_for<typename R::weights>];
                    INLAY_UNROLL
                    for (int i = 0; i < Base::maxima; ++i) block[i] = most[i][m][h];
                    this->row[m][h].advance(block, by, at.leaves(m, h));
                    INLAY_UNROLL
                    for (int v = 0; v < Base::vectors; ++v)
                        INLAY_UNROLL
                        for (int n = 0; n < OutTiles; ++n)
                            INLAY_UNROLL
                            for (int r = 0; r < Atom::c_columns; ++r)
                                o[v][m][n].r[Atom::c_columns * h + r] *= by[Base::weight(v)];
                }
        }
    }
    /// Scores of one tile of keys become weights of each sum with V, and count in the sums.
    template <int V, int KeyTiles, class Places>
    __device__ INLAY_INLINE void weigh(typename Atom::C (&s)[V][MTiles][KeyTiles], const Shift&, int n,
                                       const Places& at) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h)
                INLAY_UNROLL
                for (int r = 0; r < Atom::c_columns; ++r) {
                    const int i = Atom::c_columns * h + r;
                    float w[online::detail::room_for<typename R::weights>];
                    this->row[m][h].add(w, at.leaves(m, h, s[0][m][n].r[i]));
                    INLAY_UNROLL
                    for (int v = 0; v < Base::vectors; ++v) s[v][m][n].r[i] = w[Base::weight(v)];
                }
    }

private:
    template <int KeyTiles, class Places, class... E>
    __device__ INLAY_INLINE static void maxima_of(const typename Atom::C (&s)[MTiles][KeyTiles],
                                                  typename Base::Maxima& most, const Places& at, types<KeyMax<E>...>) {
        [[maybe_unused]] int i = 0;
        (maximum<E>(s, most[i++], at), ...);
    }
    template <class E, int KeyTiles, class Places>
    __device__ INLAY_INLINE static void maximum(const typename Atom::C (&s)[MTiles][KeyTiles],
                                                float (&most)[MTiles][Atom::c_rows], const Places& at) {
        row_maxima<Atom, MTiles, KeyTiles>(most, [&](int m, int n, int i) {
            const float score = s[m][n].r[i];
            if constexpr (std::is_same_v<E, Score>) return score;
            return score == -infinity ? score : online::evaluate<E, float>(at.leaves(m, i / Atom::c_columns, score));
        });
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
