// SPDX-License-Identifier: Apache-2.0
/// The recurrence of a row in numbers: blocks of keys, parts of the keys, the end. Sums with V are the caller's, as
/// they are products of matrices: it multiplies them by the factors of `advance` and `combine`, and adds weights times
/// rows of V.
///
/// `at(Leaf{})` gives a number: Score and SecondScore of the key in `raise` and `add`, slots and TwoPass everywhere.
#pragma once

#include <inlay/plan/attention/online.hpp>
#include <inlay/plan/attention/online/evaluate.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI::online {

namespace detail {

template <class List>
inline constexpr int room_for = List::size > 0 ? List::size : 1;

template <class T>
inline constexpr bool is_before = false;
template <class M>
inline constexpr bool is_before<Before<M>> = true;

/// The reductions of recurrence R beside the caller's leaves.
template <class R, class T, class At>
struct State {
    const T *most, *before, *sum, *vector;
    const At& at;

    template <class Leaf>
    INLAY_FN INLAY_INLINE T operator()(Leaf leaf) const {
        return value(leaf);
    }

private:
    template <class E>
    INLAY_FN INLAY_INLINE T value(KeyMax<E>) const {
        return most[inlay::detail::index_in<typename R::maxima, KeyMax<E>>];
    }
    template <class M>
    INLAY_FN INLAY_INLINE T value(Before<M>) const {
        return before[inlay::detail::index_in<typename R::maxima, M>];
    }
    template <class W>
    INLAY_FN INLAY_INLINE T value(KeySum<W>) const {
        if constexpr (is_vector<KeySum<W>>) return vector[inlay::detail::index_in<typename R::vectors, KeySum<W>>];
        else return sum[inlay::detail::index_in<typename R::sums, KeySum<W>>];
    }
    template <class Leaf>
    INLAY_FN INLAY_INLINE T value(Leaf leaf) const {
        return at(leaf);
    }
};

}  // namespace detail

/// State and steps of recurrence R in T, float or double.
template <class R, class T>
struct Row {
    using maxima = typename R::maxima;
    using sums = typename R::sums;
    using weights = typename R::weights;
    static constexpr T hidden_score = -static_cast<T>(__builtin_huge_val());

    T most[detail::room_for<maxima>], sum[detail::room_for<sums>];

    /// A row of no key.
    INLAY_FN Row() {
        for (T& m : most) m = hidden_score;
        for (T& s : sum) s = T(0);
    }

    template <class At>
    INLAY_FN static bool hidden(const At& at) {
        bool is = at(Score{}) == hidden_score;
        if constexpr (inlay::detail::index_in<all_nodes, SecondScore> >= 0) is |= at(SecondScore{}) == hidden_score;
        return is;
    }
    /// Raises the maxima of a block, which begin at -infinity, to those of one key more.
    template <class At>
    INLAY_FN static void raise(T (&most)[detail::room_for<maxima>], const At& at) {
        if (!hidden(at)) raise_each(most, at, maxima{});
    }
    /// Brings the state to the maxima of a block. `by`: the factor of the sums of each weight.
    template <class At>
    INLAY_FN void advance(const T (&block)[detail::room_for<maxima>], T (&by)[detail::room_for<weights>],
                          const At& at) {
        T next[detail::room_for<maxima>];
        for (int i = 0; i < detail::room_for<maxima>; ++i) next[i] = (math::max)(most[i], block[i]);
        rebase(next, by, at);
    }
    /// Adds a key. `w`: its weights, by which its row of V is multiplied; 0 for a hidden one.
    template <class At>
    INLAY_FN void add(T (&w)[detail::room_for<weights>], const At& at) {
        weigh_each(w, at, weights{});
        add_each(w, sums{});
    }
    /// Adds the state of keys that come after. `by`, `by_other`: the factors of both sides' sums with V.
    template <class At>
    INLAY_FN void combine(Row other, T (&by)[detail::room_for<weights>], T (&by_other)[detail::room_for<weights>],
                          const At& at) {
        T next[detail::room_for<maxima>];
        for (int i = 0; i < detail::room_for<maxima>; ++i) next[i] = (math::max)(most[i], other.most[i]);
        rebase(next, by, at);
        other.rebase(next, by_other, at);
        for (int i = 0; i < detail::room_for<sums>; ++i) sum[i] += other.sum[i];
    }
    /// True for a row that saw no key. Always false where outputs are 0 without a test.
    INLAY_FN bool empty() const {
        if constexpr (R::guard == RowGuard::sum) return sum[R::guarding_sum] == T(0);
        else if constexpr (R::guard == RowGuard::maximum) return most[R::guarding_maximum] == hidden_score;
        else if constexpr (R::guard == RowGuard::count) return sum[R::count] == T(0);
        else return false;
    }
    /// Output I; `vector`: the sums with V at one of its columns. Of a row without a key, an output with V is 0, and
    /// another one what sums of 0 and maxima of -infinity make of it, but 0 instead of NaN.
    template <int I, class At>
    INLAY_FN T output(const T* vector, const At& at) const {
        using E = type_at<I, typename R::finish>;
        if (is_vector<E> && empty()) return T(0);
        const T x = evaluate<E, T>(detail::State<R, T, At>{most, most, sum, vector, at});
        return x != x && empty() ? T(0) : x;
    }

private:
    template <class List>
    struct nodes_in;
    template <class... E>
    struct nodes_in<types<E...>> {
        using type = unite_types<types<>, nodes_of<E>...>;
    };
    using all_nodes = typename nodes_in<typename R::outputs>::type;

    template <class At, class... E>
    INLAY_FN static void raise_each([[maybe_unused]] T* to, [[maybe_unused]] const At& at, types<KeyMax<E>...>) {
        [[maybe_unused]] int i = 0;
        ((to[i] = (math::max)(to[i], evaluate<E, T>(at)), ++i), ...);
    }
    template <class At>
    INLAY_FN void rebase(const T (&next)[detail::room_for<maxima>], T (&by)[detail::room_for<weights>], const At& at) {
        factor_each(next, by, at, weights{});
        scale_each(by, sums{});
        for (int i = 0; i < detail::room_for<maxima>; ++i) most[i] = next[i];
    }
    template <class At, class... W>
    INLAY_FN void factor_each(const T* next, [[maybe_unused]] T* by, const At& at, types<W...>) {
        [[maybe_unused]] const detail::State<R, T, At> state{next, most, sum, nullptr, at};
        [[maybe_unused]] int i = 0;
        ((by[i] = factor<rescale_of<W>>(state), ++i), ...);
    }
    /// 0 where a maximum was -infinity: no key has been seen, and sums are 0.
    template <class Ratio, class S>
    INLAY_FN T factor(const S& state) const {
        bool fresh = false;
        const auto look = [&]<class... N>(types<N...>) {
            const auto one = [&](auto node) {
                if constexpr (detail::is_before<decltype(node)>) fresh |= state(node) == hidden_score;
            };
            (one(N{}), ...);
        };
        look(typename detail::row_nodes<Ratio>::type{});
        return fresh ? T(0) : evaluate<Ratio, T>(state);
    }
    template <class... S>
    INLAY_FN void scale_each([[maybe_unused]] const T* by, types<S...>) {
        [[maybe_unused]] int i = 0;
        ((sum[i++] *= by[inlay::detail::index_in<weights, weight_of<S>>]), ...);
    }
    template <class At, class... W>
    INLAY_FN void weigh_each([[maybe_unused]] T* w, const At& at, types<W...>) const {
        [[maybe_unused]] const bool none = hidden(at);
        [[maybe_unused]] const detail::State<R, T, At> state{most, most, sum, nullptr, at};
        [[maybe_unused]] int i = 0;
        ((w[i++] = none ? T(0) : evaluate<W, T>(state)), ...);
    }
    template <class... S>
    INLAY_FN void add_each([[maybe_unused]] const T* w, types<S...>) {
        [[maybe_unused]] int i = 0;
        ((sum[i++] += w[inlay::detail::index_in<weights, weight_of<S>>]), ...);
    }
};

}  // namespace inlay::inline INLAY_ABI::online

INLAY_STRICT_DEVICE_END
