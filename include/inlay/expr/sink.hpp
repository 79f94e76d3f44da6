// SPDX-License-Identifier: Apache-2.0
/// Sinks: the layout of a result on write. A sink maps a coordinate of the frame's result to an output slot and a
/// coordinate in it, so no pass of its own permutes, splits or scatters anything.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

/// Output slot I, written as it is. Outputs come first among the arguments of `prepare`.
template <int I>
struct Store : sink_expression {
    using children = types<>;
    static constexpr int slot = I;
    static constexpr int pieces = 0;
};

namespace detail {
template <class S>
inline constexpr bool is_store = false;
template <int I>
inline constexpr bool is_store<Store<I>> = true;
}  // namespace detail

namespace node {

/// Axis i of what is stored is axis P[i] of the result.
template <class S, index_t... P>
struct Permuted : sink_expression {
    static_assert(detail::is_permutation<P...>, "inlay: the arguments of a permuted sink are not a permutation");
    using children = types<S>;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = R == sizeof...(P);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: a permuted sink names as many axes as its output has");
    }
    struct State {};
    template <int R>
    static State bind(const Extents<R>&) {
        return {};
    }
    /// Extents of the result, from those of the sink below.
    template <int R>
    static Extents<R> extents(const Extents<R>& stored) {
        constexpr int p[] = {static_cast<int>(P)...};
        Extents<R> e;
        for (int i = 0; i < R; ++i) e[p[i]] = stored[i];
        return e;
    }
    template <int R>
    INLAY_FN static int piece(const State&, Walk<R>&) {
        return 0;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const State&, const Walk<R>& w) {
        constexpr int p[] = {static_cast<int>(P)...};
        Walk<R> r;
        r.run = w.run;
        for (int i = 0; i < R; ++i) {
            r.c[i] = w.c[p[i]];
            if (w.axis == p[i]) r.axis = i;
        }
        return r;
    }
};

/// The last axis of the result split in two, [..., H·D] → [..., H, D]; D is that of the outputs.
template <class S>
struct SplitLast : sink_expression {
    using children = types<S>;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R - 1;
    template <int R>
    static constexpr bool accepts = R >= 2;
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: SplitLast stores [..., H, D]: its output has at least two axes");
    }
    struct State {
        index_t d;
    };
    template <int R>
    static State bind(const Extents<R>& stored) {
        return {stored.back(0)};
    }
    template <int R>
    static Extents<R - 1> extents(const Extents<R>& stored) {
        Extents<R - 1> e;
        for (int i = 0; i + 1 < R; ++i) e[i] = stored[i];
        e.back(0) *= stored.back(0);
        return e;
    }
    template <int R>
    INLAY_FN static int piece(const State& s, Walk<R>& w) {
        if (w.axis == R - 1) w.limit(s.d - w.c[R - 1] % s.d);
        return 0;
    }
    template <int K, int R>
    INLAY_FN static Walk<R + 1> enter(const State& s, const Walk<R>& w) {
        Walk<R + 1> r;
        r.run = w.run;
        for (int i = 0; i < R; ++i) r.c[i] = w.c[i];
        r.c[R - 1] = w.c[R - 1] / s.d;
        r.c[R] = w.c[R - 1] % s.d;
        r.axis = w.axis == R - 1 ? R : w.axis;
        return r;
    }
};

/// Parts of an axis of the result to different sinks, in order: one GEMM writes Q, K and V.
template <auto Axis, class... S>
struct Partition : sink_expression {
    using children = types<S...>;
    static constexpr int pieces = static_cast<int>(sizeof...(S));
    template <int R, int... Rest>
    static constexpr int rank = R;
    template <int R, int... Rest>
    static constexpr bool accepts = ((Rest == R) && ...) && detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: the sinks of a partition have one rank, and its axis is one of theirs");
    }
    struct State {
        int axis;
        index_t end[pieces];
    };
    template <int R, int... Rest>
    static State bind(const Extents<R>& first, const Extents<Rest>&... rest) {
        State s{normal_axis<Partition>(Axis, R), {}};
        index_t n = first[s.axis];
        int i = 0;
        s.end[i++] = n;
        ((s.end[i++] = n += rest[s.axis]), ...);
        return s;
    }
    template <int R, int... Rest>
    static Extents<R> extents(Extents<R> first, const Extents<Rest>&... rest) {
        const State s = bind(first, rest...);
        [[maybe_unused]] const auto agree = [&](const Extents<R>& e) {
            for (int i = 0; i < R; ++i)
                if (i != s.axis && e[i] != first[i])
                    fail(name<Partition>() + ": sinks of " + text(first) + " and " + text(e) + " differ off axis " +
                         std::to_string(s.axis));
        };
        (agree(rest), ...);
        first[s.axis] = s.end[pieces - 1];
        return first;
    }
    template <int R>
    INLAY_FN static int piece(const State& s, Walk<R>& w) {
        constexpr int axis = detail::axis_of<Axis, R>();
        int k = 0;
        while (k + 1 < pieces && w.c[axis] >= s.end[k]) ++k;
        if (w.moves(axis)) w.limit(s.end[k] - w.c[axis]);
        return k;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const State& s, Walk<R> w) {
        if constexpr (K > 0) w.c[detail::axis_of<Axis, R>()] -= s.end[K - 1];
        return w;
    }
};

/// Element i of an axis of the result at i·Stride + Offset of the output: the phases of a transposed or upsampled
/// convolution. The output's extent along the axis must be a multiple of Stride.
template <class S, index_t Axis, index_t Stride, index_t Offset>
struct Strided : sink_expression {
    static_assert(Stride >= 1 && Offset >= 0 && Offset < Stride, "inlay: a strided sink needs 0 <= Offset < Stride");
    using children = types<S>;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: a strided sink names an axis that its output does not have");
    }
    struct State {};
    template <int R>
    static State bind(const Extents<R>&) {
        return {};
    }
    template <int R>
    static Extents<R> extents(Extents<R> stored) {
        const int axis = normal_axis<Strided>(Axis, R);
        require(stored[axis] % Stride == 0, name<Strided>(), ": extent ", stored[axis], " of axis ", axis,
                " is not a multiple of ", Stride);
        stored[axis] /= Stride;
        return stored;
    }
    template <int R>
    INLAY_FN static int piece(const State&, Walk<R>& w) {
        if (w.moves(detail::axis_of<Axis, R>())) w.limit(1);
        return 0;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const State&, Walk<R> w) {
        constexpr int axis = detail::axis_of<Axis, R>();
        w.c[axis] = w.c[axis] * Stride + Offset;
        return w;
    }
};

}  // namespace node

/// Writes through S, and publishes to output slot J, [B, C, 2] in fp32, the mean of each channel of each batch item and
/// the sum of squared deviations from it, over all axes between. Merging them (Chan) gives the statistics of any group.
template <class S, int J>
struct WithStats : sink_expression {
    static_assert(detail::is_store<S>, "inlay: WithStats stands over a plain Store<I>");
    using children = types<S>;
    static constexpr int slot = J;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R;
    struct State {};
    template <int R>
    static State bind(const Extents<R>&) {
        return {};
    }
    template <int R>
    static Extents<R> extents(const Extents<R>& e) {
        return e;
    }
    template <int R>
    INLAY_FN static int piece(const State&, Walk<R>&) {
        return 0;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const State&, const Walk<R>& w) {
        return w;
    }
};

template <class S, auto... P>
using Permuted = node::Permuted<S, static_cast<index_t>(P)...>;
using node::SplitLast;
template <auto Axis, class... S>
using Partition = node::Partition<static_cast<index_t>(Axis), S...>;
template <class S, auto Axis, auto Stride, auto Offset>
using Strided = node::Strided<S, static_cast<index_t>(Axis), static_cast<index_t>(Stride), static_cast<index_t>(Offset)>;

template <int I>
inline constexpr Store<I> store{};
template <auto... P, Sink S>
INLAY_FN constexpr Permuted<S, P...> permuted(S) {
    return {};
}
template <Sink S>
INLAY_FN constexpr SplitLast<S> split_last(S) {
    return {};
}
template <auto Axis, Sink... S>
INLAY_FN constexpr Partition<Axis, S...> partition(S...) {
    return {};
}
template <auto Axis, auto Stride, auto Offset, Sink S>
INLAY_FN constexpr Strided<S, Axis, Stride, Offset> strided(S) {
    return {};
}
template <int J, Sink S>
INLAY_FN constexpr WithStats<S, J> with_stats(S) {
    return {};
}

namespace detail {

template <class S>
inline constexpr bool is_stats = false;
template <class S, int J>
inline constexpr bool is_stats<WithStats<S, J>> = true;
/// The output slot whose statistics a sink publishes: it must be stored as it is.
template <class S>
inline constexpr int stats_source = -1;
template <int I, int J>
inline constexpr int stats_source<WithStats<Store<I>, J>> = I;

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

template <class S, class Outs>
auto sink_extents(const Outs& outs);
template <class S, class Outs, class... K>
auto sink_extents_from(const Outs& outs, types<K...>) {
    return S::extents(sink_extents<K>(outs)...);
}
/// Extents of the result a sink expects, from the outputs it is bound to.
template <class S, class Outs>
auto sink_extents(const Outs& outs) {
    if constexpr (is_store<S>) return get<S::slot>(outs).extents;
    else return sink_extents_from<S>(outs, typename S::children{});
}

template <class S, class Outs, class Kids>
struct bound_sink;
template <class S, class Outs, class... K>
struct bound_sink<S, Outs, types<K...>> {
    using State = decltype(S::bind(sink_extents<K>(std::declval<const Outs&>())...));
    State state;
    pack<bound_sink<K, Outs, typename K::children>...> below;

    explicit bound_sink(const Outs& o)
        : state(S::bind(sink_extents<K>(o)...)), below(make_pack(bound_sink<K, Outs, typename K::children>(o)...)) {}

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
    explicit bound_sink(const Outs&) {}
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

/// A sink bound to its outputs.
template <class S, class Outs>
struct BoundSink {
    using sink = S;
    Outs outs;
    detail::bound_sink<S, Outs, typename S::children> root;

    explicit BoundSink(const Outs& o) : outs(o), root(o) {
        if constexpr (detail::is_stats<S>) {
            const auto& y = get<detail::stats_source<S>>(outs).extents;
            const auto& stats = get<S::slot>(outs).extents;
            require(stats == Extents<3>{{y[0], y.back(0), 2}}, name<S>(), ": the statistics of ", text(y),
                    " have extents ", text(Extents<3>{{y[0], y.back(0), 2}}), ", the output has ", text(stats));
        }
    }
    auto extents() const { return detail::sink_extents<S>(outs); }

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
