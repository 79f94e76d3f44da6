// SPDX-License-Identifier: Apache-2.0
// A function of `std` in an operation
// g++: no matching function for call to 'exp(…math::Vec<float, 4>&)'
// clang++-19: no matching function for call to 'exp'
// nvcc: no instance of overloaded function "std::exp" matches the argument list
#include <inlay/inlay.hpp>

#include <cmath>

using namespace inlay;

template <class E>
struct Grow : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(T x) {
#ifdef RIGHT
        return math::exp(x);
#else
        return std::exp(x);
#endif
    }
};
auto grown(math::Vec<float, 4> x) { return Grow<Buf<0>>::apply(x); }
