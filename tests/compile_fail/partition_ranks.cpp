// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the sinks of a partition have one rank, and its axis is one of theirs
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2, Tensor<float, 3> y3) {
    prepare<Elementwise<Silu<Buf<0>>, Partition<0, Store<0>, Store<1>>>>(y2, y3, x2);
}
