// SPDX-License-Identifier: Apache-2.0
/// The compile-time demands of `prepare` on a kernel and its arguments, each one sentence on the first error line, and
/// the concepts `valid_kernel` and `valid_arguments` for overloads and negative tests.
#pragma once

#include <inlay/exec/packed.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/slots.hpp>
#include <inlay/expr/valid.hpp>
#include <inlay/kernel/frame.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class K>
struct frame_slots;
template <class... In, class Epilogue, class Snk>
struct frame_slots<types<types<In...>, Epilogue, Snk>> {
    using all = Slots<In..., Epilogue, Snk>;
    using inputs = Slots<In...>;
};
template <class K>
using slots_of = typename frame_slots<types<typename K::prologues, typename K::epilogue, typename K::sink>>::all;
template <class K>
using input_slots_of =
    typename frame_slots<types<typename K::prologues, typename K::epilogue, typename K::sink>>::inputs;

template <class... In>
constexpr bool all_expressions(types<In...>) {
    return (Expr<In> && ...);
}

/// What a kernel is, whatever it is given. With Say, a static_assert names the first fault.
template <bool Say, class K>
constexpr bool kernel_fits() {
    static_assert(Frame<K> || !Say,
                  "inlay: prepare<K> needs a frame such as Linear<...>, or a struct that derives from one");
    if constexpr (Frame<K>) {
        constexpr bool holes =
            all_expressions(typename K::prologues{}) && Expr<typename K::epilogue> && Sink<typename K::sink>;
        static_assert(holes || !Say, "inlay: a frame is filled with expressions, an epilogue that is one, and a sink");
        if constexpr (holes) {
            using Counts = typename slots_of<K>::counts;
            constexpr bool out_early = input_slots_of<K>::counts::uses_out;
            constexpr bool no_gate = Counts::uses_gate && !requires { K::gated; };
            static_assert(Counts::empty_types || !Say,
                          "inlay: a node is an empty type; run-time values are slots (buf<I>, param<I>)");
            static_assert(!Counts::empty_types || !out_early || !Say,
                          "inlay: Out stands in a prologue; only an epilogue can read it");
            static_assert(!Counts::empty_types || out_early || Counts::dense || !Say,
                          "inlay: the slots of a kernel are numbered 0, 1, 2, ... without a gap");
            static_assert(!Counts::empty_types || out_early || !no_gate || !Say,
                          "inlay: OutGate is the second sum of a Linear; no other frame has one");
            return Counts::empty_types && !out_early && Counts::dense && !no_gate;
        }
    }
    return false;
}

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

/// The compiler names the counts where they do not match.
template <bool Say, int Given, int Outputs, int Weights, int TensorSlots, int ScalarSlots>
constexpr bool count_fits() {
    constexpr bool ok = Given == Outputs + Weights + TensorSlots + ScalarSlots;
    static_assert(ok || !Say,
                  "inlay: prepare takes one argument per output, weight, tensor slot and scalar slot of its kernel");
    return ok;
}
/// An argument of prepare, counted from 0: outputs, weights, tensor slots, scalar slots.
template <bool Say, int Argument, class T, class K>
constexpr bool argument_fits() {
    using S = slots_of<K>;
    if constexpr (Argument < S::outputs) {
        static_assert(is_output<T> || !Say, "inlay: this argument of prepare is an output: a Tensor, not of const");
        return is_output<T>;
    } else if constexpr (Argument < S::outputs + K::weights) {
        static_assert(is_weight<T> || !Say, "inlay: this argument of prepare is a weight: a Tensor, or what a target "
                                            "packed, not of int32");
        return is_weight<T>;
    } else if constexpr (Argument < S::outputs + K::weights + S::tensors) {
        static_assert(is_tensor<T> || !Say, "inlay: this argument of prepare is a tensor slot: a Tensor");
        return is_tensor<T>;
    } else {
        static_assert(is_scalar_argument<T> || !Say,
                      "inlay: this argument of prepare is a scalar slot: a number or a const float*");
        return is_scalar_argument<T>;
    }
}
/// From the argument of this number on, up to the first fault.
template <bool Say, class K, int Argument>
constexpr bool arguments_from_fit(types<>) {
    return true;
}
template <bool Say, class K, int Argument, class T, class... Rest>
constexpr bool arguments_from_fit(types<T, Rest...>) {
    if constexpr (!argument_fits<Say, Argument, T, K>()) return false;
    else return arguments_from_fit<Say, K, Argument + 1>(types<Rest...>{});
}

/// Number and kind of the arguments of a kernel that fits.
template <bool Say, class K, class... Args>
constexpr bool arguments_fit() {
    using S = slots_of<K>;
    constexpr int given = static_cast<int>(sizeof...(Args));
    if constexpr (!count_fits<Say, given, S::outputs, K::weights, S::tensors, S::scalars>()) return false;
    else return arguments_from_fit<Say, K, 0>(types<Args...>{});
}

/// A frame that `fills` its output reads its expression at the coordinates of the result, others at the expression's
/// own.
template <class K, class Environment, class Outs, class... In>
constexpr bool prologues_fit(types<In...>) {
    constexpr bool channels_last = requires { K::channels_last; };
    if constexpr (requires { requires K::fills; })
        return (check_expression<In, Environment, Place<rank_of_sink<typename K::sink, Outs>::value>>() && ...);
    else if constexpr ((slots_bound<true, In, Environment>(typename In::children{}) && ...))
        return (check_expression<In, Environment, Place<rank_of<In, Environment>, channels_last>>() && ...);
    else return false;
}
template <class K, class Environment, class Outs>
constexpr bool epilogue_fits() {
    using E = typename K::epilogue;
    constexpr int rank = Environment::out_rank;
    static_assert(rank >= 1, "inlay: a kernel's result has at least one axis; reshape a single number to [1]");
    static_assert(rank == rank_of_sink<typename K::sink, Outs>::value,
                  "inlay: the sink's outputs and the kernel's result differ in rank");
    if constexpr (rank < 1 || rank != rank_of_sink<typename K::sink, Outs>::value) return false;
    else if constexpr (check_expression<E, Environment, Place<rank, requires { K::channels_last; }>>()) {
        static_assert(rank_of<E, Environment> <= rank,
                      "inlay: the epilogue has a higher rank than the kernel's result");
        return rank_of<E, Environment> <= rank;
    } else return false;
}

/// A sink and the outputs it stores to, operands first.
template <class S, class Outs, class... K>
constexpr bool sink_fits(types<K...>) {
    static_assert(!(is_stats<K> || ...), "inlay: WithStats is the outermost sink");
    if constexpr (!(sink_fits<K, Outs>(typename K::children{}) && ...)) return false;
    else if constexpr (is_stats<S>) {
        using Stats = std::remove_cvref_t<decltype(get<S::slot>(std::declval<const Outs&>()))>;
        constexpr bool ok = std::is_same_v<Stats, Tensor<float, 3>>;
        static_assert(ok, "inlay: WithStats publishes to an fp32 output [B, C, 2]");
        return ok;
    } else if constexpr (requires { S::template accepts<rank_of_sink<K, Outs>::value...>; }) {
        constexpr bool ok = S::template accepts<rank_of_sink<K, Outs>::value...>;
        S::template demand<ok>();
        return ok;
    } else {
        return true;
    }
}

}  // namespace detail

/// A frame whose holes fit each other.
template <class K>
concept valid_kernel = detail::kernel_fits<false, K>();

/// Arguments of the number and kinds that `prepare<K>` takes.
template <class K, class... Args>
concept valid_arguments = valid_kernel<K> && detail::arguments_fit<false, K, std::remove_cvref_t<Args>...>();

}  // namespace inlay::inline INLAY_ABI
