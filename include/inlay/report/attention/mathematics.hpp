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

template <class Nodes>
inline constexpr bool reads_query_position = false;
template <class... N>
inline constexpr bool reads_query_position<types<N...>> = (is_query_position<N> || ...);

/// Writes the axes along which a tensor of scores varies behind its name: Buf<3>[head], Buf<4>[query, j].
template <class Node, class Environment>
void name_axes([[maybe_unused]] const Environment& env, [[maybe_unused]] AttentionMathematics& m) {
    if constexpr (is_buf<Node>) {
        static constexpr const char* axes[] = {"batch", "head", "query", "j"};
        std::string varying;
        for (int axis = 0; axis < 4; ++axis)
            if (varies<Node::slot>(env, axis)) varying += (varying.empty() ? "" : ", ") + std::string(axes[axis]);
        if (varying.empty()) return;
        const std::string slot = formula_text<Node>(), with_axes = slot + "[" + varying + "]";
        for (std::string* s : {&m.score, &m.keys, &m.computed, &m.row})
            for (std::size_t at = 0; (at = s->find(slot, at)) != s->npos; at += with_axes.size())
                s->replace(at, slot.size(), with_axes);
    }
}
template <class Environment, class... Node>
void name_all_axes(const Environment& env, AttentionMathematics& m, types<Node...>) {
    (name_axes<Node>(env, m), ...);
}
template <class List>
struct distinct_nodes_of;
template <class... E>
struct distinct_nodes_of<types<E...>> {
    using type = unite_types<types<>, nodes_of<E>...>;
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
        const bool moved = env.out[2] != env.out[3] && detail::reads_query_position<nodes_of<Condition>>;
        m.keys = "of query i" + std::string(moved ? ", counted from the end of the keys" : "") + ": " +
                 key_text<Condition>(env);
        m.computed = computed_text<Condition>(env);
        if constexpr (!detail::condition_reads<Condition>::slots) m.blocks = count_blocks<Condition>;
    }
    using All = join_types<types<Condition, typename A::score>, typename A::outputs>;
    detail::name_all_axes(env, m, typename detail::distinct_nodes_of<All>::type{});
    return m;
}

}  // namespace inlay::inline INLAY_ABI
