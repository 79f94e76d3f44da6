// SPDX-License-Identifier: Apache-2.0
/// A softmax or norm as its decision depends on it: plain numbers, from what a frame hands to a target.
#pragma once

#include <inlay/plan/access/flat_pixels.hpp>

namespace inlay::inline INLAY_ABI {

/// Rows of a softmax, LayerNorm or RMSNorm, beside their number and length: `plan/norm/rows.hpp`.
struct RowFacts {
    int lanes = 8;          ///< elements of a chunk of 16 bytes of the result
    int streamed = 4;       ///< bytes of an element as streamed rows keep it
    bool scales = false;    ///< the operation reads γ
    index_t operands = 0;   ///< bytes of γ and β; 0 where they cannot be copied as they are
    const char* not_stored = nullptr;   ///< the reason why rows cannot be kept as they are stored; null where they can
};

/// `items` of [pixels, channels] each. Rows of a softmax, LayerNorm or RMSNorm are items of one pixel.
struct NormProblem {
    index_t items = 0, pixels = 0, channels = 0;    ///< no items: there is no such work
    int groups = 0;         ///< of channels; 0: whole rows
    int element = 0;        ///< bytes of an input element, of a GroupNorm as it keeps it
    bool evaluated = false; ///< a GroupNorm evaluates its input to floats, else it copies it as it is stored
    RowFacts rows{};        ///< of whole rows

    constexpr double elements() const { return static_cast<double>(items * pixels) * static_cast<double>(channels); }
    /// Bytes moved at least: the input and as large a result, once.
    constexpr double bytes() const { return 2 * elements() * element; }
};

/// True where types, and extents, of a norm over e = [B, ..., C] allow flat pixels.
template <int R, class In, class Epilogue, class Sink>
inline constexpr bool may_be_flat = flat_expression<typename In::expression, R> &&
                                    flat_expression<typename Epilogue::expression, R> && flat_sink<typename Sink::sink>;
template <int R, class In, class Epilogue, class Sink>
constexpr bool is_flat(const Extents<R>& e, const In& in, const Epilogue& epilogue, const Sink& sink) {
    if constexpr (!may_be_flat<R, In, Epilogue, Sink>) return false;
    else return flat_extents(e) && flat_pixels(in, e) && flat_pixels(epilogue, e) && flat_pixels(sink, e);
}

/// Elements of an input that a GroupNorm keeps until all is normalised: as they are stored, or void where they are
/// evaluated to floats.
template <class In, bool Flat>
using kept_type =
    std::conditional_t<Flat,
                       typename detail::stored_type<typename In::env_type, nodes_of<typename In::expression>>::type,
                       void>;

template <int Groups, int R, class In, class Epilogue, class Sink>
constexpr NormProblem group_norm_problem(const Extents<R>& e, const In& in, const Epilogue& epilogue,
                                         const Sink& sink) {
    if (count(e) == 0) return {};
    NormProblem p{e[0], count(e) / (e[0] * e[R - 1]), e[R - 1], Groups, sizeof(float), true};
    if constexpr (may_be_flat<R, In, Epilogue, Sink>) {
        using T = kept_type<In, true>;
        if constexpr (!std::is_void_v<T>)
            if (is_flat(e, in, epilogue, sink)) p.element = static_cast<int>(sizeof(T)), p.evaluated = false;
    }
    return p;
}

}  // namespace inlay::inline INLAY_ABI
