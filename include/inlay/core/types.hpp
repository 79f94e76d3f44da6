// SPDX-License-Identifier: Apache-2.0
/// Lists of types, and the pack: a tuple that may be a kernel argument and is read in device code without a flag.
#pragma once

#include <inlay/core/config.hpp>

#include <type_traits>
#include <utility>

namespace inlay::inline INLAY_ABI {

template <class... T>
struct types {
    static constexpr int size = static_cast<int>(sizeof...(T));
};

namespace detail {

/// The index of T in a list, or -1. A built-in, because std::is_same would be instantiated for each pair.
template <class List, class T>
inline constexpr int index_in = -1;
template <class... L, class T>
inline constexpr int index_in<types<L...>, T> = [] {
    int i = 0, found = -1;
    ((found = (found < 0 && __is_same(L, T)) ? i : found, ++i), ...);
    return found;
}();

template <class... List>
struct joined;
template <>
struct joined<> {
    using type = types<>;
};
template <class... A>
struct joined<types<A...>> {
    using type = types<A...>;
};
template <class... A, class... B>
struct joined<types<A...>, types<B...>> {
    using type = types<A..., B...>;
};
template <class... A, class... B, class... C, class... More>
struct joined<types<A...>, types<B...>, types<C...>, More...> : joined<types<A..., B..., C...>, More...> {};

template <class List, class T>
struct appended;
template <class... L, class T>
struct appended<types<L...>, T> {
    using type = std::conditional_t<(__is_same(L, T) || ...), types<L...>, types<L..., T>>;
};

template <class... List>
struct united {
    using type = types<>;
};
template <class List>
struct united<List> {
    using type = List;
};
template <class List, class... More>
struct united<List, types<>, More...> : united<List, More...> {};
template <class List, class M, class... Ms, class... More>
struct united<List, types<M, Ms...>, More...> : united<typename appended<List, M>::type, types<Ms...>, More...> {};

/// A type and its place in a list: bases of one class, so that each is found without walking there.
template <int I, class T>
struct placed {
    using type = T;
};
template <class Seq, class... T>
struct places;
template <int... I, class... T>
struct places<std::integer_sequence<int, I...>, T...> : placed<I, T>... {};
template <class List>
struct places_in;
template <class... T>
struct places_in<types<T...>> {
    using type = places<std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>, T...>;
};
template <int I, class T>
placed<I, T> placed_at(const placed<I, T>*);

template <int I, class T>
struct slot {
    T value;
};
template <class Seq, class... T>
struct slots;
template <int... I, class... T>
struct slots<std::integer_sequence<int, I...>, T...> : slot<I, T>... {};

}  // namespace detail

/// The types of all lists, one list after the other.
template <class... List>
using join_types = typename detail::joined<List...>::type;
/// The first list with the types of the others that it does not hold yet.
template <class... List>
using unite_types = typename detail::united<List...>::type;
template <int I, class List>
using type_at =
    typename decltype(detail::placed_at<I>(static_cast<const typename detail::places_in<List>::type*>(nullptr)))::type;

template <class... T>
struct pack : detail::slots<std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>, T...> {
    static constexpr int size = static_cast<int>(sizeof...(T));
};

template <class... T>
INLAY_FN constexpr pack<T...> make_pack(const T&... v) {
    if constexpr (sizeof...(T) == 0) return {};
    else return {{{v}...}};
}

template <int I, class T>
INLAY_FN constexpr const T& get(const detail::slot<I, T>& s) {
    return s.value;
}
template <int I, class T>
INLAY_FN constexpr T& get(detail::slot<I, T>& s) {
    return s.value;
}

}  // namespace inlay::inline INLAY_ABI
