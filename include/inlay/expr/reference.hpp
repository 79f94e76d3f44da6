// SPDX-License-Identifier: Apache-2.0
/// The oracle of every test: an expression at one coordinate, in double, straight from each node's definition. It
/// shares neither walks nor flattening with `eval.hpp`, evaluates shared subtrees again, and is slow.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/view/broadcast.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/dilate.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/group_moments.hpp>
#include <inlay/expr/view/im2col.hpp>
#include <inlay/expr/view/pad.hpp>
#include <inlay/expr/view/paged.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/expr/view/published.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/expr/view/upsample.hpp>

#include <utility>

namespace inlay::inline INLAY_ABI {

/// The sums of a kernel at a coordinate.
struct Computed {
    double out, gate;
    Computed(double o, double g = 0) : out(o), gate(g) {}
};

/// E at coordinate c of the expression that reads it; `sums`: the values of Out and OutGate.
template <class E, class Environment, int R>
double reference(const Environment& env, const Extents<R>& c, Computed sums = 0.0);

namespace detail {

/// NumPy's broadcasting: align on the right, axes of extent 1 are read at 0.
template <int R, int Q>
Extents<Q> aligned(const Extents<R>& c, const Extents<Q>& e) {
    Extents<Q> r;
    for (int i = 0; i < Q; ++i) r[i] = e[i] == 1 ? 0 : c[R - Q + i];
    return r;
}

template <class E>
struct definition;

template <class E, index_t... P>
struct definition<node::Permute<E, P...>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed sums) {
        const int p[] = {static_cast<int>(P)...};
        Extents<R> in;
        for (int i = 0; i < R; ++i) in[p[i]] = c[i];
        return reference<E>(env, in, sums);
    }
};
template <class E, index_t A, index_t B>
struct definition<node::Transpose<E, A, B>> {
    template <class Env_, int R>
    static double at(const Env_& env, Extents<R> c, Computed sums) {
        const int a = A < 0 ? A + R : A, b = B < 0 ? B + R : B;
        std::swap(c.v[a], c.v[b]);
        return reference<E>(env, c, sums);
    }
};
template <class E, auto A, auto S, auto N>
struct definition<node::Slice<E, A, S, N>> {
    template <class Env_, int R>
    static double at(const Env_& env, Extents<R> c, Computed sums) {
        const index_t axis = argument_value<A>(env);
        c[static_cast<int>(axis < 0 ? axis + R : axis)] += argument_value<S>(env);
        return reference<E>(env, c, sums);
    }
};
template <class E, auto... D>
struct definition<node::Reshape<E, D...>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed sums) {
        const auto to = extents_of<node::Reshape<E, D...>>(env);
        const auto from = extents_of<E>(env);
        index_t linear = 0;
        for (int i = 0; i < R; ++i) linear = linear * to[i] + c[i];
        return reference<E>(env, unravel(linear, from), sums);
    }
};
template <class E, class Like>
struct definition<node::Broadcast<E, Like>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed sums) {
        return reference<E>(env, c, sums);
    }
};
template <auto A, class... E>
struct definition<node::Concat<A, E...>> {
    template <class Env_, int R>
    static double at(const Env_& env, Extents<R> c, Computed sums) {
        const index_t a = argument_value<A>(env);
        const int axis = static_cast<int>(a < 0 ? a + R : a);
        double v = 0;
        bool found = false;
        (
            [&] {
                if (found) return;
                const index_t n = extents_of<E>(env)[axis];
                if (c[axis] < n) {
                    v = reference<E>(env, c, sums);
                    found = true;
                } else {
                    c[axis] -= n;
                }
            }(),
            ...);
        return v;
    }
};
template <class E, auto A, auto Before, auto After, Real Value>
struct definition<node::Pad<E, A, Before, After, Value>> {
    template <class Env_, int R>
    static double at(const Env_& env, Extents<R> c, Computed sums) {
        const index_t a = argument_value<A>(env);
        const int axis = static_cast<int>(a < 0 ? a + R : a);
        c[axis] -= argument_value<Before>(env);
        if (c[axis] < 0 || c[axis] >= extents_of<E>(env)[axis]) return value_of(Value);
        return reference<E>(env, c, sums);
    }
};
template <class E, index_t F, index_t... A>
struct definition<node::Dilate<E, F, A...>> {
    template <class Env_, int R>
    static double at(const Env_& env, Extents<R> c, Computed sums) {
        for (const index_t a : {A...}) {
            index_t& i = c[static_cast<int>(a < 0 ? a + R : a)];
            if (i % F != 0) return 0;
            i /= F;
        }
        return reference<E>(env, c, sums);
    }
};
template <class E, index_t F, index_t... A>
struct definition<node::Upsample<E, F, A...>> {
    template <class Env_, int R>
    static double at(const Env_& env, Extents<R> c, Computed sums) {
        ((c[static_cast<int>(A < 0 ? A + R : A)] /= F), ...);
        return reference<E>(env, c, sums);
    }
};
template <class E, index_t Rows, index_t Cols, index_t Stride, index_t PR, index_t PC>
struct definition<node::Im2col<E, Rows, Cols, Stride, PR, PC>> {
    template <class Env_>
    static double at(const Env_& env, const Extents<4>& c, Computed sums) {
        const auto in = extents_of<E>(env);
        const index_t r = c[3] / (Cols * in[3]), s = c[3] / in[3] % Cols;
        const index_t y = c[1] * Stride + r - PR, x = c[2] * Stride + s - PC;
        if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) return 0;
        return reference<E>(env, Extents<4>{{c[0], y, x, c[3] % in[3]}}, sums);
    }
};
template <class Table, class Index, index_t Axis>
struct definition<node::Gather<Table, Index, Axis>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed sums) {
        constexpr int T = rank_of<Table, Env_>, I = rank_of<Index, Env_>;
        const auto table = extents_of<Table>(env);
        const int axis = static_cast<int>(Axis < 0 ? Axis + T : Axis);
        Extents<I> i;
        for (int d = 0; d < I; ++d) i[d] = c[axis + d];
        const auto row = static_cast<index_t>(reference<Index>(env, i, sums));
        Extents<T> t;
        for (int d = 0; d < T; ++d) t[d] = d < axis ? c[d] : d > axis ? c[d + I - 1] : 0;
        t[axis] = row < 0 ? 0 : row >= table[axis] ? table[axis] - 1 : row;
        return reference<Table>(env, t, sums);
    }
};
template <class Pages, class Table>
struct definition<node::Paged<Pages, Table>> {
    template <class Env_>
    static double at(const Env_& env, const Extents<4>& c, Computed sums) {
        const auto pool = extents_of<Pages>(env);
        const Extents<2> entry{{c[0], c[2] / pool[1]}};
        const auto id = static_cast<index_t>(reference<Table>(env, entry, sums));
        const index_t page = id < 0 ? 0 : id >= pool[0] ? pool[0] - 1 : id;
        return reference<Pages>(env, Extents<4>{{page, c[2] % pool[1], c[1], c[3]}}, sums);
    }
};

/// The parts of a record one by one: about the mean of all, which the means of the parts give.
template <class N, class Env_, int R>
double published_reference(const Env_& env, Extents<R> c) {
    const auto& records = env.template tensor<type_at<0, typename N::children>::slot>();
    const auto number = [&](index_t i) {
        c.back(0) = i;
        return static_cast<double>(records(c));
    };
    const double width = number(0), columns = number(1);
    double mean = 0, m2 = 0;
    const auto each_part = [&](auto&& f) {
        double left = columns;
        for (index_t i = 2; left > 0; i += 2, left -= width) f(left < width ? left : width, number(i), number(i + 1));
    };
    each_part([&](double n, double of_part, double) { mean += n / columns * of_part; });
    each_part([&](double n, double of_part, double squares) {
        m2 += squares + n * (of_part - mean) * (of_part - mean);
    });
    return N::of(RowMoments<double>{mean, m2 / columns});
}
template <class E>
struct definition<PublishedMean<E>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed) {
        return published_reference<PublishedMean<E>>(env, c);
    }
};
template <class E, Real Eps>
struct definition<node::PublishedRstd<E, Eps>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed) {
        return published_reference<node::PublishedRstd<E, Eps>>(env, c);
    }
};

/// The channels of a group one by one: their mean, then squares about it.
template <class N, class Env_, int R>
double group_reference(const Env_& env, const Extents<R>& c) {
    const auto& stats = env.template tensor<type_at<0, typename N::children>::slot>();
    const auto& like = env.template tensor<type_at<1, typename N::children>::slot>().extents;
    index_t pixels = 1;
    for (int i = 1; i + 1 < R; ++i) pixels *= like[i];
    const index_t width = like.back(0) / N::groups, first = c.back(0) / width * width;
    double mean = 0, variance = 0;
    for (index_t i = first; i < first + width; ++i) mean += static_cast<double>(stats({{c[0], i, 0}})) / double(width);
    for (index_t i = first; i < first + width; ++i)
        variance += (static_cast<double>(stats({{c[0], i, 1}})) / double(pixels) +
                     std::pow(static_cast<double>(stats({{c[0], i, 0}})) - mean, 2)) / double(width);
    return N::of(mean, variance);
}
template <class E, class L, int G>
struct definition<GroupMean<E, L, G>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed) {
        return group_reference<GroupMean<E, L, G>>(env, c);
    }
};
template <class E, class L, int G, Real Eps>
struct definition<node::GroupRstd<E, L, G, Eps>> {
    template <class Env_, int R>
    static double at(const Env_& env, const Extents<R>& c, Computed) {
        return group_reference<node::GroupRstd<E, L, G, Eps>>(env, c);
    }
};

template <class E, class Env_, int R, class... K>
double pointwise_at(const Env_& env, const Extents<R>& c, Computed sums, types<K...>) {
    return E::apply(reference<K>(env, c, sums)...);
}

}  // namespace detail

template <class E, class Environment, int R>
double reference(const Environment& env, const Extents<R>& c, Computed sums) {
    if constexpr (std::is_same_v<E, Out>) return sums.out;
    else if constexpr (std::is_same_v<E, OutGate>) return sums.gate;
    else if constexpr (detail::is_const<E>) return E::value;
    else if constexpr (detail::is_param<E>) return env.template scalar<E::slot>()();
    else if constexpr (detail::is_coord<E>) return static_cast<double>(c[E::axis < 0 ? E::axis + R : E::axis]);
    else if constexpr (detail::is_query_position<E>) return static_cast<double>(c[2] + env.out[3] - env.out[2]);
    else if constexpr (detail::is_buf<E>) {
        const auto& t = env.template tensor<E::slot>();
        return from_storage<double>(t(detail::aligned(c, t.extents)));
    } else if constexpr (E::kind == NodeKind::view) {
        return detail::definition<E>::at(env, detail::aligned(c, extents_of<E>(env)), sums);
    } else {
        return detail::pointwise_at<E>(env, c, sums, typename E::children{});
    }
}

}  // namespace inlay::inline INLAY_ABI
