// SPDX-License-Identifier: Apache-2.0
// expect: inlay: values of an operation may be vectors: math::gt\(x, y\) compares
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
template <class E>
struct Ramp : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(T x) {
        return x > T(0) ? x : T(0);
    }
};
auto wrong(math::Vec<float, 4> x) { return Ramp<Buf<0>>::apply(x); }
