// SPDX-License-Identifier: Apache-2.0
/// PublishedMean, PublishedRstd: the mean of a row, and one over its deviation, of a tensor that a kernel before stored
/// by `WithRowStats`. An epilogue merges the record of its row once, where it finds the row's place, so a LayerNorm
/// behind a product has no kernel of its own.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/row_record.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

/// Base of numbers of a row out of its record: [..., E] → [..., 1].
template <class E>
struct Published : view<E> {
    static constexpr bool piecewise = true;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R;
    template <class Environment>
    static constexpr bool reads_fp32() {
        if constexpr (!detail::is_buf<E>) return false;
        else
            return std::is_same_v<
                std::remove_const_t<typename type_at<E::slot, typename Environment::tensors>::value_type>, float>;
    }
    template <bool Ok>
    static constexpr void demand_records() {
        static_assert(Ok, "inlay: PublishedMean and PublishedRstd read the records of WithRowStats as they lie, a tensor "
                          "slot that holds fp32");
    }
    template <class Environment, int R>
    static Extents<R> extents(const Environment&, Extents<R> e) {
        require(is_row_record(e.back(0)), "the records of rows have extents ", text(e), ": expected an even number of "
                "at least 4 on the last axis");
        e.back(0) = 1;
        return e;
    }
    // A walk of a row stays at its record: reports see a number that is broadcast.
    using key = Published;
    template <int R>
    INLAY_FN static int piece(const NoState&, const Walk<R>&) {
        return 0;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const NoState&, const Walk<R>& w) {
        return w;
    }
};

}  // namespace node

/// The mean of a row.
template <class E>
struct PublishedMean : node::Published<E> {
    template <class S>
    INLAY_FN static S of(const detail::RowMoments<S>& m) {
        return m.mean;
    }
};

namespace node {

/// 1 / √(variance + Eps) of a row.
template <class E, detail::Real Eps>
struct PublishedRstd : Published<E> {
    static_assert(detail::value_of(Eps) >= 0, "inlay: the epsilon of a norm is at least 0");
    template <class S>
    INLAY_FN static S of(const detail::RowMoments<S>& m) {
        return S(1) / math::sqrt(m.variance + static_cast<S>(detail::value_of(Eps)));
    }
};

}  // namespace node

template <class E, double Eps = 1e-5>
using PublishedRstd = node::PublishedRstd<E, detail::real(Eps)>;

template <Expr E>
INLAY_FN constexpr PublishedMean<E> published_mean(E) {
    return {};
}
template <double Eps = 1e-5, Expr E>
INLAY_FN constexpr PublishedRstd<E, Eps> published_rstd(E) {
    return {};
}

namespace detail {

template <class N>
inline constexpr bool is_published = false;
template <class E>
inline constexpr bool is_published<PublishedMean<E>> = true;
template <class E, Real Eps>
inline constexpr bool is_published<node::PublishedRstd<E, Eps>> = true;

/// The number of a row at coordinate c.
template <class S, class N, class T, int R>
INLAY_FN S published_at(const T& records, Extents<R> c) {
    c.back(0) = 0;
    return N::of(row_moments_of<S>(&records(c), records.strides.back(0), records.extents.back(0)));
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
