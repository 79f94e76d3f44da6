// SPDX-License-Identifier: Apache-2.0
/// The mathematics of an attention as `explain` prints it: only what is not that of softmax over all keys.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/online/text.hpp>
#include <inlay/report/attention/block_counts.hpp>
#include <inlay/report/attention/key_text.hpp>

namespace inlay::inline INLAY_ABI {

struct AttentionMathematics {
    std::string score;          ///< over Q·K; empty where it is Q·K / √D, or Q·K as exponents of 2
    std::string keys;           ///< of a query, as intervals; empty where it is all of them
    std::string computed;       ///< the terms of the condition that are computed at each score
    std::string row;            ///< the recurrence, a line each; empty of softmax
    BlockCounts (*blocks)(const AttentionShape&, const AttentionTile&) = nullptr;   ///< null where slots decide
};

namespace detail {

template <class List>
struct recurrence_text_of;
template <class... E>
struct recurrence_text_of<types<E...>> {
    static std::string text() { return online::recurrence_text<E...>(); }
};

}  // namespace detail

/// `env`: the slots of the score, with the extents of scores.
template <class Form, class Environment>
AttentionMathematics attention_mathematics(const Environment& env) {
    using A = AttentionAlgebra<Form>;
    using Condition = typename A::condition;
    AttentionMathematics m;
    constexpr bool plain = A::binary || (A::softmax_state && A::scale * A::scale * A::d > 0.999999 &&
                                         A::scale * A::scale * A::d < 1.000001);
    if constexpr (!plain) m.score = detail::formula_text<typename A::score>();
    if constexpr (!A::every_key) {
        const bool moved = env.out[2] != env.out[3];
        m.keys = "of query i" + std::string(moved ? ", counted from the end of the keys" : "") + ": " +
                 key_text<Condition>(env);
        m.computed = computed_text<Condition>(env);
        if constexpr (detail::reads_no_slot<nodes_of<Condition>>) m.blocks = count_blocks<Condition>;
    }
    if constexpr (!A::softmax || A::stores_number) m.row = detail::recurrence_text_of<typename A::outputs>::text();
    return m;
}

}  // namespace inlay::inline INLAY_ABI
