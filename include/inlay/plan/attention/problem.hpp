// SPDX-License-Identifier: Apache-2.0
/// An attention as its decision depends on it: plain numbers, from what a frame hands to a target. Tensors need no
/// memory: one without counts as aligned.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/linear_score.hpp>
#include <inlay/plan/attention/schedules.hpp>
#include <inlay/plan/attention/wgmma.hpp>

namespace inlay::inline INLAY_ABI {

struct AttentionProblem {
    AttentionWork work;             ///< of d 0: there is no attention
    double seen = 1;                ///< share of all pairs of a query and a key that the mask leaves
    int specials = 0;               ///< special functions of a score, as tanh is, before its exponential
    bool fp8_cache = false;         ///< K and V are in fp8, whose rows can be multiplied as they lie
    bool last_keys_first = false;   ///< sm_90a's engine visits blocks of keys from the last one on
    bool box_types = false;         ///< types are such that a kernel is compiled to which sm_90's engine copies K and V
    bool boxes = false;             ///< and tensors are such that it can
    bool wgmma_types = false;       ///< types are such that kernels of sm_90a's engine are compiled
    const char* refused = nullptr;  ///< why this engine does not take it
    WgmmaAttentionBefore before;    ///< operands that it leaves to kernels before
    double before_bytes = 0;        ///< read and written by these

    constexpr double flops() const {
        const AttentionShape& s = work.shape;
        const double pairs = static_cast<double>(s.batch * s.heads * s.queries) * static_cast<double>(s.keys) * seen;
        return 2.0 * pairs * (work.d + work.value_columns());
    }
    /// Bytes moved at least: Q and the result, K and V, once. `in_keys`: V is columns of K.
    constexpr double bytes(bool in_keys = false) const {
        const AttentionShape& s = work.shape;
        const double rows = static_cast<double>(s.batch * s.heads * s.queries),
                     keys = static_cast<double>(s.batch * (s.heads / larger<index_t>(s.group, 1)) * s.keys);
        return (rows * (work.d + work.value_columns()) + keys * (work.d + (in_keys ? 0 : work.value_columns()))) *
               work.element_bytes;
    }
};

/// The problem, and what is mapped of it: by sm_90a's engine, and of K and V by the portable one.
struct AttentionFacts {
    AttentionProblem problem;
    WgmmaAttentionOperands operands;
    MappedTensor k, v;
};

namespace detail {

template <class Node>
inline constexpr bool names_head = false;
template <int Axis>
inline constexpr bool names_head<Coord<Axis>> = score_axis<Axis> < 2;

/// Special functions of a score's nodes, each of which a processor of sm_90a computes at the rate of exponentials.
template <class Node>
inline constexpr int specials_of = 0;
template <class E>
inline constexpr int specials_of<Tanh<E>> = 1;
template <class E>
inline constexpr int specials_of<Exp<E>> = 1;
template <class E>
inline constexpr int specials_of<Exp2<E>> = 1;
template <class E>
inline constexpr int specials_of<Log<E>> = 1;
template <class E>
inline constexpr int specials_of<Sigmoid<E>> = 2;
template <class Nodes>
inline constexpr int specials_among = 0;
template <class... N>
inline constexpr int specials_among<types<N...>> = (0 + ... + specials_of<N>);

/// Facts of a condition's nodes: tensors, of which values are needed, and coordinates of the batch or head.
template <class Nodes>
struct ConditionReads;
template <class... N>
struct ConditionReads<types<N...>> {
    static constexpr bool tensors = (is_buf<N> || ...), slots = tensors || (is_param<N> || ...),
                          heads = (names_head<N> || ...);
    /// True if a device may write a scalar that it reads.
    template <class Environment>
    static bool live(const Environment& env) {
        return (live_one<N>(env) || ...);
    }

private:
    template <class Node, class Environment>
    static bool live_one([[maybe_unused]] const Environment& env) {
        if constexpr (is_param<Node>) return env.template scalar<Node::slot>().live != nullptr;
        else return false;
    }
};
template <class Condition>
using condition_reads = ConditionReads<nodes_of<Condition>>;

/// 1 of conditions with tensors, and scalars that a device may write: they are not read here. Terms that are computed
/// count as true. Takes 10 to 50 ns for each query, and of conditions on the head for each row.
template <class Condition, class Environment>
double share_seen(const AttentionShape& s, const Environment& env) {
    using Reads = condition_reads<Condition>;
    if constexpr (std::is_same_v<Condition, Const<1>> || Reads::tensors) return 1;
    else {
        if (Reads::live(env) || s.queries == 0 || s.keys == 0 || s.batch * s.heads == 0) return 1;
        const index_t rows = Reads::heads ? s.batch * s.heads : 1;
        double pairs = 0;
        for (index_t r = 0; r < rows; ++r)
            for (index_t q = 0; q < s.queries; ++q)
                pairs += static_cast<double>(
                    visible_keys<Condition>(env, QueryTile::of({r / s.heads, r % s.heads, q})).size());
        return pairs / (static_cast<double>(rows * s.queries) * static_cast<double>(s.keys));
    }
}

}  // namespace detail

/// True if the types of an attention allow K and V to stay in fp8 until they are multiplied: their rows are scaled
/// tensors, and the weights those of softmax, which fp16 holds.
template <class Form, class Q, class K, class V>
inline constexpr bool can_multiply_fp8 = [] {
    using Algebra = AttentionAlgebra<Form>;
    if constexpr (sizeof(attention_type<Q, K, V>) != 2 || !WgmmaPower<Algebra>::all) return false;
    else return fp8_attention_schedules(Algebra::d, Algebra::dv).size > 0 && is_scaled_fp8_source<K> &&
                is_scaled_fp8_source<V>;
}();

/// True if the types of an attention allow the copy engine of sm_90 to bring K and V to the portable engine.
template <class Form, class Q, class K, class V>
inline constexpr bool can_box_keys = [] {
    using Algebra = AttentionAlgebra<Form>;
    using T = attention_type<Q, K, V>;
    return boxed_attention_schedules(sizeof(T), Algebra::d, Algebra::dv).size > 0 && detail::maps_heads<T, K> &&
           detail::maps_heads<T, V> && Algebra::passes::size == 1 && Algebra::row::vectors::size == 1;
}();

/// `maps`: true if the target has sm_90a's engine, else nothing is looked up for it.
template <class Form, class Epilogue, class Q, class K, class V, class Scores>
AttentionFacts attention_facts(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                               bool maps = true) {
    using Algebra = AttentionAlgebra<Form>;
    constexpr int D = Algebra::d;
    using T = attention_type<Q, K, V>;
    AttentionFacts f;
    AttentionProblem& p = f.problem;
    p.work = {s, D, static_cast<int>(sizeof(T)), Algebra::binary, Algebra::dv, Algebra::row::vectors::size};
    p.specials = detail::specials_among<nodes_of<typename Algebra::score>>;
    if constexpr (score_leans<typename Algebra::score>) {
        using Slots = detail::slots_in<typename Algebra::score>;
        p.last_keys_first = true;
        if constexpr (Slots::any) p.last_keys_first = !Slots::vary(scores, 3);
    }
    p.seen = detail::share_seen<typename Algebra::condition>(s, scores);
    if constexpr (can_multiply_fp8<Form, Q, K, V>) {
        const index_t key_heads = s.heads / larger<index_t>(s.group, 1);
        p.fp8_cache = fp8_rows_in_chunks(k, {{s.batch, key_heads, s.keys, D}}) && fp8_scale_axes(k).one_of_row &&
                      fp8_rows_in_chunks(v, {{s.batch, key_heads, s.keys, Algebra::dv}}) &&
                      fp8_scale_axes(v).one_of_keys;
    }
    if constexpr (can_box_keys<Form, Q, K, V>) {
        p.box_types = true;
        if (maps) {
            const index_t key_heads = s.heads / larger<index_t>(s.group, 1);
            f.k = detail::mapped_heads<T>(k, {{s.batch, key_heads, s.keys, D}});
            f.v = detail::mapped_heads<T>(v, {{s.batch, key_heads, s.keys, Algebra::dv}});
            p.boxes = f.k.can_map() && f.v.can_map();
        }
    }
    p.refused = wgmma_attention_types_refused<Form, Q, K, V, Epilogue>();
    if constexpr (can_wgmma_attention<Form, Q, K, V, Epilogue>) {
        p.wgmma_types = true;
        p.before = wgmma_attention_before<Q, K, V>();
        if (maps) {
            p.before_bytes = wgmma_attention_before_bytes(p.before, q, k, v);
            f.operands = wgmma_attention_operands<D, Algebra::dv>(s, q, k, v);
            p.refused = f.operands.refused;
        }
    }
    return f;
}

}  // namespace inlay::inline INLAY_ABI
