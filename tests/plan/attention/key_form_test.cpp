// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/key_form.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using inlay::detail::KeyForm;
using inlay::detail::KeyKind;

template <class E>
constexpr bool is(KeyKind kind, index_t number, index_t over) {
    constexpr KeyForm f = inlay::detail::key_form<E>();
    return f.kind == kind && f.slope.number == number && f.slope.over == over;
}

using Key = Coord<3>;
using Query = Coord<2>;
using Half = Div<Key, Const<2.0>>;

TEST(KeyForm, OfTermsThatAreFreeOfTheKey) {
    static_assert(is<Query>(KeyKind::none, 0, 1) && is<QueryPosition>(KeyKind::none, 0, 1));
    static_assert(is<Buf<0>>(KeyKind::none, 0, 1) && is<Add<Param<0>, Const<3.0>>>(KeyKind::none, 0, 1));
    static_assert(is<Sub<Key, Key>>(KeyKind::none, 0, 1));  // the slopes cancel
}
TEST(KeyForm, OfLinearTerms) {
    static_assert(is<Key>(KeyKind::linear, 1, 1) && is<Half>(KeyKind::linear, 1, 2));
    static_assert(is<Sub<Query, Key>>(KeyKind::linear, -1, 1));
    static_assert(is<Add<Half, Mul<Const<3.0>, Key>>>(KeyKind::linear, 7, 2));
    static_assert(is<Neg<Add<Key, Buf<0>>>>(KeyKind::linear, -1, 1));
}
TEST(KeyForm, OfARoundedQuotient) {
    static_assert(is<Floor<Half>>(KeyKind::rounded, 1, 1));
    static_assert(is<Sub<Query, Mul<Const<2.0>, Ceil<Half>>>>(KeyKind::rounded, -2, 1));
    using E = Sub<Query, Mul<Const<2.0>, Ceil<Half>>>;
    static_assert(std::is_same_v<inlay::detail::rounded_in<E>::type, Ceil<Half>>);
}
TEST(KeyForm, OfOthers) {
    static_assert(is<Mul<Key, Key>>(KeyKind::other, 0, 1) && is<Min<Key, Query>>(KeyKind::other, 0, 1));
    static_assert(is<Add<Floor<Half>, Key>>(KeyKind::other, 0, 1));
    static_assert(is<Floor<Floor<Half>>>(KeyKind::other, 0, 1));
}

}  // namespace
