// SPDX-License-Identifier: Apache-2.0
/// Cores that rules alone bring into a layer.
#pragma once

#include <inlay/expr/view/group_moments.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/rewrite/planner/class_data.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>
#include <inlay/rewrite/rebuild.hpp>
#include <inlay/rewrite/upsample_conv.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace core {

/// Operand: x [..., C] → [..., 1], stored in fp32 in every layer.
struct RowMean {
    static constexpr const char* name = "row mean";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::Reduce<reduction::Mean, Axes<-1>, In, Epilogue, Sink>;
};
/// A 3×3 convolution of x upsampled by 2, by phases. Operands: x [B, H, W, C]; w [4, O, 4·C], a `PhaseWeights`.
struct UpsampledConv {
    static constexpr const char* name = "upsampled conv2d";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::UpsampledConv2D<In, Epilogue, Sink>;
};

/// Operands: channel records of x; x [B, ..., C] → [B, 1, ..., C], stored in fp32 in every layer.
template <int Groups>
struct GroupMean {
    static constexpr const char* name = "group mean";
    template <class Epilogue, class Sink, class Records, class X>
    using frame = inlay::Elementwise<inlay::rules::replace_out<Epilogue, inlay::GroupMean<Records, X, Groups>>, Sink>;
};
/// The same of γ / √(variance + Eps). Operands: channel records of x; x; γ.
template <int Groups, double Eps>
struct GroupScale {
    static constexpr const char* name = "group scale";
    template <class Epilogue, class Sink, class Records, class X, class Gamma>
    using frame = inlay::Elementwise<
        inlay::rules::replace_out<Epilogue, Mul<inlay::GroupRstd<Records, X, Groups, Eps>, Gamma>>, Sink>;
};

}  // namespace core

namespace detail {

/// A number of each channel of operand 1.
constexpr ClassData channel_data(const ClassData* c, int n) {
    ClassData d = c[1];
    d.phase = later(like(c, n).phase, d.phase);
    d.pin = Pin::none;
    d.fp32 = true;
    for (int i = 1; i + 1 < d.rank; ++i) d.extents[i] = 1;
    return d;
}
template <int Groups>
struct data_of<core::GroupMean<Groups>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) { return channel_data(c, 2); }
};
template <int Groups, double Eps>
struct data_of<core::GroupScale<Groups, Eps>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) { return channel_data(c, 3); }
};
template <int Groups>
struct facts_of<core::GroupMean<Groups>> {
    static constexpr SymbolFacts value = core_facts(Core::merge, 0, 0);
};
template <int Groups, double Eps>
struct facts_of<core::GroupScale<Groups, Eps>> {
    static constexpr SymbolFacts value = core_facts(Core::merge, 0, 0);
};

template <>
struct data_of<core::RowMean> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 1);
        d.back(0) = 1;
        d.fp32 = true;
        return d;
    }
};
template <>
struct facts_of<core::RowMean> {
    static constexpr SymbolFacts value = core_facts(Core::reduce, 1, 0);
};
template <>
struct data_of<core::UpsampledConv> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        const ClassData d = like(c, 2);
        return {4, {d.extents[0], 2 * d.extents[1], 2 * d.extents[2], c[1].extents[1]}, d.phase};
    }
};
template <>
struct facts_of<core::UpsampledConv> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = core_facts(Core::conv, 1, 1);
        f.rows = f.cols = 2;
        f.phases = PhaseTaps::phases;
        return f;
    }();
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner
