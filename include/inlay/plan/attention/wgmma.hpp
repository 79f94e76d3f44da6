// SPDX-License-Identifier: Apache-2.0
/// Attention that the engine of sm_90a takes, and the maps of its operands. The launch and `explain` call the same
/// functions. Its copy engine brings Q, K and V from tensors as they lie; an operand that is anything else becomes one
/// before, in workspace.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/expr/affine.hpp>
#include <inlay/expr/view/paged.hpp>
#include <inlay/plan/access/chunks.hpp>
#include <inlay/plan/access/fp8_source.hpp>
#include <inlay/plan/access/product_type.hpp>
#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/schedules.hpp>
#include <inlay/plan/attention/wgmma_schedules.hpp>
#include <inlay/plan/gemm/wgmma.hpp>

namespace inlay::inline INLAY_ABI {

/// Q, K and V as the copy engine maps them: columns, rows, heads, batch.
struct WgmmaAttentionOperands {
    MappedTensor q, k, v;
    const char* refused = nullptr;  ///< the reason for which the engine refuses them
};

namespace detail {

template <class Nodes>
inline constexpr bool reads_slots = false;
template <class... N>
inline constexpr bool reads_slots<types<N...>> = ((is_buf<N> || is_param<N>) || ...);
template <class Expressions>
inline constexpr bool calls_device = false;
template <class... E>
inline constexpr bool calls_device<types<E...>> = (has_function<nodes_of<E>> || ...);

/// True if the types of an operand allow a map.
template <class T, class B>
inline constexpr bool maps_heads = [] {
    if constexpr (!inlay::is_affine<typename B::expression>) return false;
    else return std::is_same_v<decltype(affine_map(std::declval<const B&>())), AffineMap<T, 4>>;
}();

/// Pages are read through their table by the portable engine alone: evaluated, they would be the dense cache that they
/// are there to avoid.
template <class N>
inline constexpr bool is_paged = false;
template <class Pages, class Table>
inline constexpr bool is_paged<node::Paged<Pages, Table>> = true;
template <class Nodes>
inline constexpr bool has_pages = false;
template <class... N>
inline constexpr bool has_pages<types<N...>> = (is_paged<N> || ...);

template <class T, class B>
inline constexpr bool evaluates_pieces =
    !maps_heads<T, B> && has_pieces<typename flatten<typename B::expression>::values>;

/// The map of an operand; of one that is yet to be evaluated, the map of its place in workspace, anywhere.
template <class T, class B>
MappedTensor mapped_heads(const B& bound, const Extents<4>& e) {
    MappedTensor t{reinterpret_cast<const void*>(std::uintptr_t(1) << 40), dtype_of<T>};
    index_t step = 1;
    for (int i = 0; i < 4; ++i) t.extents[i] = e[3 - i], t.strides[i] = step, step *= e[3 - i];
    if constexpr (maps_heads<T, B>) {
        const AffineMap<T, 4> v = affine_map(bound);
        t.data = reinterpret_cast<const void*>(v.address());
        for (int i = 0; i < 4; ++i) t.strides[i] = v.strides[3 - i];
        if (!v.exists) t.strides[0] = 0;    // no engine maps it
    }
    return t;
}

/// True if a tensor is the first columns of another's rows.
inline bool begins_rows_of(const MappedTensor& columns, const MappedTensor& rows) {
    bool same = columns.data == rows.data;
    for (int i = 1; i < 4; ++i)
        same = same && columns.extents[i] == rows.extents[i] &&
               (rows.extents[i] == 1 || columns.strides[i] == rows.strides[i]);
    return same;
}

}  // namespace detail

/// True if an expression reads slots, which the kernel before may write.
template <class E>
inline constexpr bool wgmma_reads_slots = detail::reads_slots<nodes_of<E>>;

/// The powers that a row sums, where it sums those of one number and their products with V: e or 2 to the power of the
/// score less an expression of the row, `relative`. The engine keeps them relative to a number of its own until the
/// end, so that outputs must not change with it.
template <class W>
struct WgmmaPowerOf {
    static constexpr double log2_base = 0;
    using relative = void;
};
template <class M>
    requires(!online::reads_key<M>)
struct WgmmaPowerOf<Exp<Sub<Score, M>>> {
    static constexpr double log2_base = 1.4426950408889634;
    using relative = M;
};
template <class M>
    requires(!online::reads_key<M>)
struct WgmmaPowerOf<Exp2<Sub<Score, M>>> {
    static constexpr double log2_base = 1;
    using relative = M;
};
template <class Algebra>
struct WgmmaPower : WgmmaPowerOf<type_at<0, typename Algebra::row::weights>> {
    using Row = typename Algebra::row;
    static constexpr bool all = Algebra::passes::size == 1 && Row::weights::size == 1 && Row::sums::size == 1 &&
                                Row::vectors::size == 1 && Row::maxima_may_lag && WgmmaPower::log2_base > 0 &&
                                std::is_same_v<typename Row::maxima, types<KeyMax<Score>>>;
};

/// The reason for which types refuse it; null if they allow it.
template <class Form, class Q, class K, class V, class Epilogue>
constexpr const char* wgmma_attention_types_refused() {
    using Algebra = AttentionAlgebra<Form>;
    using T = attention_type<Q, K, V>;
    constexpr bool calls =
        detail::has_device_calls<Epilogue> || detail::calls_device<typename Algebra::outputs> ||
        detail::calls_device<types<typename Algebra::score, typename Algebra::condition>>;
    if constexpr (sizeof(T) != 2) return "Q, K and V are not of one 16-bit type";
    else if constexpr (wgmma_attention_schedules(Algebra::d, Algebra::dv).size == 0)
        return Algebra::dv == Algebra::d ? "it has no schedule for heads of this length"
                                         : "it has no schedule for rows of V of another length than those of Q and K";
    else if constexpr (!WgmmaPower<Algebra>::all)
        return "its rows are no softmax: the engine keeps a maximum, a sum of powers and their sum with V";
    else if constexpr (calls) return "sin and cos are functions on the device";
    else if constexpr (detail::has_pages<nodes_of<typename Q::expression>> ||
                       detail::has_pages<nodes_of<typename K::expression>> ||
                       detail::has_pages<nodes_of<typename V::expression>>)
        return "Q, K or V lies in pages";
    else if constexpr (wgmma_attention_schedules(Algebra::d, Algebra::dv).values_in_keys() &&
                       !(detail::maps_heads<T, Q> && detail::maps_heads<T, K> && detail::maps_heads<T, V>))
        return "rows of this length are copied from tensors as they lie, V with K";
    else return nullptr;
}
/// True if the types of an attention allow it.
template <class Form, class Q, class K, class V, class Epilogue>
inline constexpr bool can_wgmma_attention = wgmma_attention_types_refused<Form, Q, K, V, Epilogue>() == nullptr;

/// Kernels before an attention on sm_90a's engine, each of which evaluates an operand into workspace; by types alone.
struct WgmmaAttentionBefore {
    bool q = false, k = false, v = false;
    bool v_is_k = false;    ///< V is evaluated as K, once for both
    bool of_fp8 = false;    ///< K and V are scaled tensors in fp8, which the portable engine converts in registers
    bool pieces = false;    ///< a view of several pieces is evaluated, as a concatenation

    constexpr bool any() const { return q || k || v; }
    constexpr int kernels() const { return q + k + (v && !v_is_k); }
};
template <class Q, class K, class V>
constexpr WgmmaAttentionBefore wgmma_attention_before() {
    using T = attention_type<Q, K, V>;
    return {!detail::maps_heads<T, Q>, !detail::maps_heads<T, K>, !detail::maps_heads<T, V>,
            std::is_same_v<typename K::expression, typename V::expression>,
            (detail::maps_heads<T, K> || !std::is_void_v<fp8_source_of<K>>) &&
                (detail::maps_heads<T, V> || !std::is_void_v<fp8_source_of<V>>),
            detail::evaluates_pieces<T, Q> || detail::evaluates_pieces<T, K> || detail::evaluates_pieces<T, V>};
}
/// Bytes that these kernels read and write.
template <class Q, class K, class V>
double wgmma_attention_before_bytes(const WgmmaAttentionBefore& before, const Q& q, const K& k, const V& v) {
    using T = attention_type<Q, K, V>;
    double bytes = 0;
    const auto add = [&]<class B>(const B& b) {
        const index_t elements = count(extents_of<typename B::expression>(b.env));
        bytes += read_bytes(b, elements) + static_cast<double>(sizeof(T)) * static_cast<double>(elements);
    };
    if (before.q) add(q);
    if (before.k) add(k);
    if (before.v && !before.v_is_k) add(v);
    return bytes;
}

/// Q of one query, whose rows are the heads that share a key head.
inline MappedTensor wgmma_heads_as_rows(MappedTensor q, const AttentionShape& s) {
    q.strides[1] = q.strides[2];
    q.strides[2] *= s.group;
    q.extents[1] = s.group;
    q.extents[2] = s.heads / larger<index_t>(s.group, 1);
    return q;
}

/// The maps of operands whose types allow them, and of those that are evaluated before; D elements make a row, DV one
/// of V.
template <int D, int DV = D, class Q, class K, class V>
WgmmaAttentionOperands wgmma_attention_operands(const AttentionShape& s, const Q& q, const K& k, const V& v) {
    using T = attention_type<Q, K, V>;
    constexpr index_t limit = index_t(1) << 30;
    const index_t key_heads = s.heads / larger<index_t>(s.group, 1);
    const Extents<4> keys{{s.batch, key_heads, s.keys, D}}, values{{s.batch, key_heads, s.keys, DV}};
    WgmmaAttentionOperands o{detail::mapped_heads<T>(q, {{s.batch, s.heads, s.queries, D}}),
                              detail::mapped_heads<T>(k, keys), detail::mapped_heads<T>(v, values)};
    for (const MappedTensor* t : {&o.q, &o.k, &o.v})
        if (!t->can_map()) o.refused = "rows of Q, K or V do not start at multiples of 16 bytes";
    if (s.queries * s.heads >= limit / larger<index_t>(s.batch, 1) || s.keys >= limit)
        o.refused = "an extent is 2^30 or more";
    if constexpr (wgmma_attention_schedules(D, DV).values_in_keys()) {
        if (s.queries != 1) o.refused = "it has a schedule for one query of heads that share their keys";
        else if (!detail::begins_rows_of(o.v, o.k)) o.refused = "V is not the first columns of K";
        o.q = wgmma_heads_as_rows(o.q, s);
        return o;
    }
    const bool reads_keys = detail::maps_heads<T, K> && detail::maps_heads<T, V>;
    if (reads_keys && s.group > 1 && s.queries < 64)
        o.refused = "few queries of heads that share their keys fill a tile together";
    if (reads_keys && s.group == 1 && s.queries <= 16 && boxed_attention_schedules(sizeof(T), D, DV).size > 0)
        o.refused = "16 queries and fewer fill a tile of the portable engine";
    return o;
}

}  // namespace inlay::inline INLAY_ABI
