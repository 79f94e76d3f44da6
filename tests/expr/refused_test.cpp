// SPDX-License-Identifier: Apache-2.0
/// The overloads take wrong operands alone; their sentences are in compile_fail/.
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using inlay::detail::Refused;

using T = Tensor<float, 2>;

static_assert(Refused<Buf<0>, int> && Refused<double, Buf<0>> && Refused<Buf<0>, T> && Refused<T, T>);
static_assert(Refused<Buf<0>, float*> && Refused<T, double>);
static_assert(!Refused<Buf<0>, Buf<1>>);            // right
static_assert(!Refused<int, double>);               // none of Inlay's
static_assert(!Refused<Buf<0>, std::nullptr_t>);    // an error of the language's
static_assert(Refused<Buf<0>, Buf<1>, int> && !Refused<Buf<0>, Buf<1>, Out>);

TEST(Refused, RightOperandsHaveTheirOwnType) {
    static_assert(std::is_same_v<decltype(buf<0> + buf<1>), Add<Buf<0>, Buf<1>>>);
    static_assert(std::is_same_v<decltype(where(buf<0> < buf<1>, buf<0>, buf<1>)),
                                 Where<Less<Buf<0>, Buf<1>>, Buf<0>, Buf<1>>>);
}

}  // namespace
