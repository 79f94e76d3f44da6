// SPDX-License-Identifier: Apache-2.0
/// Epilogue prefetch: operands of a tile's epilogue are in registers before the sums are there: leaves that no row
/// moves, such as a bias, once for all rows of a lane, other tensors for as many of its rows as there are registers
/// for.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/tile/gpu/epilogue/generic.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// True if the values of an expression are only read, added and multiplied, which takes few registers.
template <class Node>
inline constexpr bool is_arithmetic = inlay::detail::is_sum<Node> || inlay::detail::is_buf<Node>;
template <class A, class B>
inline constexpr bool is_arithmetic<Add<A, B>> = true;
template <class A, class B>
inline constexpr bool is_arithmetic<Mul<A, B>> = true;
template <class Cursors>
inline constexpr bool only_arithmetic = false;
template <class... V, class Keys, class B, class Acc>
inline constexpr bool only_arithmetic<Cursors<inlay::detail::Flat<types<V...>, Keys>, B, Acc>> =
    (is_arithmetic<typename V::node> && ...);

/// Prefetches n elements of each leaf, at most N.
template <int N>
struct Prefetch {
    int n;

    template <int, class T>
    __device__ INLAY_INLINE void leaf(row_cursor<T>& c) const {
        if constexpr (!std::is_void_v<std::remove_cv_t<T>> && sizeof(T) <= 4) {
            if (c.step != 1) return;
            const char* const p = reinterpret_cast<const char*>(c.p);
            const int bytes = n * static_cast<int>(sizeof(T));
            INLAY_UNROLL
            for (int i = 0; i < N * static_cast<int>(sizeof(T)); i += 128)
                if (i < bytes) prefetch_line(p + i);
        }
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};
/// Goes on by j elements.
struct Further {
    index_t j;

    template <int, class T>
    __device__ INLAY_INLINE void leaf(row_cursor<T>& c) const {
        c.p += j;
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor& c) const { c.first += c.step * j; }
};

/// The reading of a value of an expression, of `Chunks` chunks of a row, N columns each. Chunk b of a row is read at
/// `p`, j elements behind a cursor's pointer.
///
/// Reads late, when the chunk is evaluated, if it is a leaf at all. Pieces are not prefetched: the cursors of those
/// that hold other columns may point beyond their tensors.
template <class C, bool Prefetches>
struct ReadLate {
    static constexpr int columns_packed = 0, packed_row_chunk = 0;
    static constexpr bool late = true;
    template <int N>
    __device__ INLAY_INLINE static void prefetch(C& c, int n, bool) {
        if constexpr (Prefetches) {
            Prefetch<N> f{n};
            each_leaf<0>(c, f);
        }
    }
    __device__ INLAY_INLINE void read_columns(const C&, int, int) {}
    __device__ INLAY_INLINE void read_row(const C&, int, int, int) {}
    template <class Sums>
    __device__ INLAY_INLINE void point(C& c, int, int, const Sums*, int j) const {
        Further f{j};
        each_leaf<0>(c, f);
    }
};
template <class C>
struct ReadNothing {
    static constexpr int columns_packed = 0, packed_row_chunk = 0;
    static constexpr bool late = false;
    template <int>
    __device__ INLAY_INLINE static void prefetch(C&, int, bool) {}
    __device__ INLAY_INLINE void read_columns(const C&, int, int) {}
    __device__ INLAY_INLINE void read_row(const C&, int, int, int) {}
    template <class Sums>
    __device__ INLAY_INLINE void point(C& c, int, int, const Sums* sums, int) const {
        if constexpr (std::is_same_v<C, row_cursor<Sums>>) c.p = sums;
        else if constexpr (std::is_same_v<C, inlay::detail::gate_cursor<Sums>>) c.p = sums + 1;
    }
};
/// Reads a tensor, once for all rows if none moves it.
template <class T, bool Columns, int N, int Chunks, int Rows>
struct EpiloguePrefetch {
    using C = row_cursor<T>;
    static constexpr int of_chunk = N * static_cast<int>(sizeof(T)) / 4, words = Chunks * of_chunk,
                         columns_packed = Columns ? words : 0, packed_row_chunk = Columns ? 0 : words;
    static constexpr bool late = false;
    struct alignas(vector_alignment<T, N>) PackedChunk {
        std::uint32_t word[of_chunk];
    };
    PackedChunk kept[Columns ? 1 : Rows][Chunks];

    template <int Most>
    __device__ INLAY_INLINE static void prefetch(C& c, int n, bool columns) {
        if (!Columns || columns) Prefetch<Most>{n}.template leaf<0>(c);
    }
    __device__ INLAY_INLINE void read_columns(const C& c, int b, int j) {
        if constexpr (Columns) load_packed(c.p + j, kept[0][b].word);
    }
    __device__ INLAY_INLINE void read_row(const C& c, int r, int b, int j) {
        if constexpr (!Columns) load_packed(c.p + j, kept[r][b].word);
    }
    template <class Sums>
    __device__ INLAY_INLINE void point(C& c, int r, int b, const Sums*, int) const {
        c.p = reinterpret_cast<const T*>(&kept[Columns ? 0 : r][b]);
    }
};

/// Keeps a number of each row, which its cursors have.
template <int Chunks, int Rows>
struct KeepRowNumber {
    using C = inlay::detail::row_number_cursor;
    static constexpr int columns_packed = 0, packed_row_chunk = 1;
    static constexpr bool late = false;
    float kept[Rows][Chunks];

    template <int>
    __device__ INLAY_INLINE static void prefetch(C&, int, bool) {}
    __device__ INLAY_INLINE void read_columns(const C&, int, int) {}
    __device__ INLAY_INLINE void read_row(const C& c, int r, int b, int) { kept[r][b] = c.value; }
    template <class Sums>
    __device__ INLAY_INLINE void point(C& c, int r, int b, const Sums*, int) const {
        c.value = kept[r][b];
    }
};

template <class V, class B, class C, int N, int Chunks, int Rows, bool Keeps>
constexpr auto read_kind() {
    using Node = typename V::node;
    if constexpr (inlay::detail::is_buf<Node>) {
        using Leaf = type_at<Node::slot, typename B::env_type::tensors>;
        using T = std::remove_const_t<typename Leaf::value_type>;
        if constexpr (!Keeps || (sizeof(T) != 2 && sizeof(T) != 4)) return ReadLate<C, true>{};
        else return EpiloguePrefetch<T, Leaf::rank == 1 && std::is_same_v<typename V::path, types<>>, N, Chunks, Rows>{};
    } else if constexpr (inlay::detail::is_published<Node>) {
        return KeepRowNumber<Chunks, Rows>{};
    } else if constexpr (inlay::detail::is_coord<Node> || (leaves_of<C> > 0 && !inlay::detail::is_sum<Node>)) {
        constexpr bool pieces = [] {
            if constexpr (Node::kind == NodeKind::view) return Node::piecewise;
            else return false;
        }();
        return ReadLate<C, !pieces>{};
    } else {
        return ReadNothing<C>{};
    }
}
template <class Cursors, int Chunks, int Rows, bool Keeps>
struct kept_of;
template <class... V, class Keys, class B, int N, int Chunks, int Rows, bool Keeps>
struct kept_of<Cursors<inlay::detail::Flat<types<V...>, Keys>, B, Vec<float, N>>, Chunks, Rows, Keeps> {
    template <class... C>
    static auto kinds(const pack<C...>&) -> pack<decltype(read_kind<V, B, C, N, Chunks, Rows, Keeps>())...>;
    using All = Cursors<inlay::detail::Flat<types<V...>, Keys>, B, Vec<float, N>>;
    using type = decltype(kinds(std::declval<All>().cursor));
};
template <class... K>
constexpr int words_of_row(const pack<K...>*) {
    return (K::packed_row_chunk + ... + 0);
}
template <class... K>
constexpr int words_of_columns(const pack<K...>*) {
    return (K::columns_packed + ... + 0);
}
template <class... K>
constexpr bool any_late(const pack<K...>*) {
    return (K::late || ...);
}

}  // namespace detail

/// The operands that a lane reads of `Rows` rows, `Chunks` chunks of each, with about `Spare` registers: no prefetch if
/// they do not hold a row.
template <class Cursors, int Chunks, int Rows, int Spare>
class WgmmaEpiloguePrefetch {
    using All = typename detail::kept_of<Cursors, Chunks, 1, true>::type;
    static constexpr const All* all = nullptr;
    static constexpr int left = Spare - detail::words_of_columns(all), of_row = detail::words_of_row(all);
    static constexpr bool keeps = of_row <= left;

public:
    /// Rows that are kept at once.
    static constexpr int rows = Rows * of_row <= left ? Rows : Rows % 2 == 0 && 2 * of_row <= left ? 2 : 1;

private:
    using Kept = typename detail::kept_of<Cursors, Chunks, rows, keeps>::type;
    using Values = std::make_integer_sequence<int, Kept::size>;

public:
    /// True if chunks are evaluated with the cursors of their row.
    static constexpr bool late = detail::any_late(static_cast<const Kept*>(nullptr));

    /// Prefetches n columns of a row, at most Most; of leaves that no row moves if `columns`.
    template <int Most>
    __device__ INLAY_INLINE static void prefetch(Cursors& c, int n, bool columns) {
        prefetch_each<Most>(c, n, columns, Values{});
    }
    /// Reads chunk b of leaves that no row moves, j elements behind the cursors of some row.
    __device__ INLAY_INLINE void read_columns(const Cursors& c, int b, int j) { columns_of_each(c, b, j, Values{}); }
    /// Reads chunk b of the others into place r.
    __device__ INLAY_INLINE void read_row(const Cursors& c, int r, int b, int j) { row_of_each(c, r, b, j, Values{}); }
    /// Lets cursors read chunk b of place r, and `sums`; j: its distance from their pointers.
    template <class Sums>
    __device__ INLAY_INLINE void point(Cursors& c, int r, int b, const Sums* sums, int j) const {
        point_each(c, r, b, sums, j, Values{});
    }

private:
    Kept kept_;

    template <int Most, int... I>
    __device__ INLAY_INLINE static void prefetch_each(Cursors& c, int n, bool columns,
                                                      std::integer_sequence<int, I...>) {
        (at<I>::template prefetch<Most>(get<I>(c.cursor), n, columns), ...);
    }
    template <int... I>
    __device__ INLAY_INLINE void columns_of_each(const Cursors& c, int b, int j, std::integer_sequence<int, I...>) {
        (get<I>(kept_).read_columns(get<I>(c.cursor), b, j), ...);
    }
    template <int... I>
    __device__ INLAY_INLINE void row_of_each(const Cursors& c, int r, int b, int j, std::integer_sequence<int, I...>) {
        (get<I>(kept_).read_row(get<I>(c.cursor), r, b, j), ...);
    }
    template <class Sums, int... I>
    __device__ INLAY_INLINE void point_each(Cursors& c, int r, int b, const Sums* sums, int j,
                                            std::integer_sequence<int, I...>) const {
        (get<I>(kept_).point(get<I>(c.cursor), r, b, sums, j), ...);
    }
    template <int I>
    using at = std::remove_cvref_t<decltype(get<I>(std::declval<const Kept&>()))>;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
