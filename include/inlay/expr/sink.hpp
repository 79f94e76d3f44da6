// SPDX-License-Identifier: Apache-2.0
/// Sinks: the layout of a result on write. A sink maps a coordinate of the frame's result to an output slot and a
/// coordinate in it, so no pass of its own permutes, splits or scatters anything. Here they are bound to their outputs;
/// `expr/sink/` has one a file.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/sink/store.hpp>
#include <inlay/expr/row_record.hpp>
#include <inlay/expr/sink/with_row_stats.hpp>
#include <inlay/expr/sink/with_stats.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// Rank of the result a sink expects.
template <class S, class Outs>
struct rank_of_sink {
    template <class... K>
    static constexpr int from(types<K...>) {
        return S::template rank<rank_of_sink<K, Outs>::value...>;
    }
    static constexpr int value = from(typename S::children{});
};
template <int I, class Outs>
struct rank_of_sink<Store<I>, Outs> {
    static constexpr int value = std::remove_cvref_t<decltype(get<I>(std::declval<const Outs&>()))>::rank;
};

/// True for a sink whose places are read from a tensor slot.
template <class S>
inline constexpr bool sink_reads_slots = requires { typename S::index; };

template <class S, class Outs, class Environment>
auto sink_extents(const Outs& outs, const Environment& env);
template <class S, class Outs, class Environment, class... K>
auto sink_extents_from(const Outs& outs, const Environment& env, types<K...>) {
    if constexpr (sink_reads_slots<S>) return S::extents_with(env, sink_extents<K>(outs, env)...);
    else return S::extents(sink_extents<K>(outs, env)...);
}
/// Extents of the result a sink expects, from the outputs and slots it is bound to.
template <class S, class Outs, class Environment>
auto sink_extents(const Outs& outs, const Environment& env) {
    if constexpr (is_store<S>) return get<S::slot>(outs).extents;
    else return sink_extents_from<S>(outs, env, typename S::children{});
}
/// The type of a sink's state over others with these extents, and the state.
template <class S, class... E>
struct state_of_sink {
    using type = decltype(S::bind(std::declval<const E&>()...));
};
template <class S, class... E>
    requires sink_reads_slots<S>
struct state_of_sink<S, E...> {
    using type = typename S::State;
};
template <class S, class Environment, int... R>
auto sink_state(const Environment& env, const Extents<R>&... below) {
    if constexpr (sink_reads_slots<S>) return S::bind_slots(env, below...);
    else return S::bind(below...);
}

template <class S, class Outs, class Children>
struct bound_sink;
template <class S, class Outs, class... K>
struct bound_sink<S, Outs, types<K...>> {
    using State = typename state_of_sink<S, Extents<rank_of_sink<K, Outs>::value>...>::type;
    State state;
    pack<bound_sink<K, Outs, typename K::children>...> below;

    template <class Environment>
    bound_sink(const Outs& o, const Environment& env)
        : state(sink_state<S>(env, sink_extents<K>(o, env)...)),
          below(make_pack(bound_sink<K, Outs, typename K::children>(o, env)...)) {}

    /// Calls `write(pointer, step, first, run)` for the longest run that starts at the walk, and returns it.
    INLAY_CALLS_BACK
    template <int R, class F>
    INLAY_FN index_t place(const Outs& outs, Walk<R> w, index_t first, F&& write) const {
        const int active = S::piece(state, w);
        return place_piece(outs, w, active, first, write, std::make_integer_sequence<int, S::pieces>{});
    }

private:
    INLAY_CALLS_BACK
    template <int R, class F, int... I>
    INLAY_FN index_t place_piece(const Outs& outs, const Walk<R>& w, int active, index_t first, F&& write,
                                 std::integer_sequence<int, I...>) const {
        index_t n = 0;
        ((active == I ? (n = get<I>(below).place(outs, S::template enter<I>(state, w), first, write), void()) : void()),
         ...);
        return n;
    }
};
template <int S, class Outs>
struct bound_sink<Store<S>, Outs, types<>> {
    template <class Environment>
    bound_sink(const Outs&, const Environment&) {}
    INLAY_CALLS_BACK
    template <int R, class F>
    INLAY_FN index_t place(const Outs& outs, const Walk<R>& w, index_t first, F&& write) const {
        const auto& t = get<S>(outs);
        index_t o = 0;
        for (int i = 0; i < R; ++i) o += w.c[i] * t.strides[i];
        write(t.data + o, w.axis < 0 ? index_t(0) : t.strides[w.axis], first, w.run);
        return w.run;
    }
};

}  // namespace detail

/// A sink bound to its outputs, and to the slots that it reads.
template <class S, class Outs>
struct BoundSink {
    using sink = S;
    Outs outs;
    detail::bound_sink<S, Outs, typename S::children> root;

    explicit BoundSink(const Outs& o) : BoundSink(o, Env<-1, 0>{}) {}
    template <class Environment>
    BoundSink(const Outs& o, const Environment& env) : outs(o), root(o, env) {
        if constexpr (detail::is_stats<S>) {
            const auto& y = get<detail::stats_source<S>>(outs).extents;
            const auto& stats = get<S::slot>(outs).extents;
            require(stats == Extents<3>{{y[0], y.back(0), 2}}, name<S>(), ": the statistics of ", text(y),
                    " have extents ", text(Extents<3>{{y[0], y.back(0), 2}}), ", the output has ", text(stats));
            require(has_elements(y) || !has_elements(stats), name<S>(), ": the channels of ", text(y),
                    " have no elements, so no mean");
        }
        if constexpr (detail::is_row_stats<S>) {
            const auto& y = get<detail::row_stats_source<S>>(outs).extents;
            const auto& records = get<S::slot>(outs).extents;
            auto expected = y;
            expected.back(0) = records.back(0);
            require(records == expected && is_row_record(records.back(0)), name<S>(), ": the records of the rows of ",
                    text(y), " have its extents but for the last, an even number of at least 4, the output has ",
                    text(records));
            require(has_elements(y) || !has_elements(records), name<S>(), ": the rows of ", text(y),
                    " have no elements, so no mean");
        }
    }
    /// Writes a row of n values from coordinate c on, in runs: `write(pointer, step, first, run)`.
    INLAY_CALLS_BACK
    template <int R, class F>
    INLAY_FN void row(Extents<R> c, index_t n, F&& write) const {
        const index_t begin = c[R - 1];
        for (index_t done = 0; done < n;) {
            c[R - 1] = begin + done;
            done += root.place(outs, Walk<R>{c, R - 1, n - done}, done, write);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI
