// SPDX-License-Identifier: Apache-2.0
/// Paged: keys or values kept in pages of a pool, as servers keep them, in the order of a table of pages. Pages
/// [pages, page, heads, D] by a table [B, n] of int32 are [B, heads, n · page, D]: key j of batch b is row j mod page of
/// page table[b, j / page]. A pool [pages, heads, page, D] is `Paged<Permute<Buf<I>, 0, 2, 1, 3>, Table>`.
/// An id outside the pool reads the nearest page, on every target: a kernel cannot throw. `check_pages`
/// (`exec/pages.hpp`) refuses it before. A pool without pages is refused by `prepare` where there is anything to read.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/view/gather.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// The division of a key by the size of a page, which is a shift where that is a power of two.
struct PageSize {
    index_t keys = 1;
    int shift = 0;      ///< -1: no power of two

    PageSize() = default;
    constexpr explicit PageSize(index_t n) : keys(n > 0 ? n : 1) {
        while (shift < 62 && (index_t(1) << shift) < keys) ++shift;
        if (index_t(1) << shift != keys) shift = -1;
    }
    INLAY_FN constexpr index_t page_of(index_t key) const { return shift >= 0 ? key >> shift : key / keys; }
};

}  // namespace detail

namespace node {

template <class Pages, class Table>
struct Paged : view<Pages, Table> {
    using key = Paged;
    template <int R, int Q>
    static constexpr int rank = 4;
    template <int R, int Q>
    static constexpr bool accepts = R == 4 && Q == 2;
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Paged takes pages [pages, page, heads, D] and a table [B, n]");
    }
    /// The table is read as it is, while cursors are set.
    template <class Environment>
    static constexpr bool reads_int32() {
        return detail::is_int32_slot<Table, Environment>;
    }
    template <bool Ok>
    static constexpr void demand_index() {
        static_assert(Ok, "inlay: the table of Paged is a tensor slot that holds int32");
    }
    struct State {
        index_t pages;
        detail::PageSize page;
    };

    template <class Environment>
    static State bind(const Environment&, const Extents<4>& pool, const Extents<2>&) {
        demand_index<reads_int32<Environment>()>();
        return {pool[0], detail::PageSize(pool[1])};
    }
    template <class Environment>
    static Extents<4> extents(const Environment&, const Extents<4>& pool, const Extents<2>& table) {
        const Extents<4> out{{table[0], pool[2], checked_product(table[1], pool[1]), pool[3]}};
        if (pool[0] == 0 && has_elements(out))
            fail(name<Paged>() + ": the pool " + text(pool) + " has no page that the table " + text(table) +
                 " could name");
        return out;
    }
    /// The page of entry `entry` of the table's row `b`.
    template <class Tensor>
    INLAY_FN static index_t page_at(const Tensor& table, index_t pages, index_t b, index_t entry) {
        const index_t page = table(Extents<2>{{b, entry}});
        return page < 0 ? 0 : page >= pages ? pages - 1 : page;
    }
    template <int K, class B>
    INLAY_FN static Walk<4> enter(const B& bound, const State& s, const Walk<4>& w) {
        const index_t entry = s.page.page_of(w.c[2]), row = w.c[2] - entry * s.page.keys;
        Walk<4> r;
        r.run = w.run;
        r.c = {{page_at(bound.env.template tensor<Table::slot>(), s.pages, w.c[0], entry), row, w.c[1], w.c[3]}};
        if (w.axis == 1) r.axis = 2;
        else if (w.axis == 3) r.axis = 3;
        else if (w.axis == 2) {
            r.axis = 1;
            r.limit(s.page.keys - row);
        } else if (w.axis == 0) {
            r.limit(1);
        }
        return r;
    }
};

}  // namespace node

template <class Pages, class Table>
using Paged = node::Paged<Pages, Table>;

template <Expr Pages, Expr Table>
INLAY_FN constexpr Paged<Pages, Table> paged(Pages, Table) {
    return {};
}

namespace detail {

template <class P, class T, int K>
inline constexpr bool gathers<path_step<node::Paged<P, T>, K>> = true;

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
