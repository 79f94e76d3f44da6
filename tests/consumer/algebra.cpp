// SPDX-License-Identifier: Apache-2.0
/// A user's first file: the one include, an expression written as a type and as a value.
#include <inlay/inlay.hpp>

#include <concepts>
#include <iostream>
#include <type_traits>

using namespace inlay;

using Hidden = Slice<Buf<0>, -1, 0, 1280>;
using Gate = Slice<Buf<0>, -1, 1280, 1280>;
using Geglu = Mul<Hidden, Gelu<Gate>>;

constexpr auto x = buf<0>;
static_assert(
    std::same_as<Geglu, std::remove_cvref_t<decltype(slice<-1, 0, 1280>(x) * gelu(slice<-1, 1280, 1280>(x)))>>);

int main() {
    std::cout << name<Geglu>() << '\n';
    return std::cout.good() ? 0 : 1;
}
