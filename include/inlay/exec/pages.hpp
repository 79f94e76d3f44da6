// SPDX-License-Identifier: Apache-2.0
/// Checks of page tables, of which kernels clamp what lies outside.
#pragma once

#include <inlay/exec/tensor.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class T>
concept Int32 = Storage<T> && std::is_same_v<std::remove_const_t<T>, std::int32_t>;

/// Checks the first `entries` entries of row b.
template <Int32 T>
void check_row(const Tensor<T, 2>& table, index_t b, index_t entries, index_t pages) {
    for (index_t i = 0; i < entries; ++i) {
        const index_t page = table({{b, i}});
        require(page >= 0 && page < pages, "page table ", text(table.extents), ": entry ", i, " of row ", b, " is ",
                page, ", but the pool has ", pages, " pages");
    }
}

}  // namespace detail

/// Throws, naming the first bad entry, if one of a table [B, n] is no page of a pool of `pages`. The table lies in
/// memory of the host.
template <detail::Int32 T>
void check_pages(const Tensor<T, 2>& table, index_t pages) {
    for (index_t b = 0; b < table.extents[0]; ++b) detail::check_row(table, b, table.extents[1], pages);
}

/// The same of the entries by which the first lengths[b] keys of each batch b are read; what follows may be anything.
/// `page`: keys of a page, at least 1. The lengths lie in memory of the host too.
template <detail::Int32 T, detail::Int32 L>
void check_pages(const Tensor<T, 2>& table, index_t pages, index_t page, const Tensor<L, 1>& lengths) {
    require(page >= 1, "page table ", text(table.extents), ": a page has ", page, " keys, expected at least 1");
    require(lengths.extents[0] == table.extents[0], "page table ", text(table.extents), ": ", lengths.extents[0],
            " lengths for ", table.extents[0], " rows");
    for (index_t b = 0; b < table.extents[0]; ++b) {
        const index_t length = lengths({{b}}), entries = length / page + (length % page > 0);
        require(length >= 0 && entries <= table.extents[1], "page table ", text(table.extents), ": row ", b, " has ",
                length, " keys, expected 0 to ", checked_product(table.extents[1], page));
        detail::check_row(table, b, entries, pages);
    }
}

}  // namespace inlay::inline INLAY_ABI
