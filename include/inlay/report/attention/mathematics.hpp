// SPDX-License-Identifier: Apache-2.0
/// The mathematics of an attention as `explain` prints it.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/online/text.hpp>
#include <inlay/report/attention/key_text.hpp>
#include <inlay/report/kernel.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class List>
struct recurrence_text_of;
template <class... E>
struct recurrence_text_of<types<E...>> {
    static std::string text() { return online::recurrence_text<E...>(); }
};

}  // namespace detail

/// From types alone: `keys` is the condition as it is written.
template <class Form>
AttentionMathematics attention_mathematics() {
    using A = AttentionAlgebra<Form>;
    AttentionMathematics m;
    constexpr bool plain = A::binary || (A::softmax_state && A::scale * A::scale * A::d > 0.999999 &&
                                         A::scale * A::scale * A::d < 1.000001);
    if constexpr (!plain) m.score = detail::formula_text<typename A::score>();
    if constexpr (!A::every_key) m.keys = "j of query i where " + detail::formula_text<typename A::condition>();
    if constexpr (!A::softmax || A::stores_number) m.row = detail::recurrence_text_of<typename A::outputs>::text();
    return m;
}
/// `env`: the slots of the score, with the extents of scores.
template <class Form, class Environment>
AttentionMathematics attention_mathematics(const Environment& env) {
    using A = AttentionAlgebra<Form>;
    using Condition = typename A::condition;
    AttentionMathematics m = attention_mathematics<Form>();
    if constexpr (!A::every_key) {
        const bool moved = env.out[2] != env.out[3];
        m.keys = "of query i" + std::string(moved ? ", counted from the end of the keys" : "") + ": " +
                 key_text<Condition>(env);
        m.computed = computed_text<Condition>(env);
        if constexpr (!detail::condition_reads<Condition>::slots) m.blocks = count_blocks<Condition>;
    }
    return m;
}

}  // namespace inlay::inline INLAY_ABI
