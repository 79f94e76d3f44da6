// SPDX-License-Identifier: Apache-2.0
/// Evaluation along a row: cursors are set once per run, then values are computed lane by lane or vector by vector.
///
/// A reader, which the target brings, loads the leaves: `Reader::value` is the type computed with, float, double or a
/// short vector of them, and `reader.load(pointer, step, j)` reads elements j, j+step, … Where `Reader::coarse`, values
/// are rounded to 16 bits next, and an operation that has `apply_coarsely` may take that.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/flatten.hpp>
#include <inlay/expr/view/group_moments.hpp>
#include <inlay/expr/view/published.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

template <class F, class B, class Acc>
struct Cursors;

/// Distance of the accumulators of `OutGate` behind those of `Out`: a row comes in pieces of as many numbers, or in
/// chunks.
template <class Acc>
inline constexpr int gate_distance = std::is_arithmetic_v<Acc> ? 512 : 1;

namespace detail {

struct no_cursor {};
template <class T>
struct row_cursor {
    const T* p = nullptr;
    index_t step = 0;
};
/// Cursor of `OutGate`, which lies `gate_distance` accumulators behind those that `Out` reads.
template <class Acc>
struct gate_cursor {
    const Acc* p = nullptr;
    index_t step = 1;
};
struct coord_cursor {
    index_t first = 0, step = 0;
};
/// Cursor of a number of a row, which was merged when it was placed.
struct row_number_cursor {
    float value = 0;
};

template <class V, class B, class Acc>
struct piece_cursor;

template <class Acc, int I, class Node, class Path, class B>
auto cursor_type(Value<Node, Path>, const B*) {
    if constexpr (is_buf<Node>)
        return row_cursor<std::remove_const_t<
            typename type_at<Node::slot, typename B::env_type::tensors>::value_type>>{};
    else if constexpr (std::is_same_v<Node, Out>) return row_cursor<Acc>{};
    else if constexpr (std::is_same_v<Node, OutGate>) return gate_cursor<Acc>{};
    else if constexpr (is_coord<Node> || is_query_position<Node>) return coord_cursor{};
    else if constexpr (is_published<Node> || is_group_number<Node>) return row_number_cursor{};
    else if constexpr (Node::kind == NodeKind::view) return piece_cursor<Value<Node, Path>, B, Acc>{};
    else return no_cursor{};
}

template <class Acc, class B, class List>
struct cursor_pack;
template <class Acc, class B, class... V>
struct cursor_pack<Acc, B, types<V...>> {
    using type = pack<decltype(cursor_type<Acc, 0>(V{}, static_cast<const B*>(nullptr)))...>;
};

/// One operand list per piece of a piecewise view.
template <class Node, class Path, class B, class Acc, class Children, class Seq>
struct piece_lists;
template <class Node, class Path, class B, class Acc, class... K, int... I>
struct piece_lists<Node, Path, B, Acc, types<K...>, std::integer_sequence<int, I...>> {
    using type = pack<Cursors<flatten<K, join_types<Path, types<path_step<Node, I>>>>, B, Acc>...>;
};
template <class Node, class Path, class B, class Acc>
struct piece_cursor<Value<Node, Path>, B, Acc> {
    int active = -1;
    typename piece_lists<Node, Path, B, Acc, typename Node::children,
                         std::make_integer_sequence<int, Node::pieces>>::type piece;
};

template <class T, int R>
INLAY_FN constexpr index_t offset(const Extents<R>& c, const T& strides) {
    index_t o = 0;
    for (int i = 0; i < R; ++i) o += c[i] * strides[i];
    return o;
}

}  // namespace detail

/// The cursors of a list of values, for one run of one row.
template <class... V, class Keys, class B, class Acc>
struct Cursors<detail::Flat<types<V...>, Keys>, B, Acc> {
    using F = detail::Flat<types<V...>, Keys>;
    using list = types<V...>;
    typename detail::cursor_pack<Acc, B, list>::type cursor;

    /// Places every cursor at the walk's start and narrows `root.run`. `acc`: the accumulators `Out` reads, at the
    /// walk's start, contiguous along the row.
    template <int R>
    INLAY_FN INLAY_WITH_CALLER void place(const B& bound, Walk<R>& root, const Acc* acc) {
        place_each(bound, root, acc, std::make_integer_sequence<int, list::size>{});
    }

    /// The value of the whole expression at element j of the run.
    template <class Reader>
    INLAY_FN INLAY_INLINE typename Reader::value eval(const B& bound, const Reader& reader, index_t j) const {
        return eval_each(bound, reader, j, std::make_integer_sequence<int, list::size>{});
    }

private:
    template <int R, int... I>
    INLAY_FN INLAY_WITH_CALLER void place_each(const B& b, Walk<R>& root, const Acc* acc,
                                               std::integer_sequence<int, I...>) {
        (place_one<V>(get<I>(cursor), b, root, acc), ...);
    }

    template <class W, class C, int R>
    INLAY_FN INLAY_WITH_CALLER static void place_one(C& c, const B& b, Walk<R>& root, const Acc* acc) {
        using Node = typename W::node;
        if constexpr (detail::is_buf<Node>) {
            auto w = detail::follow(b, root, typename W::path{});
            const auto& t = b.env.template tensor<Node::slot>();
            const auto leaf = clamped_walk(w, t.extents);
            c.p = t.data + detail::offset(leaf.c, t.strides);
            c.step = leaf.axis < 0 ? 0 : t.strides[leaf.axis];
            root.limit(w.run);
        } else if constexpr (detail::is_sum<Node>) {
            static_assert(std::is_same_v<typename W::path, types<>>,
                          "inlay: Out is read at its own coordinate only: no view may stand above it");
            c.p = std::is_same_v<Node, OutGate> && acc ? acc + gate_distance<Acc> : acc;
            c.step = 1;
        } else if constexpr (detail::is_coord<Node>) {
            auto w = detail::follow(b, root, typename W::path{});
            constexpr int Q = decltype(w.c)::rank;
            constexpr int axis = Node::axis < 0 ? Node::axis + Q : Node::axis;
            static_assert(axis >= 0 && axis < Q, "inlay: Coord names an axis that the expression does not have");
            c.first = w.c[axis];
            c.step = w.axis == axis ? 1 : 0;
            root.limit(w.run);
        } else if constexpr (detail::is_query_position<Node>) {
            static_assert(B::env_type::out_rank == 4 && R == 4 && std::is_same_v<typename W::path, types<>>,
                          "inlay: QueryPosition is read in the score of an attention, and not below a view");
            c.first = root.c[2] + b.env.out[3] - b.env.out[2];
            c.step = root.axis == 2 ? 1 : 0;
        } else if constexpr (detail::is_published<Node>) {
            const auto& s = b.template state_of<Node>();
            const auto w = clamped_walk(detail::follow(b, root, typename W::path{}), s.extents);
            root.limit(w.axis < 0 ? w.run : 1);
            c.value = detail::published_at<float, Node>(
                b.env.template tensor<type_at<0, typename Node::children>::slot>(), w.c);
        } else if constexpr (detail::is_group_number<Node>) {
            const auto& s = b.template state_of<Node>();
            const auto w = clamped_walk(detail::follow(b, root, typename W::path{}), s.extents);
            root.limit(w.axis < 0 ? w.run : 1);
            c.value = detail::group_number_at<float, Node>(
                b.env.template tensor<type_at<0, typename Node::children>::slot>(), s.state, w.c[0], w.c.back(0));
        } else if constexpr (Node::kind == NodeKind::view) {
            const auto& s = b.template state_of<Node>();
            auto w = clamped_walk(detail::follow(b, root, typename W::path{}), s.extents);
            c.active = Node::piece(s.state, w);
            root.limit(w.run);
            place_piece(c, b, root, acc, std::make_integer_sequence<int, Node::pieces>{});
        }
    }
    template <class C, int R, int... I>
    INLAY_FN INLAY_WITH_CALLER static void place_piece(C& c, const B& b, Walk<R>& root, const Acc* acc,
                                                       std::integer_sequence<int, I...>) {
        ((c.active == I ? get<I>(c.piece).place(b, root, acc) : void()), ...);
    }

    template <class Reader, int... I>
    INLAY_FN INLAY_INLINE typename Reader::value eval_each(const B& b, const Reader& r, index_t j,
                                                           std::integer_sequence<int, I...>) const {
        typename Reader::value memo[list::size];
        ((memo[I] = eval_one<I, V>(b, r, j, memo)), ...);
        return memo[list::size - 1];
    }

    template <int I, class W, class Reader, class T>
    INLAY_FN INLAY_INLINE T eval_one(const B& b, const Reader& r, index_t j, T* memo) const {
        using Node = typename W::node;
        using S = typename Reader::scalar;
        const auto& c = get<I>(cursor);
        if constexpr (detail::is_buf<Node> || detail::is_sum<Node>) return r.load(c.p, c.step, j);
        else if constexpr (detail::is_coord<Node> || detail::is_query_position<Node>)
            return r.iota(static_cast<S>(c.first + c.step * j), static_cast<S>(c.step));
        else if constexpr (detail::is_published<Node> || detail::is_group_number<Node>) return T(static_cast<S>(c.value));
        else if constexpr (detail::is_const<Node>) return T(static_cast<S>(Node::value));
        else if constexpr (detail::is_param<Node>) return T(b.env.template scalar<Node::slot>().template as<S>());
        else if constexpr (Node::kind == NodeKind::view)
            return eval_piece<Node>(c, b, r, j, std::make_integer_sequence<int, Node::pieces>{});
        else return apply<Node, typename W::path, Reader>(memo, typename Node::children{});
    }

    template <class Node, class C, class Reader, int... I>
    INLAY_FN INLAY_INLINE typename Reader::value eval_piece(const C& c, const B& b, const Reader& r, index_t j,
                                                            std::integer_sequence<int, I...>) const {
        typename Reader::value v{};
        if constexpr (requires { Node::fill; })
            v = typename Reader::value(static_cast<typename Reader::scalar>(Node::fill));
        ((c.active == I ? (v = get<I>(c.piece).eval(b, r, j), void()) : void()), ...);
        return v;
    }

    template <class Node, class Path, class Reader, class T, class... K>
    INLAY_FN INLAY_INLINE static T apply(T* memo, types<K...>) {
        if constexpr (requires { requires Reader::coarse; Node::apply_coarsely(memo[index_of<F, K, Path>]...); })
            return Node::apply_coarsely(memo[index_of<F, K, Path>]...);
        else return Node::apply(memo[index_of<F, K, Path>]...);
    }
};

/// The cursors of expression E.
template <class E, class B, class Acc = float>
using CursorsOf = Cursors<flatten<E>, B, Acc>;

/// Reads one element at a time as S.
template <class S>
struct ScalarReader {
    using scalar = S;
    using value = S;
    template <class T>
    INLAY_FN INLAY_INLINE S load(const T* p, index_t step, index_t j) const {
        return from_storage<S>(p[j * step]);
    }
    INLAY_FN INLAY_INLINE S iota(S first, S) const { return first; }
};

/// The value of a bound expression at one coordinate of its domain; `sum`: the value of `Out` there.
template <class S, class B, int R>
INLAY_FN S value_at(const B& bound, const Extents<R>& c, S sum = S(0)) {
    Walk<R> w{c, -1, 1};
    CursorsOf<typename B::expression, B, S> cursors;
    cursors.place(bound, w, &sum);
    return cursors.eval(bound, ScalarReader<S>{}, 0);
}

}  // namespace inlay::inline INLAY_ABI

INLAY_STRICT_DEVICE_END
