// SPDX-License-Identifier: Apache-2.0
/// A LayerNorm folded into the linear layer that reads it: the layer reads the raw rows, γ goes into its weight, mean
/// and deviation into its epilogue. The normalised tensor is neither written nor read. The weight is rounded once more.
///
/// Proof: Σ_k ((x_k − μ)·r·γ_k + β_k)·w_k = r·(Σ_k x_k·(γ_k w_k) − μ·Σ_k γ_k w_k) + Σ_k β_k w_k for each row of x and
/// w. Rounding γ_k w_k to v_k leaves r·Σ_k (x_k − μ)·v_k exactly if the middle sum is of the v_k too. Were it of the
/// γ_k w_k, an error μ·r·Σ_k (v_k − γ_k w_k) would remain, which grows with the mean.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/rewrite/frame_of.hpp>
#include <inlay/rewrite/rebuild.hpp>

namespace inlay::inline INLAY_ABI::rules {

namespace detail {

template <class Norm, class K>
struct folded_layer_norm {
    static_assert(sizeof(K) == 0,
                  "inlay: the rule takes LayerNorm<In> without an epilogue, and a Linear that reads it");
};
template <class In, double Eps, class NormSchedule, class Epilogue, class S, class Schedule>
struct folded_layer_norm<LayerNorm<In, Out, Store<0>, Eps, NormSchedule>, Linear<Buf<0>, Epilogue, S, Schedule>> {
    static_assert(!Slots<Epilogue>::counts::template has_buf<0>,
                  "inlay: the layer's epilogue reads the normalised rows, so they must be written");
    using own = Slots<In>;
    static constexpr int tensors = own::tensors, scalars = own::scalars;
    // Slot 0 of the layer was the normalised rows.
    using epilogue = shift_slots<Epilogue, tensors - 1, scalars>;
    static constexpr int at = Slots<In, epilogue>::tensors;
    using result = Add<Mul<Buf<at + 1>, Sub<Out, Mul<Buf<at>, Buf<at + 2>>>>, Buf<at + 3>>;

    using type = Linear<In, replace_out<epilogue, result>, S, Schedule>;
    using mean = Reduce<reduction::Mean, Axes<-1>, In>;
    using deviation = Sub<In, Buf<tensors>>;
    using rstd = Reduce<reduction::Mean, Axes<-1>, Mul<deviation, deviation>, Rsqrt<Add<Out, Const<Eps>>>>;
};

}  // namespace detail

/// Norm and the Linear K that reads its result, as one Linear. Slots: those of Norm's input; K's others in their order;
/// mean and 1/deviation of the rows, [..., 1] each; the sums and the shift of `fold_layer_norm`. fp32 for the last
/// four.
template <class Norm, class K>
using layer_norm_in_linear = typename detail::folded_layer_norm<frame_of<Norm>, frame_of<K>>::type;
/// Mean of the rows of Norm's input, [..., 1].
template <class Norm, class K>
using layer_norm_mean = typename detail::folded_layer_norm<frame_of<Norm>, frame_of<K>>::mean;
/// 1 / √(variance + Eps) of the rows of Norm's input, [..., 1]; the mean follows the input's slots.
template <class Norm, class K>
using layer_norm_rstd = typename detail::folded_layer_norm<frame_of<Norm>, frame_of<K>>::rstd;

/// w [N, K], γ and β [K] → folded [N, K], and its row sums as rounded and Σ_k β_k w[n, k], [N] each.
template <class W, class G, class B, class To, class Vector>
void fold_layer_norm(const W& w, const G& gamma, const B& beta, const To& folded, const Vector& sums,
                     const Vector& shift) {
    using T = typename To::value_type;
    using F = typename Vector::value_type;
    for (index_t n = 0; n < w.extents[0]; ++n) {
        double sum = 0, constant = 0;
        for (index_t k = 0; k < w.extents[1]; ++k) {
            const double x = from_storage<double>(w({{n, k}}));
            const T v = to_storage<T>(x * from_storage<double>(gamma({{k}})));
            folded({{n, k}}) = v;
            sum += from_storage<double>(v);
            constant += x * from_storage<double>(beta({{k}}));
        }
        sums({{n}}) = to_storage<F>(sum);
        shift({{n}}) = to_storage<F>(constant);
    }
}

}  // namespace inlay::inline INLAY_ABI::rules
