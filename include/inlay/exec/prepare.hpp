// SPDX-License-Identifier: Apache-2.0
/// `prepare<K>(outputs…, weights…, tensor slots…, scalar slots…)`: everything is checked here, once; `run` only launches.
#pragma once

#include <inlay/exec/packed.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/slots.hpp>
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
using input_slots_of = typename frame_slots<types<typename K::prologues, typename K::epilogue, typename K::sink>>::inputs;

template <class T>
inline constexpr bool is_scalar_argument =
    std::is_arithmetic_v<T> || std::is_same_v<T, Scalar> || std::is_same_v<T, const float*> || std::is_same_v<T, float*>;
template <class T>
inline constexpr bool is_operand = is_tensor<T> || is_packed<T>;

/// Every compile-time demand on a kernel, each one sentence on the first error line.
template <class K>
constexpr bool check_frame() {
    static_assert(Frame<K>, "inlay: prepare<K> needs a frame such as Linear<...>, or a struct that derives from one");
    using S = slots_of<K>;
    static_assert(S::counts::empty_types, "inlay: a node is an empty type; run-time values are slots (buf<I>, param<I>)");
    static_assert(!input_slots_of<K>::counts::uses_out, "inlay: Out stands in a prologue; only an epilogue can read it");
    static_assert(S::counts::dense, "inlay: the slots of a kernel are numbered 0, 1, 2, ... without a gap");
    return true;
}

template <class K, int Given>
constexpr bool check_count() {
    using S = slots_of<K>;
    constexpr bool ok = Given == S::outputs + K::weights + S::tensors + S::scalars;
    static_assert(ok, "inlay: prepare takes one argument per output, weight, tensor slot and scalar slot of its kernel");
    return ok;
}

template <int I, class T, class... Rest>
constexpr decltype(auto) nth(const T& x, const Rest&... rest) {
    if constexpr (I == 0) return x;
    else return nth<I - 1>(rest...);
}

template <class T>
constexpr Scalar as_scalar(const T& x) {
    if constexpr (std::is_pointer_v<T>) return Scalar(static_cast<const float*>(x));
    else if constexpr (std::is_same_v<T, Scalar>) return x;
    else return Scalar(static_cast<double>(x));
}

template <class K, int... O, int... W, int... B, int... P, class... Args>
auto split_arguments(std::integer_sequence<int, O...>, std::integer_sequence<int, W...>,
                     std::integer_sequence<int, B...>, std::integer_sequence<int, P...>, const Args&... args) {
    constexpr int w0 = sizeof...(O), b0 = w0 + sizeof...(W), p0 = b0 + sizeof...(B);
    static_assert((is_operand<std::remove_cvref_t<decltype(nth<B + b0>(args...))>> && ...) &&
                      (is_operand<std::remove_cvref_t<decltype(nth<O>(args...))>> && ...) &&
                      (is_operand<std::remove_cvref_t<decltype(nth<W + w0>(args...))>> && ...),
                  "inlay: prepare takes outputs, weights and tensor slots first, then scalar slots; a tensor is missing");
    static_assert((is_scalar_argument<std::remove_cvref_t<decltype(nth<P + p0>(args...))>> && ...),
                  "inlay: prepare takes scalar slots last, as numbers or const float*");
    using Environment = Env<-1, static_cast<int>(sizeof...(P)), std::remove_cvref_t<decltype(nth<B + b0>(args...))>...>;
    Environment env{make_pack(nth<B + b0>(args...)...), {}, {}};
    ((env.scalars[P] = as_scalar(nth<P + p0>(args...))), ...);
    struct Result {
        decltype(make_pack(nth<O>(args...)...)) outs;
        decltype(make_pack(nth<W + w0>(args...)...)) weights;
        Environment env;
    };
    return Result{make_pack(nth<O>(args...)...), make_pack(nth<W + w0>(args...)...), env};
}

template <class K, class Environment, class Weights, class... In, int... W>
auto frame_shape(const Environment& env, const Weights& weights, types<In...>, std::integer_sequence<int, W...>) {
    return K::shape(extents_of<In>(env)..., get<W>(weights)...);
}

template <class K, class Environment, class... In>
auto bind_inputs(const Environment& env, types<In...>) {
    return make_pack(bind<In>(env)...);
}

}  // namespace detail

/// A kernel bound to its tensors. Trivially copyable where its target needs it; holds no memory.
template <class K, class Outs, class Weights, class Environment, class Problem>
struct Prepared {
    using frame = K;
    using inputs = decltype(detail::bind_inputs<K>(std::declval<const Environment&>(), typename K::prologues{}));

    Problem problem;
    Weights weights;
    inputs in;
    Bound<typename K::epilogue, Environment> epilogue;
    BoundSink<typename K::sink, Outs> sink;

    /// Launches on a target (`Host`, …). Nothing is checked or allocated here.
    template <class Target>
    void run(Target& target) const {
        K::run(target, *this);
    }
};

/// Binds K's slots and checks ranks, extents and types. Throws `Error` on a misfit; nothing has run then.
template <class K, class... Args>
auto prepare(const Args&... args) {
    if constexpr (detail::check_frame<K>() && detail::check_count<K, static_cast<int>(sizeof...(Args))>()) {
        using S = detail::slots_of<K>;
        auto a = detail::split_arguments<K>(
            std::make_integer_sequence<int, S::outputs>{}, std::make_integer_sequence<int, K::weights>{},
            std::make_integer_sequence<int, S::tensors>{}, std::make_integer_sequence<int, S::scalars>{}, args...);
        auto problem = detail::frame_shape<K>(a.env, a.weights, typename K::prologues{},
                                              std::make_integer_sequence<int, K::weights>{});
        const auto env = with_out(a.env, problem.out);
        const auto result = broadcast_extents(extents_of<typename K::epilogue>(env), problem.out);
        BoundSink<typename K::sink, decltype(a.outs)> sink(a.outs);
        const auto stored = sink.extents();
        static_assert(stored.rank == problem.out.rank, "inlay: the sink's outputs and the kernel's result differ in rank");
        if (!(result == problem.out))
            fail(name<K>() + ": the epilogue " + name<typename K::epilogue>() + " has extents " +
                 text(extents_of<typename K::epilogue>(env)) + ", the kernel's result has " + text(problem.out));
        if (!(stored == problem.out))
            fail(name<K>() + ": the output takes " + text(stored) + ", the kernel computes " + text(problem.out));
        using Environment = std::remove_const_t<decltype(env)>;
        return Prepared<K, decltype(a.outs), decltype(a.weights), Environment, decltype(problem)>{
            problem, a.weights, detail::bind_inputs<K>(env, typename K::prologues{}),
            bind<typename K::epilogue>(env), sink};
    }
}

}  // namespace inlay::inline INLAY_ABI
