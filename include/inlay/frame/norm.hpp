// SPDX-License-Identifier: Apache-2.0
/// LayerNorm, RMSNorm and GroupNorm. Statistics in fp32, mean first and squared deviations about it, merged by Chan's
/// formula where partial: stable however large the mean. Out is the normalised, scaled and shifted value.
///
/// Holes: input expression [..., C] (concat, broadcast add, …); epilogue (SiLU, …); sink. Operands: γ [C], β [C].
/// Moves the input and the output once (GroupNorm on the host reads its input twice).
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/frame/base.hpp>
#include <inlay/frame/row_operation.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {
template <class K, int R, class W>
auto check_channels(const Extents<R>& in, const W& w, const char* which) {
    static_assert(W::rank == 1, "inlay: the scale and shift of a norm have extents [C]");
    require(w.extents[0] == in.back(0), name<K>(), ": the input ", text(in), " has ", in.back(0), " channels, ", which,
            " has ", w.extents[0]);
}
}  // namespace detail

/// The row operation of LayerNorm.
template <class G, class B>
struct LayerNormRow {
    G gamma;
    B beta;
    double eps;

    INLAY_CALLS_BACK
    template <class Row>
    INLAY_FN void operator()(Row& row) const {
        using F = typename Row::value;
        const Moments<F> m = row.moments();
        const F variance = math::quotient(m.m2, static_cast<F>(row.size()));
        const F rstd = math::quotient(F(1), math::sqrt(variance + static_cast<F>(eps)));
        row.scale_shift(m.mean, rstd, gamma, beta);
    }
};

/// The row operation of RMSNorm.
template <class G>
struct RMSNormRow {
    G gamma;
    double eps;

    INLAY_CALLS_BACK
    template <class Row>
    INLAY_FN void operator()(Row& row) const {
        using F = typename Row::value;
        const F mean_square = math::quotient(row.sum_of_squares(), static_cast<F>(row.size()));
        row.scale(math::quotient(F(1), math::sqrt(mean_square + static_cast<F>(eps))), gamma);
    }
};

/// Over the last axis: (x − mean) / √(var + Eps) · γ + β.
template <class In = Buf<0>, class Epilogue = Out, class S = Store<0>, double Eps = 1e-5, class Schedule = Auto>
struct LayerNorm : frame_tag {
    static_assert(Eps >= 0, "inlay: the epsilon of a norm is at least 0");
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 2;
    static constexpr const char* kind = "layernorm";
    using calls = rows_member;

    template <int R, class G, class B>
    static auto shape(const Extents<R>& in, const G& gamma, const B& beta) {
        detail::check_channels<LayerNorm>(in, gamma, "gamma");
        detail::check_channels<LayerNorm>(in, beta, "beta");
        return Problem<R>{in, 8.0 * static_cast<double>(count(in))};
    }
    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        const auto& gamma = get<0>(p.weights);
        const auto& beta = get<1>(p.weights);
        using Row = LayerNormRow<std::remove_cvref_t<decltype(gamma)>, std::remove_cvref_t<decltype(beta)>>;
        target.rows(p.problem.out, get<0>(p.in), Row{gamma, beta, Eps}, p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

/// Over the last axis: x / √(mean(x²) + Eps) · γ.
template <class In = Buf<0>, class Epilogue = Out, class S = Store<0>, double Eps = 1e-6, class Schedule = Auto>
struct RMSNorm : frame_tag {
    static_assert(Eps >= 0, "inlay: the epsilon of a norm is at least 0");
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 1;
    static constexpr const char* kind = "rmsnorm";
    using calls = rows_member;

    template <int R, class G>
    static auto shape(const Extents<R>& in, const G& gamma) {
        detail::check_channels<RMSNorm>(in, gamma, "gamma");
        return Problem<R>{in, 4.0 * static_cast<double>(count(in))};
    }
    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        const RMSNormRow<std::remove_cvref_t<decltype(get<0>(p.weights))>> row{get<0>(p.weights), Eps};
        target.rows(p.problem.out, get<0>(p.in), row, p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

/// Over all axes but the first, in Groups groups of channels of [B, ..., C].
template <int Groups, class In = Buf<0>, class Epilogue = Out, class S = Store<0>, double Eps = 1e-5,
          class Schedule = Auto>
struct GroupNorm : frame_tag {
    static_assert(Eps >= 0, "inlay: the epsilon of a norm is at least 0");
    static_assert(Groups >= 1, "inlay: GroupNorm has at least one group");
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 2;
    static constexpr int groups = Groups;
    static constexpr const char* kind = "groupnorm";
    using calls = group_norm_member;
    static constexpr bool channels_last = true;  // [B, ..., C]: an operand [B, C] would be read as [W, C]

    template <int R, class G, class B>
    static auto shape(const Extents<R>& in, const G& gamma, const B& beta) {
        static_assert(R >= 2, "inlay: the input of GroupNorm has extents [B, ..., C]");
        detail::check_channels<GroupNorm>(in, gamma, "gamma");
        detail::check_channels<GroupNorm>(in, beta, "beta");
        require(in.back(0) % Groups == 0, name<GroupNorm>(), ": ", in.back(0), " channels are not a multiple of ",
                Groups, " groups");
        return Problem<R>{in, 8.0 * static_cast<double>(count(in))};
    }
    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        target.template group_norm<Groups>(p.problem.out, Eps, get<0>(p.weights), get<1>(p.weights), get<0>(p.in),
                                           p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
