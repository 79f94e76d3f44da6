// SPDX-License-Identifier: Apache-2.0
/// An attention as its frame hands it to a target: the frame runs on a target that only notes the problem, by the
/// function with which a launch gets it. Tensors need no memory.
#pragma once

#include <inlay/plan/access/fp8_source.hpp>
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
        using T = attention_type<Q, K, V>;
        note_memory<T, Q>();
        note_memory<T, K>();
        note_memory<T, V>();
        if (l.attention.wgmma_types) {
            note_boxed<T, Q>(&Operand::boxed);
            note_boxed<T, K>(&Operand::boxed);
            note_boxed<T, V>(&Operand::boxed);
        }
        if (l.attention.boxes) {
            note_boxed<T, K>(&Operand::key);
            note_boxed<T, V>(&Operand::key);
        }
    }
    template <class S>
    void publish_stats(const S&) {}

private:
    /// Notes the tensor that sm_90's copy engine brings as it lies.
    template <class T, class B>
    void note_boxed(bool Operand::*noted) {
        if constexpr (maps_heads<T, B>)
            note(nodes_of<typename B::expression>{},
                 [noted](Operand& o) { o.*noted = o.kind == OperandKind::input && o.read; });
    }
    /// Notes the tensors that engines load neither as views of one nor by evaluation.
    template <class T, class B>
    void note_memory() {
        if constexpr (is_paged_of<T, B>) {
            note_pool<B>(typename B::expression{});
        } else if constexpr (sizeof(T) == 2 && !std::is_void_v<fp8_source_of<B>>) {
            if constexpr (is_pool<fp8, B, fp8_source_of<B>>) note_pool<B>(fp8_source_of<B>{});
            note(nodes_of<fp8_source_of<B>>{}, [](Operand& o) { o.held = o.dtype == DType::f8; });
        }
    }
    template <class B, class P, class Table>
    void note_pool(Paged<P, Table>) {
        note(nodes_of<P>{}, [](Operand& o) { o.paged = true; });
    }
    template <class... N, class F>
    void note(types<N...>, F&& f) {
        const auto each = [&]<class Node>(Node) {
            if constexpr (is_buf<Node>) f(l.operands[Node::slot]);
        };
        (each(N{}), ...);
    }
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
