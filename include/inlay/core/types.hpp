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

template <class List, class T>
inline constexpr int index_in = -1;
template <class... L, class T>
inline constexpr int index_in<types<L...>, T> = [] {
    int i = 0, found = -1;
    ((found = (found < 0 && std::is_same_v<L, T>) ? i : found, ++i), ...);
    return found;
}();

template <class A, class B>
struct joined;
template <class... A, class... B>
struct joined<types<A...>, types<B...>> {
    using type = types<A..., B...>;
};

template <class List, class T>
struct appended;
template <class... L, class T>
struct appended<types<L...>, T> {
    using type = std::conditional_t<(std::is_same_v<L, T> || ...), types<L...>, types<L..., T>>;
};

template <class List, class More>
struct united {
    using type = List;
};
template <class List, class M, class... More>
struct united<List, types<M, More...>> {
    using type = typename united<typename appended<List, M>::type, types<More...>>::type;
};

template <int I, class List>
struct type_at;
template <int I, class T, class... L>
struct type_at<I, types<T, L...>> : type_at<I - 1, types<L...>> {};
template <class T, class... L>
struct type_at<0, types<T, L...>> {
    using type = T;
};

template <int I, class T>
struct slot {
    T value;
};
template <class Seq, class... T>
struct slots;
template <int... I, class... T>
struct slots<std::integer_sequence<int, I...>, T...> : slot<I, T>... {};

}  // namespace detail

template <class A, class B>
using join = typename detail::joined<A, B>::type;
/// `List` with the types of `More` it does not hold yet.
template <class List, class More>
using unite = typename detail::united<List, More>::type;
template <int I, class List>
using at = typename detail::type_at<I, List>::type;

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
