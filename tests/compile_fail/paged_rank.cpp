// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Paged takes pages \[pages, page, heads, D\] and a table \[B, n\]
#include <inlay/inlay.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> q, Tensor<const float, 4> pool, Tensor<const std::int32_t, 1> table,
           Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Paged<Buf<1>, Buf<2>>, Paged<Buf<1>, Buf<2>>>>(y, q, pool, table);
}
