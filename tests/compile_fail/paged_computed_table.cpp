// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the table of Paged is a tensor slot that holds int32
#include <inlay/inlay.hpp>

using namespace inlay;

using Keys = Paged<Buf<1>, Add<Buf<2>, Const<1>>>;

void wrong(Tensor<const float, 4> q, Tensor<const float, 4> pool, Tensor<const std::int32_t, 2> table,
           Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Keys, Keys>>(y, q, pool, table);
}
