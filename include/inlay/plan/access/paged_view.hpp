// SPDX-License-Identifier: Apache-2.0
/// Pages as what they are in memory: a pool with a stride per axis, and a table. Copies read rows of consecutive
/// elements from it at an address that the table gives. The types decide at compile time if an expression has this form.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/expr/affine.hpp>
#include <inlay/expr/view/paged.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

/// Division of numbers below 2^31 by one that is known before a kernel, as a product (Granlund and Montgomery, 1994).
struct FastDivision {
    unsigned by = 1, factor = 0;
    int shift = 0;

    FastDivision() = default;
    constexpr explicit FastDivision(unsigned n) : by(n) {
        int bits = 0;
        while (bits < 31 && (1u << bits) < n) ++bits;
        shift = bits - 1;
        factor = static_cast<unsigned>(((std::uint64_t(1) << (31 + bits)) + n - 1) / n);
    }
    INLAY_FN constexpr unsigned operator()(unsigned x) const {
        return by == 1 ? x : static_cast<unsigned>((static_cast<std::uint64_t>(x) * factor) >> 32) >> shift;
    }
};

/// Element (b, h, j, c) lies at data + page(b, j / keys) · strides[0] + (j mod keys) · strides[1] + h · strides[2] +
/// c · strides[3], of which a kernel computes all but the first product in 32 bits. Data is null where an expression is
/// not of this form.
template <class T>
struct PagedView {
    const T* data = nullptr;
    Extents<4> strides{};
    const std::int32_t* table = nullptr;
    index_t table_row = 0;
    unsigned table_step = 0;
    FastDivision keys;      ///< of a page
    unsigned page_stride = 0, key_stride = 0, head_stride = 0;
    int last = 0;           ///< the greatest id of a page

    /// The address of the id of a key's page.
    INLAY_FN constexpr const std::int32_t* id(index_t batch, unsigned key) const {
        return table + batch * table_row + static_cast<std::uint64_t>(keys(key)) * table_step;
    }
    /// The first element of key `key` of head `head`, in the page of this id.
    INLAY_FN constexpr const T* row(std::int32_t id, unsigned head, unsigned key) const {
        const int page = id < 0 ? 0 : id > last ? last : id;
        const unsigned in_page = (key - keys(key) * keys.by) * key_stride + head * head_stride;
        return data + (static_cast<std::uint64_t>(static_cast<unsigned>(page)) * page_stride + in_page);
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
        constexpr index_t most = 0x7fffffff;
        const auto fits = [](index_t n) { return n >= 0 && n <= most; };
        const auto to_32 = [](index_t n) { return static_cast<unsigned>(n); };
        PagedView<T> v;
        const index_t keys = larger<index_t>(pool[1], 1), in_page = checked_sum(
            checked_product(keys - 1, m.strides[1]), checked_product(larger<index_t>(pool[2], 1) - 1, m.strides[2]));
        if (!m.exists || !m.tensor || pool[0] == 0 || !fits(m.strides[0]) || !fits(m.strides[1]) ||
            !fits(m.strides[2]) || !fits(table.strides[1]) || !fits(keys) || !fits(in_page))
            return v;
        v.data = m.tensor + m.start;
        v.strides = m.strides;
        v.table = table.data;
        v.table_row = table.strides[0];
        v.table_step = to_32(table.strides[1]);
        v.keys = FastDivision(to_32(keys));
        v.page_stride = to_32(m.strides[0]), v.key_stride = to_32(m.strides[1]), v.head_stride = to_32(m.strides[2]);
        v.last = static_cast<int>(smaller<index_t>(pool[0], most) - 1);
        return v;
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
