// SPDX-License-Identifier: Apache-2.0
/// The basis of the rules: an expression rebuilt with other leaves. A node is rebuilt when its template takes types,
/// types before or after numbers; that is every node of the library, and a user's that keeps to these forms.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/expr/unary.hpp>

namespace inlay::inline INLAY_ABI::rules {

namespace detail {

/// E with its leaves mapped. `Map::touches<E>`: true if anything of E changes; `Map::leaf<L>`; `Map::value<V>`.
template <class E, class Map>
struct mapped;

template <class T, class Map>
struct argument {
    using type = T;
};
template <Expr T, class Map>
struct argument<T, Map> : mapped<T, Map> {};
template <class T, class Map>
using argument_t = typename argument<T, Map>::type;

template <class E, class Map>
struct rebuilt {
    static_assert(sizeof(E) == 0,
                  "inlay: a rule meets a node whose template arguments are of a form it cannot rebuild");
};
template <template <class...> class N, class... T, class Map>
struct rebuilt<N<T...>, Map> {
    using type = N<argument_t<T, Map>...>;
};
template <template <class, auto...> class N, class T, auto... V, class Map>
    requires(sizeof...(V) > 0)
struct rebuilt<N<T, V...>, Map> {
    using type = N<argument_t<T, Map>, Map::template value<V>...>;
};
template <template <class, class, auto...> class N, class T, class U, auto... V, class Map>
    requires(sizeof...(V) > 0)
struct rebuilt<N<T, U, V...>, Map> {
    using type = N<argument_t<T, Map>, argument_t<U, Map>, Map::template value<V>...>;
};
template <template <auto, class...> class N, auto V, class... T, class Map>
    requires(sizeof...(T) > 0)
struct rebuilt<N<V, T...>, Map> {
    using type = N<Map::template value<V>, argument_t<T, Map>...>;
};
template <class E, Storage D, class Map>
struct rebuilt<Cast<E, D>, Map> {
    using type = Cast<argument_t<E, Map>, D>;
};

template <class E, class Map>
constexpr auto map_node() {
    if constexpr (!Map::template touches<E>) return std::type_identity<E>{};
    else if constexpr (E::kind == NodeKind::leaf) return std::type_identity<typename Map::template leaf<E>>{};
    else return std::type_identity<typename rebuilt<E, Map>::type>{};
}
template <class E, class Map>
struct mapped {
    using type = typename decltype(map_node<E, Map>())::type;
};

template <class X>
struct OutIs {
    template <class E>
    static constexpr bool touches = Slots<E>::counts::uses_out;
    template <class>
    using leaf = X;
    template <auto V>
    static constexpr auto value = V;
};

template <int Tensors, int Scalars>
struct Shift {
    template <class E>
    static constexpr bool touches = Slots<E>::tensors + Slots<E>::scalars > 0;
    template <class L>
    struct slot {
        using type = L;
    };
    template <int I>
    struct slot<Buf<I>> {
        using type = Buf<I + Tensors>;
    };
    template <int I>
    struct slot<Param<I>> {
        using type = Param<I + Scalars>;
    };
    template <class L>
    using leaf = typename slot<L>::type;
    template <auto V>
    static constexpr auto shifted() {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(V)>, ParamSlot>)
            return ParamSlot{static_cast<int>(V) + Scalars};
        else return V;
    }
    template <auto V>
    static constexpr auto value = shifted<V>();
};

}  // namespace detail

/// E with X in the place of Out.
template <class E, class X>
using replace_out = typename detail::mapped<E, detail::OutIs<X>>::type;
/// E with its tensor slots moved up by Tensors and its scalar slots by Scalars.
template <class E, int Tensors, int Scalars>
using shift_slots = typename detail::mapped<E, detail::Shift<Tensors, Scalars>>::type;

}  // namespace inlay::inline INLAY_ABI::rules
