// SPDX-License-Identifier: Apache-2.0
/// The shapes of conditions; the keys that they leave are in visible_keys_test.cpp and random_conditions_test.cpp.
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/visibility.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using inlay::detail::KeyShape;

template <class C>
constexpr bool is(int most, bool begins, bool ends) {
    constexpr KeyShape s = inlay::detail::Visibility<C>::shape;
    return s.most == most && s.begins == begins && s.ends == ends;
}

using Key = Coord<3>;
using Causal = LessEqual<Key, QueryPosition>;
using Recent = Less<Sub<QueryPosition, Key>, Const<8.0>>;
using Early = Less<Key, Const<4.0>>;
using Near = Less<Abs<Sub<QueryPosition, Key>>, Const<3.0>>;

TEST(Visibility, ShapesOfConditions) {
    static_assert(is<Causal>(1, true, false));              // from key 0 to a bound
    static_assert(is<Recent>(1, false, true));              // from a bound to the last key
    static_assert(is<Greater<QueryPosition, Const<2.0>>>(1, true, true));    // all keys, or none
    static_assert(is<And<Causal, Recent>>(1, false, false));
    static_assert(is<And<Causal, Early>>(1, true, false));
    static_assert(is<Or<Causal, Early>>(1, true, false));
    static_assert(is<Or<And<Causal, Recent>, Early>>(2, false, false));
    static_assert(is<Not<And<Causal, Recent>>>(2, false, false) && is<Not<Causal>>(1, false, true));
    static_assert(is<Equal<Key, Const<3.0>>>(1, false, false) && is<NotEqual<Key, Const<3.0>>>(2, false, false));
    static_assert(is<Near>(1, false, false) && is<Mul<Causal, Recent>>(1, false, false));
}
TEST(Visibility, TermsThatAreComputedAreNamed) {
    using Square = Less<Mul<Key, Key>, Const<9.0>>;
    const Env<4, 1> env{{}, {Scalar(2)}, {{1, 1, 8, 8}}};
    Text names;
    inlay::detail::Visibility<And<Causal, Square>>::computed(env, names);
    EXPECT_EQ(std::string(names), inlay::name<Square>());
    static_assert(inlay::detail::Visibility<And<Causal, Near>>::by_types);
    static_assert(!inlay::detail::Visibility<Square>::by_types);
    names = {};
    inlay::detail::Visibility<And<Causal, Recent>>::computed(env, names);
    EXPECT_TRUE(names.empty());
}

}  // namespace
