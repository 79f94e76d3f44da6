// SPDX-License-Identifier: Apache-2.0
/// Long rows in the shared memory of a block: threads and warps with chunks more than others, a mean far from zero,
/// strides; and rows that must be held otherwise.
#include "rows_by.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

using Held = RowsBy<NormEngine::shared_rows>;

template <class T>
void expect_lengths(double mean) {
    // Threads with two chunks and three; warps with and without a third one; each the same.
    for (const index_t n : {8200, 8976, 12288}) {
        auto x = gaussian<T>(1, mean, 1, 3, n);
        auto g = normal<T>(2, n), b = normal<T>(3, n);
        expect_schedule<layer, Held, T>(1, x.extents, g, b, x);
        expect_schedule<rms, Held, T>(1, x.extents, g, x);
        expect_schedule<soft, Held, T>(1, x.extents, x);
    }
}

TEST(HeldRows, Halves) { expect_lengths<fp16>(3); }
TEST(HeldRows, Bf16) { expect_lengths<bf16>(3); }
TEST(HeldRows, FarFromZero) {
    auto x = gaussian<fp16>(1, 100, 1, 2, 8200);
    auto g = normal<fp16>(2, 8200), b = normal<fp16>(3, 8200);
    expect_schedule<layer, Held, fp16>(1, x.extents, g, b, x);
}
TEST(HeldRows, Floats) {
    auto x = gaussian<float>(1, 3, 1, 2, 16400);
    auto g = normal<float>(2, 16400), b = normal<float>(3, 16400);
    expect_schedule<layer, Held, float>(1, x.extents, g, b, x);
    expect_schedule<rms, Held, float>(1, x.extents, g, x);
    expect_schedule<soft, Held, float>(1, x.extents, x);
}
TEST(HeldRows, Axes) {
    auto x = normal<fp16>(1, 2, 1, 2, 8200);
    auto g = normal<fp16>(2, 8200), b = normal<fp16>(3, 8200);
    expect_schedule<layer, Held, fp16>(1, x.extents, g, b, x);
}
TEST(HeldRows, Otherwise) {
    auto x = normal<fp16>(1, 2, 4088);      // some threads would have no chunk
    expect_schedule<soft, Held, fp16>(0, x.extents, x);
    auto odd = normal<fp16>(1, 2, 8204);
    expect_schedule<soft, Held, fp16>(0, odd.extents, odd);
    auto far = normal<fp16>(1, 1, 1 << 17);     // more than a block's memory
    expect_schedule<soft, Held, fp16>(0, far.extents, far);
    auto y = normal<fp16>(1, 2, 8200);
    auto gy = normal<fp16>(2, 8200), by = normal<fp16>(3, 8200);
    expect_schedule<layer_silu, Held, fp16>(0, y.extents, gy, by, y);
}

}  // namespace
