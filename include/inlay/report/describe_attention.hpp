// SPDX-License-Identifier: Apache-2.0
/// An attention as its frame hands it to a target: the frame runs on a target that only notes the problem, by the
/// function with which a launch gets it. Tensors need no memory.
#pragma once

#include <inlay/plan/attention/problem.hpp>
#include <inlay/report/attention/mathematics.hpp>
#include <inlay/report/kernel.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

struct NotesAttention {
    KernelReport& l;

    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores, const Epilogue&,
                   const Sink&) {
        l.multiplied = dtype_of<attention_type<Q, K, V>>;
        l.attention = attention_facts<Form, Epilogue>(s, q, k, v, scores).problem;
        l.flops = l.attention.flops();
        l.mathematics = attention_mathematics<Form>(scores);
        note_score_slots(scores, nodes_of<Where<typename Form::condition, typename Form::score, typename Form::output>>{});
        if constexpr (!std::is_same_v<typename Form::number, NoRowStore>)
            note_score_slots(scores, nodes_of<typename Form::number::number>{});
        if (l.attention.wgmma_types)
            for (Operand& each : l.operands) each.boxed = each.kind == OperandKind::input && each.read;
    }
    template <class S>
    void publish_stats(const S&) {}

private:
    template <class Environment, class... N>
    void note_score_slots(const Environment& env, types<N...>) {
        (note_score_slot<N>(env), ...);
    }
    template <class N, class Environment>
    void note_score_slot([[maybe_unused]] const Environment& env) {
        if constexpr (is_buf<N>) {
            Operand& o = l.operands[N::slot];
            if (o.read) return;
            o.kind = OperandKind::score;
            o.read = true;
            o.bytes = static_cast<double>(count(env.template tensor<N::slot>().extents)) *
                      static_cast<double>(bytes(o.dtype));
        }
    }
};

}  // namespace detail

/// Adds to a launch the attention that it is.
template <class K, class P>
void describe_attention(const P& prepared, KernelReport& l) {
    detail::NotesAttention target{l};
    K::run(target, prepared);
}

}  // namespace inlay::inline INLAY_ABI
