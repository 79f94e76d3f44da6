// SPDX-License-Identifier: Apache-2.0
/// Reshape: the same elements in row-major order under other extents; one extent may be -1 and is inferred.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {
/// True for the static extent that follows from the others.
template <auto D>
inline constexpr bool is_inferred = false;
template <auto D>
    requires(std::is_same_v<std::remove_cvref_t<decltype(D)>, index_t>)
inline constexpr bool is_inferred<D> = D == -1;
}  // namespace detail

namespace node {

template <class E, auto... D>
struct Reshape : view<E> {
    static_assert((detail::at_least<D>(-1) && ...), "inlay: the extents of Reshape are at least 0, one may be -1");
    static_assert((detail::is_inferred<D> + ... + 0) <= 1, "inlay: only one extent of Reshape may be -1");
    using key = Reshape;
    static constexpr int R_out = static_cast<int>(sizeof...(D));
    template <int>
    static constexpr int rank = R_out;
    template <int R>
    struct State {
        Extents<R> in, in_strides;
        Extents<R_out> out_strides;
    };

    template <class Environment, int R>
    static State<R> bind(const Environment& env, const Extents<R>& in) {
        return {in, row_major(in), row_major(extents(env, in))};
    }
    template <class Environment, int R>
    static Extents<R_out> extents(const Environment& env, const Extents<R>& in) {
        Extents<R_out> out{{argument_value<D>(env)...}};
        int inferred = -1;
        index_t known = 1;
        for (int i = 0; i < R_out; ++i) {
            if (out[i] >= 0) {
                known = checked_product(known, out[i]);
            } else {
                require(out[i] == -1, name<Reshape>(), ": an extent is ", out[i],
                        ", expected at least 0, or one of -1");
                require(inferred < 0, name<Reshape>(), ": only one extent may be -1");
                inferred = i;
            }
        }
        const index_t all = count(in);
        if (inferred >= 0) {
            require(known > 0 || all > 0, name<Reshape>(), ": any extent of axis ", inferred,
                    " gives 0 elements, so it cannot be inferred from ", text(in));
            out[inferred] = known > 0 ? all / known : 0;
            known = checked_product(known, out[inferred]);
        }
        require(known == all, name<Reshape>(), ": ", text(in), " has ", all, " elements, ", text(out), " has ", known);
        return out;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const State<R>& s, const Walk<R_out>& w) {
        index_t linear = 0;
        for (int i = 0; i < R_out; ++i) linear += w.c[i] * s.out_strides[i];
        Walk<R> r;
        r.c = unravel(linear, s.in);
        r.run = w.run;
        if (w.axis < 0) return r;
        // The child's axis with the moving axis' stride moves in its place, up to its own end.
        index_t left = 1;
        for (int i = 0; i < R; ++i)
            if (s.in[i] > 1 && s.in_strides[i] == s.out_strides[w.axis]) r.axis = i, left = s.in[i] - r.c[i];
        r.limit(left);
        return r;
    }
};

}  // namespace node

template <class E, auto... D>
using Reshape = node::Reshape<E, detail::normal<D>::value...>;

template <auto... D, Expr E>
INLAY_FN constexpr Reshape<E, D...> reshape(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
