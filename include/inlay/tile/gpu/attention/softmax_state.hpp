// SPDX-License-Identifier: Apache-2.0
/// The state of softmax (Milakov and Gimelshein 2018), whatever is made of it at the end: a key costs a multiply-add and
/// an exponential, and most blocks of keys rescale nothing.
#pragma once

#include <inlay/tile/gpu/attention/online_state.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

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
