// SPDX-License-Identifier: Apache-2.0
/// Runs derived recurrences as kernels do: blocks of keys, parts of the keys that are combined, passes of TwoPass.
#pragma once

#include <inlay/plan/attention/online/state.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace inlay_test {

using namespace inlay;

/// One row: scores in the type computed with, V [keys][columns].
template <class T>
struct RowData {
    std::vector<T> score, second, v;
    int columns = 0;
    T slot = 0, param = 0;  ///< Buf<0>, Param<0>

    int keys() const { return static_cast<int>(score.size()); }
};
/// Keys of a block, and the first keys of parts but for the first one; `last_first`: the later parts are combined with
/// each other before the earlier ones.
struct Split {
    int block = 1;
    std::vector<int> at;
    bool last_first = false;
    int lag = 0;  ///< below the greatest: the maxima of a block where those may lag
};

/// Nodes TwoPass<E>, in the order of their passes.
template <class Passes>
struct Computed;
template <class... R>
struct Computed<types<R...>> {
    template <class List>
    struct marked;
    template <class... E>
    struct marked<types<E...>> {
        using type = types<TwoPass<E>...>;
    };
    using type = join_types<typename marked<typename R::outputs>::type...>;
};

template <class T, class Known>
struct Leaves {
    const RowData<T>& row;
    const std::vector<T>& known;
    int key = -1;

    T operator()(Score) const { return row.score[static_cast<std::size_t>(key)]; }
    T operator()(SecondScore) const { return row.second[static_cast<std::size_t>(key)]; }
    T operator()(Coord<3>) const { return static_cast<T>(key); }
    T operator()(Buf<0>) const { return row.slot; }
    T operator()(Param<0>) const { return row.param; }
    template <class E>
    T operator()(TwoPass<E>) const {
        return known.at(static_cast<std::size_t>(detail::index_in<Known, TwoPass<E>>));
    }
};

/// A part of the keys: the state, and sums with V [vectors][columns].
template <class R, class T>
struct Part {
    using State = online::Row<R, T>;
    State state;
    std::vector<T> out;
};

template <class R, class Known, class T>
class Runner {
    using State = online::Row<R, T>;
    using Maxima = decltype(State::most);
    using Weights = T[R::weights::size > 0 ? R::weights::size : 1];
    static constexpr int vectors = R::vectors::size;
    const RowData<T>& row;
    const std::vector<T>& known;

    Leaves<T, Known> at(int key = -1) const { return {row, known, key}; }
    template <class... V>
    static int weight_of_vector(int i, types<V...>) {
        const int w[] = {detail::index_in<typename R::weights, online::weight_of<V>>..., 0};
        return w[i];
    }
    T& sum(Part<R, T>& p, int vector, int column) const {
        return p.out[static_cast<std::size_t>(vector * row.columns + column)];
    }
    template <class F>
    void each_sum(F&& f) const {
        for (int i = 0; i < vectors; ++i)
            for (int c = 0; c < row.columns; ++c) f(i, c, weight_of_vector(i, typename R::vectors{}));
    }
    Part<R, T> part(int begin, int end, const Split& split) const {
        const int block = split.block;
        Part<R, T> p;
        p.out.assign(static_cast<std::size_t>(vectors * row.columns), T(0));
        for (int b = begin; b < end; b += block) {
            const int e = std::min(b + block, end);
            const State none;
            Maxima most;
            for (std::size_t i = 0; i < sizeof(most) / sizeof(T); ++i) most[i] = none.most[i];
            for (int k = b; k < e; ++k) State::raise(most, at(k));
            if constexpr (R::maxima_may_lag)
                for (T& m : most) m -= T(split.lag);
            Weights by, w;
            p.state.advance(most, by, at());
            each_sum([&](int i, int c, int n) { sum(p, i, c) *= by[n]; });
            for (int k = b; k < e; ++k) {
                p.state.add(w, at(k));
                each_sum([&](int i, int c, int n) {
                    sum(p, i, c) += w[n] * row.v[static_cast<std::size_t>(k * row.columns + c)];
                });
            }
        }
        return p;
    }
    void combine(Part<R, T>& a, Part<R, T>& b) const {
        Weights by, by_other;
        a.state.combine(b.state, by, by_other, at());
        each_sum([&](int i, int c, int n) { sum(a, i, c) = sum(a, i, c) * by[n] + sum(b, i, c) * by_other[n]; });
    }
    template <int I>
    std::vector<T> output(Part<R, T>& p) const {
        std::vector<T> y;
        const int columns = online::is_vector<type_at<I, typename R::finish>> ? row.columns : 1;
        for (int c = 0; c < columns; ++c) {
            T vector[vectors > 0 ? vectors : 1] = {};
            for (int i = 0; i < vectors; ++i) vector[i] = sum(p, i, c);
            y.push_back(p.state.template output<I>(vector, at()));
        }
        return y;
    }
    template <int... I>
    std::vector<std::vector<T>> outputs(Part<R, T>& p, std::integer_sequence<int, I...>) const {
        return {output<I>(p)...};
    }

public:
    Runner(const RowData<T>& r, const std::vector<T>& k) : row(r), known(k) {}

    std::vector<std::vector<T>> run(const Split& s) const {
        std::vector<Part<R, T>> parts;
        const auto bound = [&](std::size_t i) { return i < s.at.size() ? std::min(s.at[i], row.keys()) : row.keys(); };
        for (std::size_t i = 0; i <= s.at.size(); ++i) parts.push_back(part(i ? bound(i - 1) : 0, bound(i), s));
        while (parts.size() > 1) {
            const std::size_t i = s.last_first ? parts.size() - 2 : 0;
            combine(parts[i], parts[i + 1]);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        return outputs(parts[0], std::make_integer_sequence<int, R::outputs::size>{});
    }
};

/// The outputs of a row, each of `columns` numbers or of one.
template <class... Output, class T>
std::vector<std::vector<T>> run_row(const RowData<T>& row, const Split& split) {
    using Passes = online::passes_of<Output...>;
    using Known = typename Computed<Passes>::type;
    std::vector<T> known;
    std::vector<std::vector<T>> last;
    const auto pass = [&]<class R>(R*) {
        last = Runner<R, Known, T>(row, known).run(split);
        for (const auto& y : last) known.push_back(y[0]);
    };
    [&]<class... R>(types<R...>) { (pass(static_cast<R*>(nullptr)), ...); }(Passes{});
    return last;
}

}  // namespace inlay_test
