// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/arithmetic.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

template <class E>
constexpr index_t scale = inlay::detail::scale_of<E>();
template <class E>
constexpr bool whole = inlay::detail::is_whole<E>();

using Key = Coord<3>;
using Third = Div<Key, Const<3.0>>;

TEST(Arithmetic, AConstantFactorIsFoundOnEitherSide) {
    using inlay::detail::factor;
    static_assert(factor<Mul<Const<0.25>, Key>>.number == 1 && factor<Mul<Const<0.25>, Key>>.over == 4);
    static_assert(factor<Mul<Key, Const<6.0>>>.number == 6 && factor<Mul<Key, Const<6.0>>>.over == 1);
    static_assert(factor<Third>.number == 1 && factor<Third>.over == 3);
    static_assert(factor<Neg<Key>>.number == -1);
    static_assert(!inlay::detail::has_factor<Mul<Key, Key>> && !inlay::detail::has_factor<Div<Const<3.0>, Key>>);
    static_assert(std::is_same_v<inlay::detail::inner_of<Mul<Const<2.0>, Key>>, Key>);
    static_assert(std::is_same_v<inlay::detail::inner_of<Mul<Key, Const<2.0>>>, Key>);
}
TEST(Arithmetic, AScaleMakesEveryTermAnInteger) {
    static_assert(scale<Key> == 1 && scale<Third> == 3 && scale<Const<0.5>> == 2);
    static_assert(scale<Add<Third, Const<0.25>>> == 12);
    static_assert(scale<Min<Third, Div<Key, Const<2.0>>>> == 6);
    static_assert(scale<Floor<Third>> == 1);  // an integer already
    static_assert(scale<Mul<Const<0.5>, Third>> == 6);
}
TEST(Arithmetic, NumbersOfCoordinatesAndConstantsAreWhole) {
    static_assert(whole<Sub<Key, QueryPosition>> && whole<Floor<Third>> && whole<Max<Third, Const<0.5>>>);
    static_assert(!whole<Add<Key, Param<0>>> && !whole<Buf<0>> && !whole<Mul<Key, Key>>);
    static_assert(std::is_same_v<inlay::detail::Number<Third>, index_t>);
    static_assert(std::is_same_v<inlay::detail::Number<Add<Key, Buf<0>>>, double>);
}

}  // namespace
