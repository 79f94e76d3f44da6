// SPDX-License-Identifier: Apache-2.0
// expect: inlay: an operation has a public function template <class T> INLAY_FN static T apply\(T x\), with a parameter for each operand
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
template <class E>
struct Square : pointwise<E> {
    template <class T>
    INLAY_FN T apply(T x) const {
        return x * x;
    }
};
void wrong() { prepare<Elementwise<Square<Buf<0>>>>(tensor(y, 4), tensor(x, 4)); }
