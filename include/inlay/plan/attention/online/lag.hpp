// SPDX-License-Identifier: Apache-2.0
/// Outputs that do not change with the maximum that weights are relative to. Of softmax any number near the maximum
/// serves, so that an older one may stay and most blocks rescale nothing; of a sum of exp(s - m) by itself none other.
#pragma once

#include <inlay/plan/attention/online/sums.hpp>

namespace inlay::inline INLAY_ABI::online {

namespace detail {

/// Stands for the power of an expression that has none.
inline constexpr int no_power = 1000;
constexpr int power_sum(int a, int b) { return a == no_power || b == no_power ? no_power : a + b; }
constexpr int power_of_both(int a, int b) { return a == b ? a : no_power; }

template <class Maxima, class Reductions>
inline constexpr bool shares = false;
template <class... M, class Reductions>
inline constexpr bool shares<types<M...>, Reductions> = ((inlay::detail::index_in<Reductions, M> >= 0) || ...);
/// True if E changes as the maxima in Ratio do.
template <class E, class Ratio>
inline constexpr bool moves_with = shares<reductions_of<Ratio>, reductions_of<E>>;

/// The power n for which E changes by Ratio^n as maxima move and sums of weights are rescaled with them.
template <class E, class Ratio, bool Moves = moves_with<E, Ratio>>
inline constexpr int power_in = Moves ? no_power : 0;
template <class W, class Ratio>
inline constexpr int power_in<KeySum<W>, Ratio, true> =
    std::is_same_v<rescale_of<weight_of<KeySum<W>>>, Ratio> ? 1 : no_power;
template <class A, class B, class Ratio>
inline constexpr int power_in<Mul<A, B>, Ratio, true> = power_sum(power_in<A, Ratio>, power_in<B, Ratio>);
template <class A, class B, class Ratio>
inline constexpr int power_in<Div<A, B>, Ratio, true> =
    power_in<B, Ratio> == no_power ? no_power : power_sum(power_in<A, Ratio>, -power_in<B, Ratio>);
template <class A, class B, class Ratio>
inline constexpr int power_in<Add<A, B>, Ratio, true> = power_of_both(power_in<A, Ratio>, power_in<B, Ratio>);
template <class A, class B, class Ratio>
inline constexpr int power_in<Sub<A, B>, Ratio, true> = power_of_both(power_in<A, Ratio>, power_in<B, Ratio>);
template <class A, class Ratio>
inline constexpr int power_in<Neg<A>, Ratio, true> = power_in<A, Ratio>;

template <template <class> class Power, class E, class Ratio>
constexpr int power_of_exponential() {
    if constexpr (holds_sum<E>) return no_power;
    else return std::is_same_v<Power<typename change<E>::type>, Ratio> ? 1 : no_power;
}
template <class E, class Ratio>
inline constexpr int power_in<Exp<E>, Ratio, true> = power_of_exponential<Exp, E, Ratio>();
template <class E, class Ratio>
inline constexpr int power_in<Exp2<E>, Ratio, true> = power_of_exponential<Exp2, E, Ratio>();

/// Log-sum-exp: a shift, and the logarithm of a sum relative to it.
template <class M, class E, class Ratio>
constexpr int power_of_log_sum() {
    using moved = typename change<M, true>::type;
    if constexpr (std::is_void_v<moved> || holds_sum<M>) return no_power;
    else return std::is_same_v<Exp<moved>, Ratio> && power_in<E, Ratio> == 1 ? 0 : no_power;
}
template <class M, class E, class Ratio>
inline constexpr int power_in<Add<M, Log<E>>, Ratio, true> = power_of_log_sum<M, E, Ratio>();
template <class M, class E, class Ratio>
inline constexpr int power_in<Add<Log<E>, M>, Ratio, true> = power_of_log_sum<M, E, Ratio>();

template <class Weights>
struct ratios_of;
template <class... W>
struct ratios_of<types<W...>> {
    template <class T>
    struct moves {
        static constexpr bool value = !std::is_same_v<T, Const<1.0>>;
    };
    using type = chosen<moves, unite_types<types<>, types<rescale_of<W>>...>>;
};

template <class Ratios, class... Output>
inline constexpr bool stays = true;
template <class Ratio, class... More, class... Output>
inline constexpr bool stays<types<Ratio, More...>, Output...> =
    ((power_in<Output, Ratio> == 0) && ...) && stays<types<More...>, Output...>;

/// True if all maxima are such that weights are relative to them.
template <class Ratios, class Maxima>
inline constexpr bool moves_all = false;
template <class... Ratio, class... M>
inline constexpr bool moves_all<types<Ratio...>, types<M...>> =
    ((inlay::detail::index_in<unite_types<types<>, reductions_of<Ratio>...>, M> >= 0) && ...);

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::online
