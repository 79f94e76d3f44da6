// SPDX-License-Identifier: Apache-2.0
/// Spellings of expressions that look right and are not. Each is an overload that no right spelling reaches, and its
/// static_assert names the right one on the first error line. docs/errors.md has those that no overload can reach.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/leaf.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// A type with the members of a tensor.
template <class T>
concept TensorShaped = requires {
    typename T::value_type;
    T::rank;
};
/// Stands where an expression is expected by mistake.
template <class T>
concept NoExpr = std::is_arithmetic_v<T> || std::is_pointer_v<T> || TensorShaped<T>;
/// Operands of an operation that are not all expressions, found by their expression or tensor.
template <class... T>
concept Refused = ((Expr<T> || TensorShaped<T>) || ...) && ((Expr<T> || NoExpr<T>) && ...) && !(Expr<T> && ...);

template <class... T>
constexpr Out refuse_operands() {
    constexpr bool number = (std::is_arithmetic_v<T> || ...);
    static_assert(!number, "inlay: a number in an expression is constant<2.0> or param<I>");
    static_assert(number, "inlay: a tensor in an expression is its slot, buf<I>, to which prepare binds it");
    return {};
}

}  // namespace detail

#define INLAY_REFUSE_OPERANDS(function)          \
    template <class A, class B>                  \
        requires(detail::Refused<A, B>)          \
    constexpr Out(function)(A, B) {              \
        return detail::refuse_operands<A, B>();  \
    }
INLAY_REFUSE_OPERANDS(operator+)
INLAY_REFUSE_OPERANDS(operator-)
INLAY_REFUSE_OPERANDS(operator*)
INLAY_REFUSE_OPERANDS(operator/)
INLAY_REFUSE_OPERANDS(operator<)
INLAY_REFUSE_OPERANDS(operator<=)
INLAY_REFUSE_OPERANDS(operator>)
INLAY_REFUSE_OPERANDS(operator>=)
INLAY_REFUSE_OPERANDS(operator==)
INLAY_REFUSE_OPERANDS(operator!=)
INLAY_REFUSE_OPERANDS(operator&&)
INLAY_REFUSE_OPERANDS(operator||)
INLAY_REFUSE_OPERANDS(min)
INLAY_REFUSE_OPERANDS(max)
INLAY_REFUSE_OPERANDS(pow)
#undef INLAY_REFUSE_OPERANDS

#define INLAY_REFUSE_OPERANDS(function)             \
    template <class A, class B, class C>            \
        requires(detail::Refused<A, B, C>)          \
    constexpr Out(function)(A, B, C) {              \
        return detail::refuse_operands<A, B, C>();  \
    }
INLAY_REFUSE_OPERANDS(where)
INLAY_REFUSE_OPERANDS(lerp)
INLAY_REFUSE_OPERANDS(clamp)
#undef INLAY_REFUSE_OPERANDS

#define INLAY_REFUSE_TENSOR(function)        \
    template <detail::TensorShaped T>        \
    constexpr Out(function)(const T&) {      \
        return detail::refuse_operands<T>(); \
    }
INLAY_REFUSE_TENSOR(silu)
INLAY_REFUSE_TENSOR(gelu)
INLAY_REFUSE_TENSOR(gelu_tanh)
INLAY_REFUSE_TENSOR(quick_gelu)
INLAY_REFUSE_TENSOR(sigmoid)
INLAY_REFUSE_TENSOR(tanh)
INLAY_REFUSE_TENSOR(relu)
INLAY_REFUSE_TENSOR(exp)
INLAY_REFUSE_TENSOR(exp2)
INLAY_REFUSE_TENSOR(log)
INLAY_REFUSE_TENSOR(sqrt)
INLAY_REFUSE_TENSOR(rsqrt)
INLAY_REFUSE_TENSOR(sin)
INLAY_REFUSE_TENSOR(cos)
INLAY_REFUSE_TENSOR(erf)
INLAY_REFUSE_TENSOR(neg)
INLAY_REFUSE_TENSOR(abs)
INLAY_REFUSE_TENSOR(floor)
INLAY_REFUSE_TENSOR(ceil)
INLAY_REFUSE_TENSOR(ascending)
INLAY_REFUSE_TENSOR(operator-)
INLAY_REFUSE_TENSOR(operator!)
#undef INLAY_REFUSE_TENSOR

/// Steps of a loop: e += x. The type of an expression is the expression.
#define INLAY_REFUSE_ASSIGNMENT(op)                                                                           \
    template <Expr A, class B>                                                                                \
    constexpr A& operator op(A& a, const B&) {                                                                \
        static_assert(!Expr<A>, "inlay: an expression is its type and keeps it; each step is a new variable: " \
                                "const auto f = e + x");                                                      \
        return a;                                                                                             \
    }
INLAY_REFUSE_ASSIGNMENT(+=)
INLAY_REFUSE_ASSIGNMENT(-=)
INLAY_REFUSE_ASSIGNMENT(*=)
INLAY_REFUSE_ASSIGNMENT(/=)
#undef INLAY_REFUSE_ASSIGNMENT

/// Functions whose static arguments were written in the parentheses, left out or miscounted.
#define INLAY_REFUSE_CALL(function, least, most, spelling)                                                         \
    template <auto... A, Expr E, class... Rest>                                                                    \
        requires(sizeof...(Rest) > 0 || sizeof...(A) < (least) || sizeof...(A) > (most))                           \
    constexpr Out(function)(E, const Rest&...) {                                                                   \
        static_assert(!Expr<E>, "inlay: the arguments of " #function " are template arguments: " spelling);        \
        return {};                                                                                                 \
    }
INLAY_REFUSE_CALL(slice, 3, 3, "slice<axis, start, size>(x)")
INLAY_REFUSE_CALL(slice_last, 2, 2, "slice_last<start, size>(x)")
INLAY_REFUSE_CALL(permute, 0, 99, "permute<0, 2, 1>(x)")
INLAY_REFUSE_CALL(transpose, 2, 2, "transpose<-1, -2>(x)")
INLAY_REFUSE_CALL(reshape, 0, 99, "reshape<2, -1>(x)")
INLAY_REFUSE_CALL(upsample, 1, 99, "upsample<factor, axes...>(x)")
INLAY_REFUSE_CALL(dilate, 1, 99, "dilate<factor, axes...>(x)")
INLAY_REFUSE_CALL(pad, 3, 4, "pad<axis, before, after>(x)")
INLAY_REFUSE_CALL(im2col, 2, 5, "im2col<rows, columns, stride, padding>(x)")
#undef INLAY_REFUSE_CALL

template <Expr E, class... Rest>
constexpr Out concat(E, const Rest&...) {
    static_assert(!Expr<E>, "inlay: the axis of concat is a template argument: concat<-1>(x, y)");
    return {};
}
template <Expr T, Expr I, class Axis>
    requires(!Expr<Axis>)
constexpr Out gather(T, I, Axis) {
    static_assert(!Expr<T>, "inlay: the axis of gather is a template argument: gather<1>(table, index)");
    return {};
}
template <Expr E, class Slope>
constexpr Out leaky_relu(E, Slope) {
    static_assert(!Expr<E>, "inlay: the slope of leaky_relu is a template argument: leaky_relu<0.2>(x)");
    return {};
}
template <class T = void, Expr E>
    requires(!Storage<T>)
constexpr Out cast(E) {
    static_assert(Storage<T>, "inlay: cast<T>(x) rounds to a type that tensors store, such as cast<bf16>(x)");
    return {};
}

}  // namespace inlay::inline INLAY_ABI
