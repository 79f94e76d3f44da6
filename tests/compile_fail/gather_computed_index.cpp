// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the index of Gather is a tensor slot that holds int32
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const std::int32_t, 1> i1, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Elementwise<Gather<Buf<0>, Add<Buf<1>, Buf<1>>>>>(y2, x2, i1);
}
