// SPDX-License-Identifier: Apache-2.0
/// Symbols of layers: the operations that an e-graph of a layer is made of. A symbol is an empty type.
#pragma once

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>
#include <inlay/rewrite/planner/facts.hpp>
#include <inlay/rewrite/planner/leaves.hpp>
#include <inlay/rewrite/planner/option_slots.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// A node of the library's expressions, E over Buf<0> … Buf<arity − 1> in place of its operands.
template <class E>
struct Expression {
    using proto = E;
    static constexpr const char* name = "expression";
};
template <int I, Phase P, Dim... D>
struct InputSymbol {
    static constexpr const char* name = "input";
    static constexpr int slot = I;
};
template <class Text, Field F, Layout L, Dim... D>
struct WeightSymbol {
    static constexpr const char* name = "weight";
    static constexpr std::string_view text = Text::view();
    static constexpr Field field = F;
    static constexpr Layout layout = L;
};
/// Its operand, placed by hand.
template <Pin P>
struct PinSymbol {
    static constexpr const char* name = P == Pin::materialize ? "materialize" : "fuse";
};

/// One of N equal parts of the last axis.
template <int I, int N>
struct Part {
    static constexpr const char* name = "part";
};
/// [B, ..., H·D] → [B, H, S, D]. D, here and below: a number, or an axis of the layer.
template <auto D>
struct Heads {
    static constexpr const char* name = "heads";
};
/// [B, H, S, D] → [B, S, H·D].
struct MergedHeads {
    static constexpr const char* name = "merged heads";
};
/// [B, ..., C] → [B, S, C], S the product of the axes between.
struct Tokens {
    static constexpr const char* name = "tokens";
};
/// [B, H·W, C] → [B, H, W, C].
template <Dim H, Dim W>
struct Image {
    static constexpr const char* name = "image";
};
/// The factor of queries of heads of d for a softmax of powers of two: 2^(factor · q·k) = e^(q·k / √d).
constexpr double query_factor(index_t d) { return 1.4426950408889634 * score::inverse_root(static_cast<int>(d)); }
/// That of heads whose width is an axis of the layer, a number.
template <Dim D>
struct QueryFactor {
    static constexpr const char* name = "query factor";
};
/// [B, ...] → [2·B, ...]: the tensor, then the tensor again, as the two halves of guidance begin.
struct Twice {
    static constexpr const char* name = "twice";
};

namespace core {

/// Operands: x [..., K]; w [N, K].
struct Linear {
    static constexpr const char* name = "linear";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::Linear<In, Epilogue, Sink>;
};
/// Operands: x [B, H, W, C]; w [O, R, S, C / groups].
template <class Window>
struct Conv2D {
    static constexpr const char* name = "conv2d";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::Conv2D<Window, In, Epilogue, Sink>;
};
/// Operands: x [B, ..., C]; γ and β [C].
template <int Groups, double Eps>
struct GroupNorm {
    static constexpr const char* name = "group_norm";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::GroupNorm<Groups, In, Epilogue, Sink, Eps>;
};
/// Operands: x [..., C]; γ and β [C].
template <double Eps>
struct LayerNorm {
    static constexpr const char* name = "layer_norm";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::LayerNorm<In, Epilogue, Sink, Eps>;
};
/// Operands: q, k, v [B, H, S, D]; tensors that the options read, as memory has them. A kernel is of one width of
/// heads: where D is an axis, `of_width` has the frames.
template <auto D, class... Option>
struct Attention {
    static constexpr const char* name = "attention";
    template <int Width>
    using of_width = Attention<Width, Option...>;
    template <class Epilogue, class Sink, class Q, class K, class V, class... Tensor>
    using frame =
        inlay::Attention<static_cast<int>(D), Q, K, V, detail::option_over<Option, Tensor...>..., Epilogue, Sink>;
};
/// Operand: x; the reduced axes keep extent 1.
template <class Op, class Over>
struct Reduce {
    static constexpr const char* name = "reduce";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::Reduce<Op, Over, In, Epilogue, Sink>;
};
/// Operand: x [..., C], over its last axis.
struct Softmax {
    static constexpr const char* name = "softmax";
    template <class Epilogue, class Sink, class In>
    using frame = inlay::Softmax<In, Epilogue, Sink>;
};

}  // namespace core

}  // namespace inlay::inline INLAY_ABI::planner
