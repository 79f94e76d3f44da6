// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/gpu/gemm/weights.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(Weights, LieWhereTheirPanelsOrTheirTensorDo) {
    const float w[12]{};
    EXPECT_EQ(on_gpu::weights_of(Packed<float, 2>{w, {{3, 4}}}), w);
    EXPECT_EQ(on_gpu::weights_of(tensor(w, 3, 4)), w);
}
TEST(Weights, OfATensorAreDense) {
    const float w[12]{};
    Tensor<const float, 2> columns = tensor(w, 3, 4);
    columns.extents = {{3, 2}};
    try {
        on_gpu::weights_of(columns);
        FAIL() << "a weight that is not dense was taken";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: a weight [3, 2] is not dense");
    }
}

}  // namespace
