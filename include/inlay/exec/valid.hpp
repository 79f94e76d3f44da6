// SPDX-License-Identifier: Apache-2.0
/// The compile-time demands of `prepare` on a kernel and its arguments, each one sentence on the first error line, and
/// the concepts `valid_kernel` and `valid_arguments` for overloads and negative tests.
#pragma once

#include <inlay/exec/arguments.hpp>
#include <inlay/expr/slots.hpp>
#include <inlay/expr/valid.hpp>
#include <inlay/frame/base.hpp>
#include <inlay/plan/attention/algebra.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// Expressions of a frame beside its holes, as attention has its score.
template <class K>
struct inner_parts {
    using type = types<>;
};
template <class K>
    requires requires { typename K::inner_parts; }
struct inner_parts<K> {
    using type = typename K::inner_parts;
};

template <class Parts>
struct slots_of_parts;
template <class... Part>
struct slots_of_parts<types<Part...>> {
    using type = Slots<Part...>;
};
template <class K>
using input_slots_of = typename slots_of_parts<typename K::prologues>::type;
template <class K>
using inner_slots_of = typename slots_of_parts<typename inner_parts<K>::type>::type;
template <class K>
using slots_of = typename slots_of_parts<join_types<typename K::prologues, types<typename K::epilogue, typename K::sink>,
                                                 typename inner_parts<K>::type>>::type;

template <class... In>
constexpr bool all_expressions(types<In...>) {
    return (is_operand<In> && ...);
}

/// Checks that each hole of a frame is filled with its own kind.
template <bool Report, class K>
constexpr bool holes_fit() {
    constexpr bool inputs = all_expressions(typename K::prologues{}), epilogue = is_operand<typename K::epilogue>;
    constexpr bool sink = is_sink<typename K::sink>;
    static_assert(inputs || !Report,
                  "inlay: the input of a frame is an expression such as Buf<0>: no tensor, sink or frame, "
                  "and no leaf of const, as decltype(buf<0>) is");
    static_assert(!inputs || epilogue || !Report,
                  "inlay: the epilogue of a frame is an expression over Out; the sink comes after it, then the schedule");
    static_assert(!inputs || !epilogue || sink || !Report,
                  "inlay: the sink of a frame is Store<0> or one over it; it comes after the epilogue, before the schedule");
    return inputs && epilogue && sink;
}

/// A node that is no operation, or one whose function takes the values of its operands.
template <class N, class... K>
constexpr bool applies(types<K...>) {
    if constexpr (requires { requires N::over_keys; }) return true;
    else if constexpr (requires { requires N::kind == NodeKind::pointwise; })
        return requires { N::apply(std::declval<std::conditional_t<true, double, K>>()...); };
    else return true;
}
template <class... N>
constexpr bool all_apply(types<N...>) {
    return (applies<N>(typename N::children{}) && ...);
}

/// Slots, operations and Out of all expressions of a frame, checked together.
template <bool Report, class K>
constexpr bool slots_fit() {
    using Counts = typename slots_of<K>::counts;
    static_assert(Counts::empty_types || !Report,
                  "inlay: a node is an empty type; run-time values are slots (buf<I>, param<I>)");
    constexpr bool applicable = all_apply(typename slots_of<K>::nodes{});
    static_assert(applicable || !Report,
                  "inlay: an operation has a public function template <class T> INLAY_FN static T "
                  "apply(T x), with a parameter for each operand");
    if constexpr (Counts::empty_types && applicable) {
        constexpr bool out_early = input_slots_of<K>::counts::uses_out;
        constexpr bool discards = !Slots<typename K::epilogue>::counts::uses_out && !requires { requires K::fills; };
        constexpr bool no_gate = Counts::uses_gate && !requires { K::gated; };
        constexpr bool records_early =
            input_slots_of<K>::counts::reads_records || inner_slots_of<K>::counts::reads_records;
        static_assert(!out_early || !Report, "inlay: Out stands in a prologue; only an epilogue can read it");
        static_assert(!records_early || !Report,
                      "inlay: PublishedMean and PublishedRstd stand in an epilogue, whose rows have records");
        static_assert(out_early || Counts::dense || !Report,
                      "inlay: the slots of a kernel are numbered 0, 1, 2, ... without a gap");
        static_assert(out_early || !discards || !Report,
                      "inlay: the epilogue does not read Out, so what the frame computes would be discarded; an "
                      "expression by itself is Elementwise<...>");
        static_assert(out_early || !no_gate || !Report,
                      "inlay: OutGate is the second sum of a Linear; no other frame has one");
        return !out_early && !records_early && Counts::dense && !discards && !no_gate;
    }
    return false;
}

/// The checks of a kernel without its arguments. With Report, a static_assert names the first fault.
template <bool Report, class K>
constexpr bool kernel_fits() {
    static_assert(Frame<K> || !Report,
                  "inlay: prepare<K> needs a frame such as Linear<...>, or a struct that derives from one");
    if constexpr (!Frame<K>) return false;
    else if constexpr (!holes_fit<Report, K>()) return false;
    else return slots_fit<Report, K>();
}

/// Number and kind of the arguments of a kernel that fits.
template <bool Report, class K, class... Args>
constexpr bool arguments_fit() {
    using S = slots_of<K>;
    using R = Roles<S::outputs, K::weights, S::tensors, S::scalars>;
    if constexpr (!count_fits<Report, R, Args...>()) return false;
    else return kinds_fit<Report, R, 0>(types<Args...>{});
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

/// The expression of a frame beside its holes, of which `Environment` has the extents.
template <class K, class Environment>
constexpr bool inner_fits() {
    if constexpr (requires { typename K::inner; }) {
        using E = typename K::inner;
        constexpr int rank = Environment::out_rank;
        if constexpr (check_expression<E, Environment, Place<rank, false, false, true>>()) {
            static_assert(rank_of<E, Environment> <= rank,
                          "inlay: a tensor of the score has a higher rank than scores, [B, heads, Sq, Skv]");
            static_assert(sizeof(AttentionAlgebra<typename K::form>) > 0);  // it refuses a row that has no recurrence
            return rank_of<E, Environment> <= rank;
        } else {
            return false;
        }
    } else {
        return true;
    }
}

/// A sink and the outputs it stores to, operands first.
template <class S, class Outs, class... K>
constexpr bool sink_fits(types<K...>) {
    static_assert(!(is_stats<K> || ...), "inlay: WithStats is the outermost sink");
    static_assert(!(is_row_stats<K> || ...), "inlay: WithRowStats is the outermost sink");
    if constexpr (!(sink_fits<K, Outs>(typename K::children{}) && ...)) return false;
    else if constexpr (is_stats<S>) {
        using Stats = std::remove_cvref_t<decltype(get<S::slot>(std::declval<const Outs&>()))>;
        constexpr bool ok = std::is_same_v<Stats, Tensor<float, 3>>;
        static_assert(ok, "inlay: WithStats publishes to an fp32 output [B, C, 2]");
        return ok;
    } else if constexpr (is_row_stats<S>) {
        using Records = std::remove_cvref_t<decltype(get<S::slot>(std::declval<const Outs&>()))>;
        constexpr bool ok = std::is_same_v<Records, Tensor<float, rank_of_sink<S, Outs>::value>>;
        static_assert(ok, "inlay: WithRowStats publishes to an fp32 output [..., E] of the rank of what it stores");
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
