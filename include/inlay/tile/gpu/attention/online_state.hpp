// SPDX-License-Identifier: Apache-2.0
/// The state of an online reduction over a warp's rows: running maxima and sums in registers, in the places of the
/// atom's C. Everything about it comes from a recurrence of `plan/attention/online.hpp`.
#pragma once

#include <inlay/plan/attention/online/state.hpp>
#include <inlay/tile/gpu/attention/places.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Reductions of a recurrence, as shared memory and partial results have them. `V`: sums with V.
template <class R>
struct Reductions {
    static constexpr int maxima = R::maxima::size, sums = R::sums::size, vectors = R::vectors::size;
    static_assert(vectors > 0, "inlay: the result of attention is made of sums with Values");

    /// The weight of sum v with V, among all weights.
    INLAY_FN static constexpr int weight(int v) { return weight(v, typename R::vectors{}); }

private:
    template <class... V>
    INLAY_FN static constexpr int weight(int v, types<V...>) {
        int i = 0, found = 0;
        ((found = i++ == v ? inlay::detail::index_in<typename R::weights, online::weight_of<V>> : found), ...);
        return found;
    }
};

/// The rows that a lane has in each tile of 16; sums are of this lane's columns only until `finish`.
template <class R, class Atom, int MTiles>
struct OnlineRows : Reductions<R> {
    using Recurrence = R;
    using Row = online::Row<R, float>;
    /// Of a block of keys, the greatest of each row.
    using Maxima = float[online::detail::room_for<typename R::maxima>][MTiles][Atom::c_rows];
    Row row[MTiles][Atom::c_rows];

    /// Sums over the lanes that share a row.
    __device__ INLAY_INLINE void finish() {
        INLAY_UNROLL
        for (int i = 0; i < OnlineRows::sums; ++i)
            INLAY_UNROLL
            for (int m = 0; m < MTiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h)
                    row[m][h].sum[i] = Atom::reduce_row(row[m][h].sum[i], [](float x, float y) { return x + y; });
    }
};

/// The greatest value of each row among the warp's keys; `value(m, n, i)`: that of register i of a tile.
template <class Atom, int MTiles, int KeyTiles, class Value>
__device__ INLAY_INLINE void row_maxima(float (&most)[MTiles][Atom::c_rows], const Value& value) {
    constexpr int columns = Atom::c_columns;
    const auto of_tile = [&](int m, int n, int first) {
        float x = fmaxf(value(m, n, first), value(m, n, first + 1));
        INLAY_UNROLL
        for (int i = 2; i < columns; ++i) x = fmaxf(x, value(m, n, first + i));
        return x;
    };
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < Atom::c_rows; ++h) {
            float x = of_tile(m, 0, columns * h);
            INLAY_UNROLL
            for (int n = 1; n < KeyTiles; ++n) x = fmaxf(x, of_tile(m, n, columns * h));
            most[m][h] = Atom::reduce_row(x, [](float a, float b) { return fmaxf(a, b); });
        }
}

/// Any recurrence: weights are evaluated score by score. `S`: registers of scores [m tiles][key tiles]; of several sums
/// with V, the weights of the first take the place of the scores.
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
    template <int OutTiles, class Places>
    __device__ INLAY_INLINE void advance(typename Atom::C (&o)[Base::vectors][MTiles][OutTiles],
                                         const typename Base::Maxima& most, const Places& at) {
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
    template <int KeyTiles, class Places>
    __device__ INLAY_INLINE void weigh(typename Atom::C (&s)[Base::vectors][MTiles][KeyTiles], const Shift&, int n,
                                       const Places& at) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h)
                INLAY_UNROLL
                for (int r = 0; r < Atom::c_columns; ++r) {
                    const int i = Atom::c_columns * h + r;
                    float w[online::detail::room_for<typename R::weights>];
                    this->row[m][h].add(w, at.leaves(m, h, n, r, s[0][m][n].r[i]));
                    INLAY_UNROLL
                    for (int v = 0; v < Base::vectors; ++v) s[v][m][n].r[i] = w[Base::weight(v)];
                }
    }

private:
    template <int KeyTiles, class Places, class... M>
    __device__ INLAY_INLINE static void maxima_of(const typename Atom::C (&s)[MTiles][KeyTiles],
                                                  typename Base::Maxima& most, const Places& at, types<M...>) {
        (maximum<type_at<0, typename M::children>>(s, most[inlay::detail::index_in<types<M...>, M>], at), ...);
    }
    template <class E, int KeyTiles, class Places>
    __device__ INLAY_INLINE static void maximum(const typename Atom::C (&s)[MTiles][KeyTiles],
                                                float (&most)[MTiles][Atom::c_rows], const Places& at) {
        row_maxima<Atom, MTiles, KeyTiles>(most, [&](int m, int n, int i) {
            const float score = s[m][n].r[i];
            if constexpr (std::is_same_v<E, Score>) return score;
            const int h = i / Atom::c_columns, r = i % Atom::c_columns;
            return score == -infinity ? score : online::evaluate<E, float>(at.leaves(m, h, n, r, score));
        });
    }
};

/// The weights of softmax. Maxima are of scores as they are in registers: `scale` is the factor of their exponents.
template <class Algebra, class Atom, int MTiles>
struct OnlineState<Algebra, Atom, MTiles, true> : OnlineRows<typename Algebra::row, Atom, MTiles> {
    using Base = OnlineRows<typename Algebra::row, Atom, MTiles>;
    static constexpr bool softmax = true;
    struct Shift {
        float of[MTiles][Atom::c_rows];
    };
    float scale;

    __device__ explicit OnlineState(float by) : scale(by) {}

    /// The value subtracted from scaled scores. If every score so far is -infinity the exponents would be NaN: any
    /// finite shift gives the right zeros.
    __device__ INLAY_INLINE Shift shift() const {
        Shift shift;
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) {
                const float most = this->row[m][h].most[0];
                shift.of[m][h] = most == -infinity ? 0.0f : most * scale;
            }
        return shift;
    }
    template <int KeyTiles, class Places>
    __device__ INLAY_INLINE void raise(const typename Atom::C (&s)[MTiles][KeyTiles], typename Base::Maxima& most,
                                        const Places&) const {
        row_maxima<Atom, MTiles, KeyTiles>(most[0], [&](int m, int n, int i) { return s[m][n].r[i]; });
    }
    /// While a maximum grows by less than a factor of 2⁸ in the weights the old one serves: they stay exact in any type,
    /// and most blocks need no pass over the output.
    template <int OutTiles, class Places>
    __device__ INLAY_INLINE void advance(typename Atom::C (&o)[1][MTiles][OutTiles],
                                         const typename Base::Maxima& most, const Places&) {
        constexpr float slack = 8.0f;
        bool grows = false;
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) grows |= (most[0][m][h] - this->row[m][h].most[0]) * scale > slack;
        if (!any_lane(grows)) return;
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) {
                const float now = most[0][m][h], old = this->row[m][h].most[0];
                const bool moves = (now - old) * scale > slack;
                const float by = moves ? exp2_approximate((old - now) * scale) : 1.0f;
                this->row[m][h].most[0] = moves ? now : old;
                this->row[m][h].sum[0] *= by;
                INLAY_UNROLL
                for (int n = 0; n < OutTiles; ++n)
                    INLAY_UNROLL
                    for (int r = 0; r < Atom::c_columns; ++r) o[0][m][n].r[Atom::c_columns * h + r] *= by;
            }
    }
    template <int KeyTiles, class Places>
    __device__ INLAY_INLINE void weigh(typename Atom::C (&s)[1][MTiles][KeyTiles], const Shift& shift, int n,
                                       const Places&) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int r = 0; r < Atom::c_count; ++r) {
                const float p =
                    exp2_approximate(fmaf(s[0][m][n].r[r], scale, -shift.of[m][r / Atom::c_columns]));
                s[0][m][n].r[r] = p;
                this->row[m][r / Atom::c_columns].sum[0] += p;
            }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
