// SPDX-License-Identifier: Apache-2.0
/// The type in which products and attention multiply: the 16-bit type in which all operands are stored, else float.
/// Both 16-bit types hold every fp8, so that an operand in fp8, with the factor that scales it, does not count. Kernels,
/// the launch and `explain` take it from here.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/paged.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// The nodes whose values make those of N. The index of a gather, or a table of pages, is none of them.
template <class N>
struct value_children {
    using type = typename N::children;
};
template <class Table, class Index, index_t Axis>
struct value_children<node::Gather<Table, Index, Axis>> {
    using type = types<Table>;
};

template <class Pages, class Table>
struct value_children<node::Paged<Pages, Table>> {
    using type = types<Pages>;
};

/// True where all values that an expression reads are stored as T. A cast counts as stored in the type it casts to.
template <class T, class Tensors, class N>
constexpr bool reads_only();
template <class T, class Tensors, class... N>
constexpr bool all_read_only(types<N...>) {
    return (reads_only<T, Tensors, N>() && ...);
}
/// The operand of a cast, and its type; void: another node.
template <class N>
struct cast_of {
    using type = void;
};
template <class E, Storage D>
struct cast_of<Cast<E, D>> {
    using type = D;
    using child = E;
};
template <class T, class U>
inline constexpr bool stored_as = std::is_same_v<T, std::remove_const_t<U>> || std::is_same_v<const U, const fp8>;

/// True of an expression over at least one tensor, whose tensors are all stored in fp8.
template <class Tensors, class N>
constexpr bool is_of_fp8();
template <class Tensors, class... N>
constexpr bool is_of_fp8(types<N...>) {
    return sizeof...(N) > 0 && (is_of_fp8<Tensors, N>() && ...);
}
template <class Tensors, class N>
constexpr bool is_of_fp8() {
    if constexpr (is_buf<N>) return dtype_of<typename type_at<N::slot, Tensors>::value_type> == DType::f8;
    else return is_of_fp8<Tensors>(typename value_children<N>::type{});
}
/// True of a product with an expression of fp8.
template <class Tensors, class N>
inline constexpr bool is_scaled_fp8 = false;
template <class Tensors, class A, class B>
inline constexpr bool is_scaled_fp8<Tensors, Mul<A, B>> = is_of_fp8<Tensors, A>() || is_of_fp8<Tensors, B>();

template <class T, class Tensors, class N>
constexpr bool reads_only() {
    if constexpr (is_buf<N>) return stored_as<T, typename type_at<N::slot, Tensors>::value_type>;
    else if constexpr (!std::is_void_v<typename cast_of<N>::type>) return stored_as<T, typename cast_of<N>::type>;
    else if constexpr (is_scaled_fp8<Tensors, N>) return true;
    else return all_read_only<T, Tensors>(typename value_children<N>::type{});
}
template <class T, class... B>
inline constexpr bool all_stored_as = (reads_only<T, typename B::env_type::tensors, typename B::expression>() && ...);

}  // namespace detail

/// The type of attention, by Q, K and V.
template <class... B>
using attention_type = std::conditional_t<detail::all_stored_as<fp16, B...>, fp16,
                                          std::conditional_t<detail::all_stored_as<bf16, B...>, bf16, float>>;
/// The type of a product, by the type of its weights and by its input.
template <class W, class In>
using product_type = std::conditional_t<detail::all_stored_as<W, In>, W, float>;

/// The input of a product that rounds it to T anyway: the operand of a cast to T.
template <class T, class In>
auto multiplied_input(const In& in) {
    using Root = detail::cast_of<typename In::expression>;
    if constexpr (std::is_same_v<typename Root::type, T>) return bind<typename Root::child>(in.env);
    else return in;
}

}  // namespace inlay::inline INLAY_ABI
