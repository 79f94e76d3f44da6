// SPDX-License-Identifier: Apache-2.0
/// Symbols that rules make of weights and that are computed once, at load: `compute` reads host tensors as they are
/// packed (a filter as [O, R, S, C]) and writes one of the extents that `data` gives. `fp32`: stored in fp32 in every
/// layer; else each element is rounded to the layer's type. `takes_lengths`: `compute` takes the lengths of the layer's
/// axes first.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/rewrite/planner/class_data.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>

#include <algorithm>
#include <type_traits>

namespace inlay::inline INLAY_ABI::planner {

/// Base of symbols that are computed at load.
struct load_symbol {
    static constexpr bool fp32 = false;
    static constexpr bool takes_lengths = false;
};
template <class S>
concept LoadSymbol = std::derived_from<S, load_symbol>;

/// Computes a symbol of the host tensors that are its operands.
template <LoadSymbol S, class To, class... Operand>
void compute_at_load(const Lengths& lengths, const To& to, const Operand&... operand) {
    if constexpr (S::takes_lengths) S::compute(lengths, operand..., to);
    else S::compute(operand..., to);
}

namespace load {

using planner::detail::quotient;

namespace detail {

template <class Tensor>
double at(const Tensor& t, index_t i) {
    return from_storage<double>(t(unravel(i, t.extents)));
}
template <class Tensor>
void set(const Tensor& t, index_t i, double v) {
    t(unravel(i, t.extents)) = to_storage<typename Tensor::value_type>(v);
}
/// Tensors one behind the other, in row-major order.
template <class To, class... Part>
void append(const To& to, const Part&... part) {
    index_t next = 0;
    const auto copy = [&]<class P>(const P& p) {
        const index_t n = count(p.extents);
        if constexpr (std::is_same_v<std::remove_const_t<typename P::value_type>, typename To::value_type>) {
            if (p.contiguous() && to.contiguous()) {
                std::copy_n(p.data, n, to.data + next);
                next += n;
                return;
            }
        }
        for (index_t i = 0; i < n; ++i) set(to, next++, at(p, i));
    };
    (copy(part), ...);
}
constexpr ClassData vector_of(index_t n) {
    return {1, {n}};
}
constexpr ClassData matrix_of(index_t n, index_t k) {
    return {2, {n, k}};
}

}  // namespace detail

}  // namespace load

namespace detail {

template <LoadSymbol S>
struct data_of<S> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = S::data(c);
        d.fp32 = S::fp32;
        return d;
    }
};
template <LoadSymbol S>
struct facts_of<S> {
    static constexpr SymbolFacts value = role_facts(Role::weight);
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner
