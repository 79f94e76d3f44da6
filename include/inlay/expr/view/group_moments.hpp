// SPDX-License-Identifier: Apache-2.0
/// GroupMean, GroupRstd: the mean of each channel's group, and one over its deviation, from the statistics of channels
/// that a kernel before published by `WithStats`. With them a GroupNorm is pointwise.
///
/// Proof (Chan, Golub, LeVeque 1983): W channels of n numbers, with means mᵢ and squared deviations Mᵢ, have the mean
/// m = Σ mᵢ / W and the variance Σ (Mᵢ / n + (mᵢ − m)²) / W. Differences come before squares: nothing cancels.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

/// Base of both. E: statistics [B, C, 2]; Like: the tensor [B, ..., C] that they are of, read for its extents alone.
template <class E, class Like, int Groups>
struct GroupNumber : view<E, Like> {
    static_assert(Groups >= 1, "inlay: a tensor has at least one group of channels");
    static constexpr bool piecewise = true;
    static constexpr int pieces = 2, groups = Groups;
    using key = GroupNumber;
    template <int R, int Q>
    static constexpr int rank = Q;
    template <int R, int Q>
    static constexpr bool accepts = R == 3 && Q >= 2;
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: GroupMean and GroupRstd read statistics [B, C, 2] of a tensor [B, ..., C]");
    }
    template <class Environment>
    static constexpr bool reads_fp32() {
        if constexpr (!detail::is_buf<E> || !detail::is_buf<Like>) return false;
        else
            return std::is_same_v<
                std::remove_const_t<typename type_at<E::slot, typename Environment::tensors>::value_type>, float>;
    }
    template <bool Ok>
    static constexpr void demand_records() {
        static_assert(Ok, "inlay: GroupMean and GroupRstd read the statistics of WithStats as they lie, a tensor slot "
                          "that holds fp32, and the extents of another slot");
    }
    struct State {
        index_t width, pixels;
    };
    template <class Environment, int R, int Q>
    static State bind(const Environment&, const Extents<R>&, const Extents<Q>& like) {
        index_t pixels = 1;
        for (int i = 1; i + 1 < Q; ++i) pixels *= like[i];
        return {like.back(0) / Groups, pixels};
    }
    template <class Environment, int R, int Q>
    static Extents<Q> extents(const Environment&, const Extents<R>& e, Extents<Q> like) {
        const index_t c = like.back(0);
        require(e[0] == like[0] && e[1] == c && e[2] == 2, "the statistics of channels of ", text(like),
                " have extents ", text(e), ": expected ", text(Extents<3>{{like[0], c, 2}}));
        require(c % Groups == 0, "the ", c, " channels of ", text(like), " are no multiple of ", Groups, " groups");
        for (int i = 1; i + 1 < Q; ++i) like[i] = 1;
        return like;
    }
    template <int R>
    INLAY_FN static int piece(const State&, const Walk<R>&) {
        return 0;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const State&, const Walk<R>& w) {
        return w;
    }
};

}  // namespace node

template <class E, class Like, int Groups>
struct GroupMean : node::GroupNumber<E, Like, Groups> {
    template <class S>
    INLAY_FN static S of(S mean, S) {
        return mean;
    }
};

namespace node {

template <class E, class Like, int Groups, detail::Real Eps>
struct GroupRstd : GroupNumber<E, Like, Groups> {
    static_assert(detail::value_of(Eps) >= 0, "inlay: the epsilon of a norm is at least 0");
    template <class S>
    INLAY_FN static S of(S, S variance) {
        return S(1) / math::sqrt(variance + static_cast<S>(detail::value_of(Eps)));
    }
};

}  // namespace node

template <class E, class Like, int Groups, double Eps = 1e-5>
using GroupRstd = node::GroupRstd<E, Like, Groups, detail::real(Eps)>;

template <int Groups, Expr E, Expr Like>
INLAY_FN constexpr GroupMean<E, Like, Groups> group_mean(E, Like) {
    return {};
}
template <int Groups, double Eps = 1e-5, Expr E, Expr Like>
INLAY_FN constexpr GroupRstd<E, Like, Groups, Eps> group_rstd(E, Like) {
    return {};
}

namespace detail {

template <class N>
inline constexpr bool is_group_number = requires { N::groups; typename N::State; N::of(1.0, 1.0); };

/// The number of the group of channel c, of item b.
template <class S, class N, class T, class State>
INLAY_FN S group_number_at(const T& stats, const State& s, index_t b, index_t c) {
    c -= c % s.width;
    const auto at = [&](index_t i, index_t which) { return static_cast<S>(stats({{b, c + i, which}})); };
    const S width = static_cast<S>(s.width), n = static_cast<S>(s.pixels);
    S mean = 0, variance = 0;
    for (index_t i = 1; i < s.width; ++i) mean += at(i, 0) - at(0, 0);
    mean = at(0, 0) + math::quotient(mean, width);
    for (index_t i = 0; i < s.width; ++i) {
        const S d = at(i, 0) - mean;
        variance += math::quotient(at(i, 1), n) + d * d;
    }
    return N::of(mean, math::quotient(variance, width));
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
