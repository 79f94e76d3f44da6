// SPDX-License-Identifier: Apache-2.0
/// `prepare<K>(outputs…, weights…, tensor slots…, scalar slots…)`: everything is checked here, once, but that tensors
/// have memory: those of a plan may be null. The first `run` on a target checks that, plans and launches; on a GPU the
/// others launch that plan.
#pragma once

#include <inlay/exec/any_prepared.hpp>
#include <inlay/exec/operands.hpp>
#include <inlay/exec/valid.hpp>
#include <inlay/exec/workspace.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

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

/// The work of a frame; one that `fills` its output takes its extents from there.
template <class K, class A, class... In, int... W>
auto frame_shape(const A& a, types<In...>, std::integer_sequence<int, W...>) {
    if constexpr (requires { requires K::fills; })
        return K::shape(extents_of<In>(a.env)..., sink_extents<typename K::sink>(a.outs, a.env));
    else return K::shape(extents_of<In>(a.env)..., get<W>(a.weights)...);
}

template <class K, class A>
void check_operands(const A& a) {
    check_operands("output ", true, a.outs, std::make_integer_sequence<int, slots_of<K>::outputs>{});
    check_operands("weight ", false, a.weights, std::make_integer_sequence<int, K::weights>{});
    check_operands("tensor slot ", false, a.env.buffers, std::make_integer_sequence<int, slots_of<K>::tensors>{});
}

/// Throws an error of a kernel's parts again, with the kernel's own name where its sentence has not got it.
[[noreturn]] INLAY_OUTLINE void fail_in(const Text& kernel, Letters sentence) {
    if (sentence.starts_with("inlay: ")) sentence = sentence.part(7);
    fail(sentence.starts_with(kernel + ": ") ? Text(sentence) : kernel + ": " + sentence);
}

/// The environment of a frame's inner expressions, without slots where they read none: it goes to every kernel.
struct NoInner {};
template <class K, class Environment, class Problem>
auto inner_environment(const Environment& env, const Problem& problem) {
    if constexpr (requires { problem.inner; }) {
        using S = inner_slots_of<K>;
        constexpr int rank = std::remove_cvref_t<decltype(problem.inner)>::rank;
        if constexpr (S::tensors == 0 && S::scalars == 0) return Env<rank, 0>{{}, {}, problem.inner};
        else return with_out(env, problem.inner);
    } else {
        return NoInner{};
    }
}

template <class K, class Environment, class... In>
auto bind_inputs(const Environment& env, types<In...>) {
    return make_pack(bind<In>(env)...);
}

}  // namespace detail

namespace detail {

/// The member of the target that frame K calls is there.
template <class K, class Target>
constexpr bool has_member_of() {
    if constexpr (requires { typename K::calls; }) {
        constexpr bool ok = K::calls::template in<Target>;
        K::calls::template demand<ok>();
        return ok;
    } else {
        return true;
    }
}
template <class K, class Target, class Sink>
constexpr bool target_fits() {
    constexpr bool object = std::is_class_v<Target>;
    static_assert(object, "inlay: run takes a target such as a Host, a Cuda or an Oracle: no stream, device number or "
                          "pointer");
    constexpr bool runs =
        !std::is_const_v<Target> || requires(Target& target, const Sink& sink) { target.publish_stats(sink); };
    static_assert(runs, "inlay: the target of run is const, and running changes it");
    if constexpr (object && runs) {
        constexpr bool publishes = publish_stats_member::in<Target>;
        publish_stats_member::demand<publishes>();
        if constexpr (publishes) return has_member_of<K, Target>();
    }
    return false;
}

}  // namespace detail

/// A kernel bound to its tensors. Trivially copyable where its target needs it; holds no memory. Its members are to be
/// read: a target keeps what it planned for it, and another binding is prepared anew.
template <class K, class Outs, class Weights, class Environment, class Problem>
struct Prepared {
    using frame = K;
    using inputs = decltype(detail::bind_inputs<K>(std::declval<const Environment&>(), typename K::prologues{}));

    Problem problem;
    Weights weights;
    inputs in;
    Bound<typename K::epilogue, Environment> epilogue;
    BoundSink<typename K::sink, Outs> sink;
    decltype(detail::inner_environment<K>(std::declval<const Environment&>(), std::declval<const Problem&>())) inner;
    std::uint64_t identity = detail::new_identity();    ///< copies have the same

    /// Launches on a target (`Host`, …). Nothing is allocated here, but for the plan at the first run on a target that
    /// plans. Throws where a tensor that has elements is null, or a weight was packed by another kind of target.
    template <class Target>
    void run(Target& target) const {
        constexpr bool fp64 = detail::holds_double<Outs> || detail::holds_double<Weights> ||
                              detail::holds_double<decltype(Environment::buffers)>,
                       takes_types = !fp64 || requires { Target::takes_fp64; };
        static_assert(takes_types, "inlay: fp64 is for the oracle; executors take fp32, fp16 and bf16");
        if constexpr (!takes_types) return;
        else if constexpr (detail::target_fits<K, Target, BoundSink<typename K::sink, Outs>>()) {
            if constexpr (requires(const detail::AnyPrepared& k) { target.run_planned(k); })
                target.run_planned({identity, this, &target, run_frame<Target>});
            else run_on(target);
        }
    }
    template <class... Target>
    void run(const Target&&...) const {
        static_assert(sizeof...(Target) > 99, "inlay: run takes a target by name, which outlives what it runs: Host cpu; "
                                              "kernel.run(cpu)");
    }
    template <class... Target>
    void operator()(const Target&...) const {
        static_assert(sizeof...(Target) > 99, "inlay: a prepared kernel is launched by run(target)");
    }

    /// Bytes of scratch memory that a run on this target takes; 0 on the CPU, which keeps its own. The tensors have
    /// memory. On a GPU it also plans the kernel, so that the run only enqueues and can be captured.
    template <class Target>
    std::size_t workspace_bytes(Target& target) const {
        return target.workspace_bytes(*this);
    }
    /// The same with scratch memory of the caller's: the library allocates none. Throws where there is too little of
    /// it, or none, or it is not aligned, before anything is launched.
    template <class Target>
    void run(Target& target, const Workspace& workspace) const {
        detail::demand_workspace(name<K>, workspace, workspace_bytes(target));
        [[maybe_unused]] const auto lent = target.lend(workspace);
        run(target);
    }

private:
    template <class Target>
    static void run_frame(const void* kernel, void* target) {
        static_cast<const Prepared*>(kernel)->run_on(*static_cast<Target*>(target));
    }
    template <class Target>
    void run_on(Target& target) const {
        using S = detail::slots_of<K>;
        detail::demand_memory(name<K>, "output ", sink.outs, std::make_integer_sequence<int, S::outputs>{});
        detail::demand_memory(name<K>, "weight ", weights, std::make_integer_sequence<int, K::weights>{});
        if constexpr (requires { Target::panel_columns; })
            detail::demand_layout(name<K>, Target::panel_columns, weights,
                                  std::make_integer_sequence<int, K::weights>{});
        if constexpr (!detail::broadcasts(typename S::nodes{}))
            detail::demand_memory(name<K>, "tensor slot ", epilogue.env.buffers,
                                  std::make_integer_sequence<int, S::tensors>{});
        K::run(target, *this);
    }
};

namespace detail {

/// In place of a Prepared where a static_assert said why there is none: no second error follows.
struct NotPrepared {
    template <class Target>
    void run(Target&) const {}
    template <class Target>
    void run(Target&, const Workspace&) const {}
    template <class Target>
    std::size_t workspace_bytes(Target&) const {
        return 0;
    }
};

template <class K, class A>
auto prepare_checked(const A& a) {
    using Outs = std::remove_const_t<decltype(a.outs)>;
    using Inputs = std::remove_const_t<decltype(a.env)>;
    using Snk = typename K::sink;
    using Epilogue = typename K::epilogue;
    if constexpr (!sink_fits<Snk, Outs>(typename Snk::children{})) return NotPrepared{};
    else if constexpr (!prologues_fit<K, Inputs, Outs>(typename K::prologues{})) return NotPrepared{};
    else {
        check_operands<K>(a);
        const auto problem = frame_shape<K>(a, typename K::prologues{}, std::make_integer_sequence<int, K::weights>{});
        const auto env = with_out(a.env, problem.out);
        using Environment = std::remove_const_t<decltype(env)>;
        const auto inner = inner_environment<K>(a.env, problem);
        if constexpr (!inner_fits<K, std::remove_const_t<decltype(inner)>>()) return NotPrepared{};
        else if constexpr (epilogue_fits<K, Environment, Outs>()) {
            if constexpr (requires { K::check_inner(inner, a.outs); }) K::check_inner(inner, a.outs);
            const BoundSink<Snk, Outs> sink(a.outs, a.env);
            const auto stored = sink_extents<Snk>(a.outs, a.env);
            if (!(broadcast_extents(extents_of<Epilogue>(env), problem.out) == problem.out))
                fail(name<K>() + ": the epilogue " + name<Epilogue>() + " has extents " +
                     text(extents_of<Epilogue>(env)) + ", the kernel's result has " + text(problem.out));
            if (!(stored == problem.out))
                fail(name<K>() + ": the output takes " + text(stored) + ", the kernel computes " + text(problem.out));
            return Prepared<K, Outs, decltype(a.weights), Environment, std::remove_const_t<decltype(problem)>>{
                problem, a.weights, bind_inputs<K>(env, typename K::prologues{}), bind<Epilogue>(env), sink, inner};
        } else {
            return NotPrepared{};
        }
    }
}

}  // namespace detail

/// Binds K's slots and checks ranks, extents and types. Throws `Error` on a misfit; nothing has run then.
template <class K, class... Args>
auto prepare(const Args&... args) {
    if constexpr (!detail::kernel_fits<true, K>()) return detail::NotPrepared{};
    else if constexpr (!detail::arguments_fit<true, K, std::remove_cvref_t<Args>...>()) return detail::NotPrepared{};
    else {
        using S = detail::slots_of<K>;
        try {
            return detail::prepare_checked<K>(detail::split_arguments<K>(
                std::make_integer_sequence<int, S::outputs>{}, std::make_integer_sequence<int, K::weights>{},
                std::make_integer_sequence<int, S::tensors>{}, std::make_integer_sequence<int, S::scalars>{}, args...));
        } catch (const Error& e) {
            detail::fail_in(name<K>(), e.what());
        }
    }
}

#define INLAY_REFUSE_KERNEL(given, ...)                                                             \
    template <__VA_ARGS__, class... Args>                                                           \
    detail::NotPrepared prepare(const Args&...) {                                                   \
        static_assert(sizeof...(Args) > 999, "inlay: the K of prepare<K> is a type, a frame or a "  \
                                             "struct that derives from one: " given);               \
        return {};                                                                                  \
    }
/// Kernels that are no type: a template, as frames are without their arguments, a value, none.
INLAY_REFUSE_KERNEL("Softmax<>, not Softmax", template <class...> class)
INLAY_REFUSE_KERNEL("LayerNorm<>, not LayerNorm", template <class, class, class, double, class> class)
INLAY_REFUSE_KERNEL("GroupNorm<32>, not GroupNorm", template <int, class, class, class, double, class> class)
INLAY_REFUSE_KERNEL("Attention<64, Q, K, V>, not Attention", template <int, class, class, class, class...> class)
INLAY_REFUSE_KERNEL("ConvTranspose2D<4, 2>, not ConvTranspose2D", template <int, int, int, int, class, class, class, class> class)
INLAY_REFUSE_KERNEL("prepare<kernel>(y, x), not prepare<kernel{}>(y, x) or prepare(y, x)", auto Value = 0)
#undef INLAY_REFUSE_KERNEL

}  // namespace inlay::inline INLAY_ABI
