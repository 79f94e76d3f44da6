// SPDX-License-Identifier: Apache-2.0
/// A 3×3 convolution of a nearest-2× upsampled image is four 2×2 convolutions of the image, one for each phase of the
/// output pixel, with weights summed beforehand: 4/9 of the work. The summed weights are rounded once more.
///
/// Proof, along one axis (the other is alike): u[i] = x[⌊i/2⌋], also outside, where both are 0. For
/// y[i] = Σ_r w[r] u[i+r−1]:
///     y[2i]   = w0 x[i−1] + (w1 + w2) x[i]        as ⌊(2i−1)/2⌋ = i−1, ⌊2i/2⌋ = ⌊(2i+1)/2⌋ = i
///     y[2i+1] = (w0 + w1) x[i] + w2 x[i+1]        as ⌊(2i+2)/2⌋ = i+1
/// So phase p has two taps, and a border of 1−p zeros before and p after. The epilogue of a phase alone must not depend
/// on the pixel: it may read Out, scalars and vectors over the channels. That of all phases in one launch may.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/sink/strided.hpp>
#include <inlay/expr/view/pad.hpp>
#include <inlay/expr/view/upsample.hpp>
#include <inlay/frame/upsampled_conv2d.hpp>
#include <inlay/rewrite/frame_of.hpp>
#include <inlay/rewrite/rebuild.hpp>

namespace inlay::inline INLAY_ABI::rules {

namespace detail {

/// E with the border of phase (P, Q).
template <class E, int P, int Q>
using Bordered = Pad<Pad<E, -3, 1 - P, P>, -2, 1 - Q, Q>;
/// The sink of phase (P, Q) of the result.
template <class S, int P, int Q>
using Interleaved = Strided<Strided<S, -3, 2, P>, -2, 2, Q>;

template <class L>
inline constexpr bool has_position = false;
template <int A>
inline constexpr bool has_position<Coord<A>> = true;
template <class... N>
constexpr bool any_has_position(types<N...>) {
    return (has_position<N> || ...);
}

template <class K>
struct upsampled {
    static_assert(sizeof(K) == 0, "inlay: the rule takes Conv2D<Filter<3>, Upsample2x<E>, ...>");
};
template <class E, class Epilogue, class S, class Schedule>
struct upsampled<Conv2D<Filter<3>, Upsample2x<E>, Epilogue, S, Schedule>> {
    template <int P, int Q>
    struct phase_of {
        static_assert(!any_has_position(nodes_of<Epilogue>{}),
                      "inlay: a convolution whose epilogue reads Coord does not split into phases");
        using type = Conv2D<Filter<2, 2, 1, 0>, Bordered<E, P, Q>, Epilogue, Interleaved<S, P, Q>, Schedule>;
    };
    using together = UpsampledConv2D<E, Epilogue, S, Schedule>;
};

}  // namespace detail

/// Phase (P, Q) of K: a kernel of its own. Weight: row 2P + Q of `phase_weights`, [O, 2, 2, C].
template <class K, int P, int Q>
using upsample_phase = typename detail::upsampled<frame_of<K>>::template phase_of<P, Q>::type;
/// All four phases of K in one launch. Weight: `phase_weights` as [4, O, 4·C].
template <class K>
using upsample_phases = typename detail::upsampled<frame_of<K>>::together;

/// w [O, 3, 3, C] → to [4, O, 2, 2, C], summed in double and rounded once.
template <class W, class To>
void phase_weights(const W& w, const To& to) {
    using T = typename To::value_type;
    // Tap r of phase p sums taps first … last of the filter.
    const auto first = [](index_t p, index_t r) { return r == 0 ? index_t(0) : 1 + p; };
    const auto last = [](index_t p, index_t r) { return r == 0 ? p : index_t(2); };
    const auto sum_taps = [&](const Extents<5>& c, index_t p, index_t q) {
        double sum = 0;
        for (index_t r = first(p, c[2]); r <= last(p, c[2]); ++r)
            for (index_t s = first(q, c[3]); s <= last(q, c[3]); ++s)
                sum += from_storage<double>(w({{c[1], r, s, c[4]}}));
        return sum;
    };
    for (index_t row = 0; row < 16 * to.extents[1]; ++row) {
        auto c = unravel(row, Extents<5>{{4, to.extents[1], 2, 2, 1}});
        for (; c[4] < to.extents[4]; ++c[4]) to(c) = to_storage<T>(sum_taps(c, c[0] / 2, c[0] % 2));
    }
}

}  // namespace inlay::inline INLAY_ABI::rules
