// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a node is an empty type; run-time values are slots
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

template <class E>
struct Scaled : pointwise<E> {
    float by = 2;
    template <class T>
    INLAY_FN static T apply(T x) {
        return x;
    }
};

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Elementwise<Scaled<Buf<0>>>>(y2, x2); }
