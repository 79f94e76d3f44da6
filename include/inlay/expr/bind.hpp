// SPDX-License-Identifier: Apache-2.0
/// Binding: from slots to tensors and scalars. Ranks are known at compile time, extents are checked once, here.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/expr/leaf.hpp>
#include <inlay/expr/node.hpp>
#include <inlay/expr/print.hpp>

namespace inlay::inline INLAY_ABI {

/// A run-time scalar: a value, or a pointer that every run reads again.
struct Scalar {
    double value = 0;
    const float* live = nullptr;
    Scalar() = default;
    constexpr Scalar(double v) : value(v) {}
    constexpr explicit Scalar(const float* p) : live(p) {}
    INLAY_FN double operator()() const { return as<double>(); }
    /// The value as S. One behind a pointer is read once and not widened on the way.
    template <class S>
    INLAY_FN S as() const {
        return live ? static_cast<S>(*live) : static_cast<S>(value);
    }
};

/// The contents of a kernel's slots. ROut: rank of `Out`, -1 where there is none (prologues). P: number of scalars.
template <int ROut, int P, class... Tensors>
struct Env {
    static constexpr int out_rank = ROut;
    using tensors = types<Tensors...>;
    pack<Tensors...> buffers;
    Scalar scalars[room_for<P>];
    Extents<(ROut > 0 ? ROut : 0)> out{};

    template <int I>
    INLAY_FN constexpr const auto& tensor() const {
        return get<I>(buffers);
    }
    template <int I>
    INLAY_FN constexpr const Scalar& scalar() const {
        return scalars[I];
    }
};

/// The same slots, with extents for `Out`.
template <int ROut, int P, class... T, int R>
constexpr Env<R, P, T...> with_out(const Env<ROut, P, T...>& e, const Extents<R>& result) {
    Env<R, P, T...> r{e.buffers, {}, result};
    for (int i = 0; i < P; ++i) r.scalars[i] = e.scalars[i];
    return r;
}

/// A static argument of a view, or the value of its scalar slot, which must have been bound by value and be an integer:
/// it decides extents.
template <auto A, class Environment>
index_t argument_value(const Environment& env) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(A)>, ParamSlot>) {
        constexpr int slot = static_cast<int>(A);
        const Scalar& s = env.template scalar<slot>();
        require(s.live == nullptr, name<Param<slot>>(),
                " decides the extents of a view, so it must be bound by value, not by pointer");
        constexpr double most = most_elements;
        require(s.value >= -most && s.value <= most && static_cast<double>(static_cast<index_t>(s.value)) == s.value,
                name<Param<slot>>(), " is ", s.value, ", but decides the extents of a view: expected an integer",
                s.value < -most || s.value > most ? " of at most 2^54" : "");
        return static_cast<index_t>(s.value);
    } else {
        return A;
    }
}

/// `axis` of a tensor of rank R counted from the first, or one clear error.
template <class Node>
int normal_axis(index_t axis, int rank) {
    const index_t a = axis < 0 ? axis + rank : axis;
    if (a < 0 || a >= rank)
        fail(name<Node>() + ": axis " + decimal_text(axis) + " does not exist in a tensor of rank " +
             decimal_text(rank));
    return static_cast<int>(a);
}

namespace detail {

template <class E, class Environment>
struct find_rank;

template <class Environment, int I>
struct find_rank<Buf<I>, Environment> {
    static constexpr int value = type_at<I, typename Environment::tensors>::rank;
};
template <class Environment>
struct find_rank<Out, Environment> {
    static constexpr int value = Environment::out_rank < 0 ? 0 : Environment::out_rank;
};
template <class Environment>
struct find_rank<OutGate, Environment> : find_rank<Out, Environment> {};

constexpr int max_of(std::initializer_list<int> l) {
    int m = *l.begin();
    for (int i : l) m = i > m ? i : m;
    return m;
}

template <class E, class Environment, class Children>
struct rank_from;
template <class E, class Environment, class... K>
struct rank_from<E, Environment, types<K...>> {
    static constexpr int get() {
        if constexpr (E::kind == NodeKind::view) return E::template rank<find_rank<K, Environment>::value...>;
        else return max_of({0, find_rank<K, Environment>::value...});
    }
};
template <class E, class Environment>
struct find_rank {
    static constexpr int value = rank_from<E, Environment, typename E::children>::get();
};

}  // namespace detail

/// Rank of an expression under a binding.
template <class E, class Environment>
inline constexpr int rank_of = detail::find_rank<E, Environment>::value;

template <class E, class Environment>
Extents<rank_of<E, Environment>> extents_of(const Environment& env);

namespace detail {

[[noreturn]] INLAY_OUTLINE void fail_broadcast(const Spelling& e, const Text& a, const Text& b) {
    fail(spell_now(e) + ": cannot broadcast " + a + " with " + b);
}
[[noreturn]] INLAY_OUTLINE void fail_count(const Spelling& e, const Text& extents) {
    fail(spell_now(e) + ": its extents multiply to more than 2^54: " + extents);
}
/// The extents of node E, or an error where they have more elements than can be counted.
template <class E, int R>
Extents<R> countable(const Extents<R>& e) {
    if (checked_count(e) > most_elements) fail_count(*spelling<E>, text(e));
    return e;
}
template <class E, int A, int B>
auto broadcast_checked(const Extents<A>& a, const Extents<B>& b) {
    const auto r = broadcast_extents(a, b);
    for (int i = 0; i < r.rank; ++i)
        if (r[i] < 0) fail_broadcast(*spelling<E>, text(a), text(b));
    return countable<E>(r);
}

template <class E>
Extents<0> broadcast_all() {
    return {};
}
template <class E, int A, int... R>
auto broadcast_all(const Extents<A>& a, const Extents<R>&... rest) {
    if constexpr (sizeof...(R) == 0) return a;
    else return broadcast_checked<E>(a, broadcast_all<E>(rest...));
}

template <class E, class Environment, class... K>
auto extents_from(const Environment& env, types<K...>) {
    if constexpr (E::kind == NodeKind::view) return countable<E>(E::extents(env, extents_of<K>(env)...));
    else return broadcast_all<E>(extents_of<K>(env)...);
}

template <class E>
inline constexpr bool is_buf = false;
template <int I>
inline constexpr bool is_buf<Buf<I>> = true;
template <class E>
inline constexpr bool is_coord = false;
template <int A>
inline constexpr bool is_coord<Coord<A>> = true;
template <class E>
inline constexpr bool is_query_position = __is_same(E, QueryPosition);
/// True if a list of values, as `flatten` makes it, has a coordinate.
template <class List>
inline constexpr bool has_coord = false;
template <class... V>
inline constexpr bool has_coord<types<V...>> =
    ((is_coord<typename V::node> || is_query_position<typename V::node>) || ...);
template <class E>
inline constexpr bool is_const = false;
template <Real V>
inline constexpr bool is_const<node::Const<V>> = true;

}  // namespace detail

/// Extents of an expression under a binding. Throws one clear error where the shapes do not fit.
template <class E, class Environment>
Extents<rank_of<E, Environment>> extents_of(const Environment& env) {
    if constexpr (detail::is_buf<E>) return env.template tensor<E::slot>().extents;
    else if constexpr (detail::is_sum<E>) return env.out;
    else return detail::extents_from<E>(env, typename E::children{});
}

namespace detail {

/// A view with its run-time data: its extents, for broadcasting, and its state.
template <class V, int R, class State>
struct bound_view {
    Extents<R> extents;
    State state;
};

template <class V, class Environment, class... K>
auto bind_view(const Environment& env, types<K...>) {
    auto state = V::bind(env, extents_of<K>(env)...);
    return bound_view<V, rank_of<V, Environment>, decltype(state)>{extents_of<V>(env), state};
}

template <class L>
struct views_in;
template <class... N>
struct views_in<types<N...>> {
    using type = join_types<std::conditional_t<N::kind == NodeKind::view, types<N>, types<>>...>;
};

template <class Environment, class List>
struct view_states;
template <class Environment, class... V>
struct view_states<Environment, types<V...>> {
    using list = types<V...>;
    using type = pack<decltype(bind_view<V>(std::declval<const Environment&>(), typename V::children{}))...>;
    static type make(const Environment& env) { return make_pack(bind_view<V>(env, typename V::children{})...); }
};

/// True if all slots of an expression are bound; only then does it have a rank.
template <bool Report, class E, class Environment, class... K>
constexpr bool slots_bound(types<K...>) {
    if constexpr (is_buf<E>) {
        constexpr bool ok = E::slot < Environment::tensors::size;
        static_assert(ok || !Report, "inlay: the expression reads a tensor slot that was not bound");
        return ok;
    } else {
        return (slots_bound<Report, K, Environment>(typename K::children{}) && ...);
    }
}

}  // namespace detail

/// An expression with its slots bound and its views resolved, ready to be evaluated. Trivially copyable.
template <class E, class Environment>
struct Bound {
    static_assert(detail::slots_bound<true, E, Environment>(typename E::children{}));
    using expression = E;
    using env_type = Environment;
    using views = typename detail::views_in<nodes_of<E>>::type;
    using states = detail::view_states<Environment, views>;

    Environment env;
    typename states::type view;

    explicit Bound(const Environment& e) : env(e), view(states::make(e)) {}

    template <class V>
    INLAY_FN constexpr const auto& state_of() const {
        return get<detail::index_in<views, V>>(view);
    }
};

template <class E, class Environment>
Bound<E, Environment> bind(const Environment& env) {
    return Bound<E, Environment>(env);
}

}  // namespace inlay::inline INLAY_ABI
