// SPDX-License-Identifier: Apache-2.0
/// Weights put together, so that several products are one.
#pragma once

#include <inlay/rewrite/planner/load/symbol.hpp>
#include <inlay/rewrite/shortcut.hpp>

namespace inlay::inline INLAY_ABI::planner::load {

/// [N_i, K]… → [Σ N_i, K].
template <int N>
struct JoinRows : load_symbol {
    static constexpr const char* name = "join rows";
    static constexpr ClassData data(const ClassData* c) {
        index_t rows = 0;
        for (int i = 0; i < N; ++i) rows += c[i].extents[0];
        return detail::matrix_of(rows, c[0].extents[1]);
    }
    template <class A, class B, class To>
        requires(N == 2)
    static void compute(const A& a, const B& b, const To& to) {
        detail::append(to, a, b);
    }
    template <class A, class B, class C, class To>
        requires(N == 3)
    static void compute(const A& a, const B& b, const C& c, const To& to) {
        detail::append(to, a, b, c);
    }
};

/// [N_i]… → [Σ N_i].
template <int N>
struct JoinVectors : load_symbol {
    static constexpr const char* name = "join vectors";
    static constexpr ClassData data(const ClassData* c) {
        index_t n = 0;
        for (int i = 0; i < N; ++i) n += c[i].extents[0];
        return detail::vector_of(n);
    }
    template <class... Operands>
    static void compute(const Operands&... t) {
        JoinRows<N>::compute(t...);
    }
};

/// [O, …] and [O, …] → [O, K + L], K and L the elements of a row.
struct JoinColumns : load_symbol {
    static constexpr const char* name = "join columns";
    static constexpr ClassData data(const ClassData* c) {
        const index_t rows = c[0].extents[0];
        return detail::matrix_of(rows, quotient(c[0].size() + c[1].size(), rows));
    }
    template <class A, class B, class To>
    static void compute(const A& a, const B& b, const To& to) {
        inlay::rules::joined_rows(a, b, to);
    }
};

/// A filter of one tap, [O, 1, 1, C] → [O, C].
struct AsMatrix : load_symbol {
    static constexpr const char* name = "as matrix";
    static constexpr ClassData data(const ClassData* c) {
        return detail::matrix_of(c[0].extents[0], quotient(c[0].size(), c[0].extents[0]));
    }
    template <class W, class To>
    static void compute(const W& w, const To& to) {
        detail::append(to, w);
    }
};

/// [N] + [N], of two biases.
struct SumOfVectors : load_symbol {
    static constexpr const char* name = "sum of vectors";
    static constexpr bool fp32 = true;
    static constexpr ClassData data(const ClassData* c) { return detail::vector_of(c[0].extents[0]); }
    template <class A, class B, class To>
    static void compute(const A& a, const B& b, const To& to) {
        for (index_t i = 0; i < to.extents[0]; ++i) detail::set(to, i, detail::at(a, i) + detail::at(b, i));
    }
};

}  // namespace inlay::inline INLAY_ABI::planner::load
