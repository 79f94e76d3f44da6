// SPDX-License-Identifier: Apache-2.0
/// Pages as what they are in memory: a pool with a stride per axis, and a table. Copies read rows of consecutive
/// elements from it at an address that the table gives. The types decide at compile time if an expression has this form.
#pragma once

#include <inlay/expr/affine.hpp>
#include <inlay/expr/view/paged.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

/// Element (b, h, j, c) lies at data + page(b, j / keys) · strides[0] + (j mod keys) · strides[1] + h · strides[2] +
/// c · strides[3]. Batches, keys and pages fit 31 bits. Data is null where an expression is not of this form.
template <class T>
struct PagedView {
    const T* data = nullptr;
    Extents<4> strides{};
    const std::int32_t* table = nullptr;
    Extents<2> table_strides{};
    unsigned keys = 1;      ///< of a page
    int shift = 0;          ///< keys = 2^shift; -1: no power of two
    int last = 0;           ///< the greatest id of a page

    INLAY_FN constexpr unsigned entry_of(unsigned key) const { return shift >= 0 ? key >> shift : key / keys; }
    /// The address of a page's id.
    INLAY_FN constexpr const std::int32_t* id(index_t batch, unsigned key) const {
        return table + batch * table_strides[0] + static_cast<index_t>(entry_of(key)) * table_strides[1];
    }
    /// The first element of key `key` of head `head`, in the page of this id.
    INLAY_FN constexpr const T* row(std::int32_t id, index_t head, unsigned key) const {
        const index_t page = id < 0 ? 0 : id > last ? last : id;
        return data + page * strides[0] + static_cast<index_t>(key - entry_of(key) * keys) * strides[1] +
               head * strides[2];
    }
};

namespace detail {

template <class T, class B, class E>
inline constexpr bool is_pool = false;
template <class T, class B, class P, int I>
inline constexpr bool is_pool<T, B, Paged<P, Buf<I>>> = [] {
    if constexpr (!is_affine<P>) return false;
    else return std::is_same_v<decltype(AffineOf<B>{std::declval<const B&>()}.of(P{})), AffineMap<T, 4>>;
}();

template <class B, class P, int I>
auto paged_view(const B& bound, Paged<P, Buf<I>>) {
    const auto make = [&]<class T>(const AffineMap<T, 4>& m) {
        const auto pool = extents_of<P>(bound.env);
        const auto& table = bound.env.template tensor<I>();
        const PageSize page(pool[1]);
        constexpr index_t most = 0x7fffffff;
        PagedView<T> v;
        if (!m.exists || !m.tensor || pool[1] > most || pool[0] == 0) return v;
        return PagedView<T>{m.tensor + m.start, m.strides, table.data, table.strides,
                            static_cast<unsigned>(page.keys), page.shift,
                            static_cast<int>((pool[0] < most ? pool[0] : most) - 1)};
    };
    return make(AffineOf<B>{bound}.of(P{}));
}

}  // namespace detail

/// True if a bound expression is pages of a tensor of T, by a table.
template <class T, class B>
inline constexpr bool is_paged_of = detail::is_pool<T, B, typename B::expression>;

/// Such an expression as pool and table.
template <class B>
auto paged_view(const B& bound) {
    return detail::paged_view(bound, typename B::expression{});
}

}  // namespace inlay::inline INLAY_ABI
