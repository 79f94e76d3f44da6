// SPDX-License-Identifier: Apache-2.0
/// GroupNorm from the statistics its producers published: no pass over the tensor but that of the kernel that reads the
/// result. A `WithStats` sink publishes mean and squared deviations of each channel; they merge into those of any
/// group.
///
/// Proof (Chan, Golub, LeVeque 1983): for parts of n_i numbers with means m_i and squared deviations M_i, n = Σ n_i and
/// m = Σ n_i m_i / n, the squared deviations about m are Σ_i Σ (x − m_i + m_i − m)² = Σ_i M_i + n_i (m_i − m)², as
/// Σ (x − m_i) = 0. Channels have the same n_i, so m is the mean of the means, whatever tensor a channel came from: a
/// group may straddle the border of a concatenation.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/math.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/rewrite/frame_of.hpp>
#include <inlay/rewrite/rebuild.hpp>

namespace inlay::inline INLAY_ABI::rules {

/// Of `count` numbers: their mean and the sum of squared deviations from it.
struct Moments {
    double count = 0, mean = 0, m2 = 0;
};

/// The moments of equally many numbers from each channel first … last of item b, in that order. `channels`: the
/// published statistics, [B, C, 2] each, of tensors that are read one after the other.
template <class... Stats>
Moments merged_moments(index_t pixels, index_t b, index_t first, index_t last, const Stats&... channels) {
    const auto visit = [&](auto&& f) {
        index_t from = 0;
        const auto each = [&](const auto& s) {
            for (index_t c = first > from ? first : from; c < last && c < from + s.extents[1]; ++c)
                f(from_storage<double>(s({{b, c - from, 0}})), from_storage<double>(s({{b, c - from, 1}})));
            from += s.extents[1];
        };
        (each(channels), ...);
    };
    const double n = static_cast<double>(pixels), parts = static_cast<double>(last - first);
    Moments r{n * parts, 0, 0};
    visit([&](double mean, double) { r.mean += mean / parts; });
    visit([&](double mean, double m2) { r.m2 += m2 + n * (mean - r.mean) * (mean - r.mean); });
    return r;
}

namespace detail {

template <class Norm, class K>
struct inlined_group_norm {
    static_assert(sizeof(K) == 0, "inlay: the rule takes a GroupNorm, and a Conv2D that reads it");
};
template <int Groups, class In, class NormEpilogue, double Eps, class NormSchedule, class Win, class Epilogue, class S,
          class Schedule>
struct inlined_group_norm<GroupNorm<Groups, In, NormEpilogue, Store<0>, Eps, NormSchedule>,
                          Conv2D<Win, Buf<0>, Epilogue, S, Schedule>> {
    static_assert(!Slots<Epilogue>::counts::template has_buf<0>,
                  "inlay: the convolution's epilogue reads the normalised tensor, so it must be written");
    using own = Slots<In, NormEpilogue>;
    // Slot 0 of the convolution was the normalised tensor.
    using epilogue = shift_slots<Epilogue, own::tensors - 1, own::scalars>;
    static constexpr int at = Slots<In, NormEpilogue, epilogue>::tensors;
    using normalised = Add<Mul<Sub<In, Buf<at>>, Buf<at + 1>>, Buf<at + 2>>;
    using type = Conv2D<Win, replace_out<NormEpilogue, normalised>, epilogue, S, Schedule>;

    /// Mean and γ/deviation of every channel's group, [B, 1, 1, C] each.
    template <class Gamma, class To, class... Stats>
    static void coefficients(index_t pixels, const Gamma& gamma, const To& mean, const To& scale,
                             const Stats&... stats) {
        using T = typename To::value_type;
        const index_t channels = gamma.extents[0], width = channels / Groups;
        for (index_t b = 0; b < mean.extents[0]; ++b)
            for (index_t first = 0; first < channels; first += width) {
                const Moments m = merged_moments(pixels, b, first, first + width, stats...);
                const double rstd = 1 / math::sqrt(m.m2 / m.count + Eps);
                for (index_t c = first; c < first + width; ++c) {
                    mean({{b, 0, 0, c}}) = to_storage<T>(m.mean);
                    scale({{b, 0, 0, c}}) = to_storage<T>(rstd * from_storage<double>(gamma({{c}})));
                }
            }
    }
};

}  // namespace detail

/// Norm and the Conv2D K that reads its result, as one convolution that normalises on the way to the matrix unit.
/// Slots: those of Norm's input and epilogue; K's others in their order; mean and scale as `group_norm_coefficients`
/// gives them; β.
template <class Norm, class K>
using group_norm_in_conv = typename detail::inlined_group_norm<frame_of<Norm>, frame_of<K>>::type;

/// Mean and γ/deviation for every channel of Norm, [B, 1, 1, C] each, from the published statistics of its inputs.
template <class Norm, class K, class Gamma, class To, class... Stats>
void group_norm_coefficients(index_t pixels, const Gamma& gamma, const To& mean, const To& scale,
                             const Stats&... stats) {
    detail::inlined_group_norm<frame_of<Norm>, frame_of<K>>::coefficients(pixels, gamma, mean, scale, stats...);
}

}  // namespace inlay::inline INLAY_ABI::rules
