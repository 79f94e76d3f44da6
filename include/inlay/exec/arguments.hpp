// SPDX-License-Identifier: Apache-2.0
/// The arguments of `prepare`, by role: outputs, weights, tensor slots, scalar slots, in this order. A misfit names the
/// role. C++20 takes a sentence as a literal only, so there is one for each role and count up to what kernels have.
#pragma once

#include <inlay/core/types.hpp>
#include <inlay/exec/packed.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/bind.hpp>

namespace inlay::inline INLAY_ABI::detail {

template <class T>
inline constexpr bool is_scalar_argument = std::is_arithmetic_v<T> || std::is_same_v<T, Scalar> ||
                                           std::is_same_v<T, const float*> || std::is_same_v<T, float*>;
template <class T>
inline constexpr bool is_weight = false;
template <class T>
    requires(is_tensor<T> || is_packed<T>)
inline constexpr bool is_weight<T> = dtype_of<typename T::value_type> != DType::i32;
template <class T>
inline constexpr bool is_output = false;
template <class T, int R>
inline constexpr bool is_output<Tensor<T, R>> = !std::is_const_v<T>;

enum class Role { output, weight, tensor, scalar };

/// Numbers of arguments that a kernel takes, by role.
template <int Outputs, int Weights, int Tensors, int Scalars>
struct Roles {
    static constexpr int tensors = Outputs + Weights + Tensors, all = tensors + Scalars;
    static constexpr Role role(int argument) {
        return argument < Outputs             ? Role::output
               : argument < Outputs + Weights ? Role::weight
               : argument < tensors           ? Role::tensor
                                              : Role::scalar;
    }
    /// Its number among those of its role.
    static constexpr int index(int argument) {
        switch (role(argument)) {
            case Role::output: return argument;
            case Role::weight: return argument - Outputs;
            case Role::tensor: return argument - Outputs - Weights;
            case Role::scalar: break;
        }
        return argument - tensors;
    }
    /// The first argument that is missing where too few are given, so many of them scalars: the last are.
    static constexpr int missing(int given, int scalars) {
        return given - scalars < tensors ? given - scalars : tensors + scalars;
    }
};

#define INLAY_EACH_ROLE(say, ...)                                                                     \
    say(output, 0, "output 0", __VA_ARGS__) say(output, 1, "output 1", __VA_ARGS__)                   \
    say(output, 2, "output 2", __VA_ARGS__) say(weight, 0, "weight 0", __VA_ARGS__)                   \
    say(weight, 1, "weight 1", __VA_ARGS__) say(tensor, 0, "Buf<0>", __VA_ARGS__)                     \
    say(tensor, 1, "Buf<1>", __VA_ARGS__) say(tensor, 2, "Buf<2>", __VA_ARGS__)                       \
    say(tensor, 3, "Buf<3>", __VA_ARGS__) say(tensor, 4, "Buf<4>", __VA_ARGS__)                       \
    say(tensor, 5, "Buf<5>", __VA_ARGS__) say(scalar, 0, "Param<0>", __VA_ARGS__)                     \
    say(scalar, 1, "Param<1>", __VA_ARGS__) say(scalar, 2, "Param<2>", __VA_ARGS__)                   \
    say(scalar, 3, "Param<3>", __VA_ARGS__)

#define INLAY_REPORT_MISSING(role, number, named, takes, given)                                                     \
    static_assert(Is != Role::role || Number != number || Takes != takes || Given != given,                      \
                  "inlay: prepare takes " #takes " arguments and is given " #given ": " named " is missing "     \
                  "(their order: outputs, weights, Buf<0>, Buf<1>, ..., Param<0>, ...)");
#define INLAY_REPORT_MORE_MISSING(role, number, named, takes)                                                       \
    static_assert(Is != Role::role || Number != number || Takes != takes || Given + 1 >= Takes,                  \
                  "inlay: prepare takes " #takes " arguments: " named " and others are missing "                 \
                  "(their order: outputs, weights, Buf<0>, Buf<1>, ..., Param<0>, ...)");
#define INLAY_REPORT_TOO_MANY(takes)                                                                        \
    static_assert(Takes != takes || Given <= Takes,                                                      \
                  "inlay: prepare takes " #takes " arguments and is given more: one for each output, "   \
                  "weight, Buf<I> and Param<I> of its kernel");

/// Fails with the counts and the argument that is missing.
template <Role Is, int Number, int Takes, int Given>
constexpr void report_count() {
    INLAY_EACH_ROLE(INLAY_REPORT_MISSING, 2, 1)
    INLAY_EACH_ROLE(INLAY_REPORT_MISSING, 3, 2)
    INLAY_EACH_ROLE(INLAY_REPORT_MISSING, 4, 3)
    INLAY_EACH_ROLE(INLAY_REPORT_MISSING, 5, 4)
    INLAY_EACH_ROLE(INLAY_REPORT_MISSING, 6, 5)
    INLAY_EACH_ROLE(INLAY_REPORT_MISSING, 7, 6)
    INLAY_EACH_ROLE(INLAY_REPORT_MISSING, 8, 7)
    INLAY_EACH_ROLE(INLAY_REPORT_MORE_MISSING, 2)
    INLAY_EACH_ROLE(INLAY_REPORT_MORE_MISSING, 3)
    INLAY_EACH_ROLE(INLAY_REPORT_MORE_MISSING, 4)
    INLAY_EACH_ROLE(INLAY_REPORT_MORE_MISSING, 5)
    INLAY_EACH_ROLE(INLAY_REPORT_MORE_MISSING, 6)
    INLAY_EACH_ROLE(INLAY_REPORT_MORE_MISSING, 7)
    INLAY_EACH_ROLE(INLAY_REPORT_MORE_MISSING, 8)
    INLAY_REPORT_TOO_MANY(1)
    INLAY_REPORT_TOO_MANY(2)
    INLAY_REPORT_TOO_MANY(3)
    INLAY_REPORT_TOO_MANY(4)
    INLAY_REPORT_TOO_MANY(5)
    INLAY_REPORT_TOO_MANY(6)
    INLAY_REPORT_TOO_MANY(7)
    INLAY_REPORT_TOO_MANY(8)
    static_assert(Given == Takes, "inlay: prepare takes one argument for each output, weight, Buf<I> and Param<I> of "
                                  "its kernel, in this order");
}
#undef INLAY_REPORT_MISSING
#undef INLAY_REPORT_MORE_MISSING
#undef INLAY_REPORT_TOO_MANY

template <bool Report, class R, class... Args>
constexpr bool count_fits() {
    constexpr int given = static_cast<int>(sizeof...(Args));
    if constexpr (Report && given != R::all) {
        constexpr int missing = R::missing(given, (0 + ... + int(is_scalar_argument<Args>)));
        report_count<R::role(missing), R::index(missing), R::all, given>();
    }
    return given == R::all;
}

template <Role Is, class T>
inline constexpr bool fits_role = Is == Role::output   ? is_output<T>
                                  : Is == Role::weight ? is_weight<T>
                                  : Is == Role::tensor ? is_tensor<T>
                                                       : is_scalar_argument<T>;

#define INLAY_EXPECTED_output "a Tensor, not of const; tensor(p, extents...) makes one"
#define INLAY_EXPECTED_weight "a Tensor, not of int32, or what a target packed; tensor(p, extents...) makes one"
#define INLAY_EXPECTED_tensor "a Tensor; tensor(p, extents...) makes one"
#define INLAY_EXPECTED_scalar "a number or a const float*"
#define INLAY_REPORT_MISFIT(role, number, named, nothing)                                                        \
    static_assert(Is != Role::role || Number != number, "inlay: " named " of prepare is " INLAY_EXPECTED_##role);

/// Fails with the kind of argument that a role takes.
template <Role Is, int Number>
constexpr void report_misfit() {
    INLAY_EACH_ROLE(INLAY_REPORT_MISFIT, )
    static_assert(Number < 0, "inlay: outputs, weights and tensor slots of prepare are Tensors, scalar slots numbers");
}
#undef INLAY_REPORT_MISFIT
#undef INLAY_EXPECTED_output
#undef INLAY_EXPECTED_weight
#undef INLAY_EXPECTED_tensor
#undef INLAY_EXPECTED_scalar
#undef INLAY_EACH_ROLE

/// From the argument of this number on, up to the first fault.
template <bool Report, class R, int Argument>
constexpr bool kinds_fit(types<>) {
    return true;
}
template <bool Report, class R, int Argument, class T, class... Rest>
constexpr bool kinds_fit(types<T, Rest...>) {
    constexpr bool ok = fits_role<R::role(Argument), T>;
    if constexpr (Report && !ok) report_misfit<R::role(Argument), R::index(Argument)>();
    if constexpr (!ok) return false;
    else return kinds_fit<Report, R, Argument + 1>(types<Rest...>{});
}

}  // namespace inlay::inline INLAY_ABI::detail
