// SPDX-License-Identifier: Apache-2.0
/// Cores that rules alone bring into a layer.
#pragma once

#include <inlay/rewrite/planner/class_data.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>
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

}  // namespace core

namespace detail {

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
