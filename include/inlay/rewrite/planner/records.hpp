// SPDX-License-Identifier: Apache-2.0
/// Statistics between kernels and layers. A kernel that stores a tensor publishes the records of its rows
/// (`WithRowStats`), and a LayerNorm of that tensor, in this layer or the next one, reads them in the epilogue of the
/// product behind it. Or it publishes the statistics of its channels (`WithStats`), with which a GroupNorm is pointwise.
///
///     return outputs(x, row_records(x));                                     // the layer that computes x
///     linear<"fc", N, K>(layer_norm<"norm", K>(recorded(x, records)))        // one that reads both
///     silu(group_norm<"norm", C, 32>(recorded(x, channels)))                 // the same of `channel_records(x)`
///
/// The rules of `rules/recorded_layer_norm.hpp` and `rules/recorded_group_norm.hpp` use it, the latter within a layer by
/// itself; without them a recorded tensor is the tensor.
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
/// Operand: x [B, ..., C] → [B, C, 2], which the kernel that stores x publishes.
struct ChannelRecords {
    static constexpr const char* name = "channel records";
};
/// Operands: x; the records of its rows or of its channels. It is x.
struct Recorded {
    static constexpr const char* name = "recorded";
};

/// The records of the rows of X, an output of the kernel that stores X.
template <Expr X>
constexpr Result<RowRecords, X> row_records(X) {
    return {};
}
/// The statistics of the channels of X, an output of the kernel that stores X.
template <Expr X>
constexpr Result<ChannelRecords, X> channel_records(X) {
    return {};
}
/// X, of which these are records: `row_records(X)` or `channel_records(X)`, of this layer or the one before.
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
struct data_of<ChannelRecords> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        return {3, {c[0].extents[0], c[0].back(0), 2}, c[0].phase, Pin::none, true};
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
struct facts_of<ChannelRecords> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = role_facts(Role::records);
        f.of_channels = true;
        return f;
    }();
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
