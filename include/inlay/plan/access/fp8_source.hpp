// SPDX-License-Identifier: Apache-2.0
/// The one tensor in fp8 of an expression that computes with it, as keys and their scales: its rows can be on their way
/// as they lie in memory, half the bytes of what is evaluated from them later. Where the rest is a scale of whole rows,
/// they are multiplied as they lie, and their products scaled.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/plan/access/paged_view.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class Tensors, class N>
constexpr bool reads_fp8();
template <class Tensors, class... N>
constexpr bool any_reads_fp8(types<N...>) {
    return (reads_fp8<Tensors, N>() || ...);
}
template <class Tensors, class N>
constexpr bool reads_fp8() {
    if constexpr (is_buf<N>) return dtype_of<typename type_at<N::slot, Tensors>::value_type> == DType::f8;
    else return any_reads_fp8<Tensors>(typename N::children{});
}

template <class B, class E>
struct fp8_source;
/// The source of the one operand that has one; void of several.
template <class B, class Children>
struct fp8_source_among;
template <class B, class... K>
struct fp8_source_among<B, types<K...>> {
    using Tensors = typename B::env_type::tensors;
    static constexpr int those = (static_cast<int>(reads_fp8<Tensors, K>()) + ... + 0);
    using list = join_types<std::conditional_t<reads_fp8<Tensors, K>(), types<K>, types<>>...>;
    static auto get() {
        if constexpr (those == 1) return fp8_source<B, type_at<0, list>>{};
        else return std::type_identity<void>{};
    }
    using type = typename decltype(get())::type;
};
template <class B, class E>
struct fp8_source {
    static auto get() {
        if constexpr (E::kind == NodeKind::pointwise) {
            return fp8_source_among<B, typename E::children>{};
        } else if constexpr (is_pool<fp8, B, E>) {
            return std::type_identity<E>{};
        } else if constexpr (is_affine<E>) {
            using Map = decltype(AffineOf<B>{std::declval<const B&>()}.of(E{}));
            return std::type_identity<std::conditional_t<std::is_same_v<Map, AffineMap<fp8, 4>>, E, void>>{};
        } else {
            return std::type_identity<void>{};
        }
    }
    using type = typename decltype(get())::type;
};

}  // namespace detail

/// The part of a bound expression that is views of a tensor [.., .., .., D] in fp8, or pages of it, with operations
/// above it alone; void where there is none, or another place that reads fp8.
template <class B>
using fp8_source_of = typename detail::fp8_source<B, typename B::expression>::type;

namespace detail {

/// The other factor of a product with S; void where an expression is none.
template <class E, class S>
struct factor_of {
    using type = void;
};
template <class S, class X>
struct factor_of<Mul<S, X>, S> {
    using type = X;
};
template <class S, class X>
struct factor_of<Mul<X, S>, S> {
    using type = X;
};

}  // namespace detail

/// The scale of that part, where the expression is its product with one; else void.
template <class B>
using fp8_factor_of = typename detail::factor_of<typename B::expression, fp8_source_of<B>>::type;

/// A scale's axes: it is one number along a row, and along all keys too.
struct ScaleAxes {
    bool one_of_row = false, one_of_keys = false;
};
template <class Scale, class Env>
ScaleAxes scale_axes(const Env& env) {
    const auto e = extents_of<Scale>(env);
    ScaleAxes a{true, true};
    if constexpr (e.rank > 0) a.one_of_row = e.back(0) == 1;
    if constexpr (e.rank > 1) a.one_of_keys = e.back(1) == 1;
    a.one_of_keys = a.one_of_keys && a.one_of_row;
    return a;
}

/// Such a part as it lies in memory.
template <class S, class B>
auto fp8_view(const B& bound) {
    if constexpr (detail::is_pool<fp8, B, S>) {
        return detail::paged_view(bound, S{});
    } else {
        const AffineMap<fp8, 4> m = detail::AffineOf<B>{bound}.of(S{});
        return AffineView<fp8, 4>{m.exists && m.tensor ? m.tensor + m.start : nullptr, m.strides};
    }
}

/// True of a tensor in fp8, or pages of one, and of its product with a scale, by type.
template <class B>
inline constexpr bool is_scaled_fp8_source =
    !std::is_void_v<fp8_source_of<B>> &&
    (std::is_same_v<fp8_source_of<B>, typename B::expression> || !std::is_void_v<fp8_factor_of<B>>);

/// The axes of its scale; one number where there is none.
template <class B>
ScaleAxes fp8_scale_axes(const B& bound) {
    if constexpr (std::is_void_v<fp8_factor_of<B>>) return {true, true};
    else return scale_axes<fp8_factor_of<B>>(bound.env);
}

/// True if rows of that tensor, of `extents`, are chunks of 16 bytes at multiples of as many. One without memory counts
/// as aligned.
template <class B>
bool fp8_rows_in_chunks(const B& bound, const Extents<4>& extents) {
    using S = fp8_source_of<B>;
    if (extents_of<S>(bound.env) != extents || extents[3] % 16 != 0) return false;
    const auto in_chunks = [](const AffineMap<fp8, 4>& m, const Extents<4>& e) {
        bool ok = m.exists && m.address() % 16 == 0 && m.strides[3] == 1;
        for (int i = 0; i < 3; ++i) ok = ok && (e[i] == 1 || m.strides[i] % 16 == 0);
        return ok;
    };
    if constexpr (detail::is_pool<fp8, B, S>) {
        using Pool = type_at<0, typename S::children>;
        const AffineMap<fp8, 4> m = detail::AffineOf<B>{bound}.of(Pool{});
        return in_chunks(m, extents_of<Pool>(bound.env)) && (!m.tensor || fp8_view<S>(bound).data);
    } else {
        return in_chunks(detail::AffineOf<B>{bound}.of(S{}), extents);
    }
}

}  // namespace inlay::inline INLAY_ABI
