// SPDX-License-Identifier: Apache-2.0
/// Statistics of rows between layers: a kernel that stores a tensor publishes the records of its rows (`WithRowStats`),
/// and a LayerNorm of that tensor, in this layer or the next one, reads them in the epilogue of the product behind it.
///
///     return outputs(x, row_records(x));                                     // the layer that computes x
///     linear<"fc", N, K>(layer_norm<"norm", K>(recorded(x, records)))        // one that reads both
///
/// The rules of `rules/recorded_layer_norm.hpp` use it; without them a recorded tensor is the tensor.
#pragma once

#include <inlay/expr/view/published.hpp>
#include <inlay/rewrite/planner/class_data.hpp>
#include <inlay/rewrite/planner/leaves.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// Records have an eighth of the columns of their rows: a part of 16 columns has two numbers. So rows that are recorded
/// have a multiple of 16 columns, at least 32.
inline constexpr int columns_of_number = 8;

/// Operand: x [..., C] → [..., C / 8], which the kernel that stores x publishes.
struct RowRecords {
    static constexpr const char* name = "row records";
};
/// Operands: x; the records of its rows. It is x.
struct Recorded {
    static constexpr const char* name = "recorded";
};

/// The records of the rows of X, an output of the kernel that stores X.
template <Expr X>
constexpr Result<RowRecords, X> row_records(X) {
    return {};
}
/// X, whose rows have these records: `row_records(X)`, of this layer or the one before.
template <Expr X, Expr Records>
constexpr Result<Recorded, X, Records> recorded(X, Records) {
    return {};
}

namespace detail {

template <>
struct data_of<RowRecords> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 1);
        d.back(0) = quotient(d.back(0), columns_of_number);
        d.fp32 = true;
        return d;
    }
};
template <>
struct data_of<Recorded> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) { return c[0]; }
};
template <>
struct facts_of<RowRecords> {
    static constexpr SymbolFacts value = role_facts(Role::records);
};
template <>
struct facts_of<Recorded> {
    static constexpr SymbolFacts value = role_facts(Role::view);
};

/// A number of a row, which is in no memory: the epilogue that reads it merges the record.
constexpr ClassData published_data(const ClassData* c, int n) {
    ClassData d = like(c, n);
    d.back(0) = 1;
    d.fp32 = true;
    d.pin = Pin::fuse;
    return d;
}
template <class E>
struct view_data<PublishedMean<E>> {
    static constexpr ClassData make(const ClassData* c, int n) { return published_data(c, n); }
};
template <class E, inlay::detail::Real Eps>
struct view_data<node::PublishedRstd<E, Eps>> {
    static constexpr ClassData make(const ClassData* c, int n) { return published_data(c, n); }
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner
