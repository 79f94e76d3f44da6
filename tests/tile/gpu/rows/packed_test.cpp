// SPDX-License-Identifier: Apache-2.0
/// Rows that lanes of a warp normalise as they are stored: lanes without a chunk, rows of many widths, a mean far from
/// zero, strides; and rows that must be held otherwise.
#include "rows_by.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

using AsStored = RowsBy<NormEngine::packed_rows>;

template <class T>
void expect_widths() {
    using Size = std::pair<index_t, index_t>;
    for (const auto& [m, n] : {Size{1, 8}, {77, 40}, {33, 320}, {9, 640}, {3, 1272}, {5, 1280}}) {
        auto x = gaussian<T>(1, 3, 1, m, n);
        auto g = normal<T>(2, n), b = normal<T>(3, n);
        expect_schedule<layer, AsStored, T>(1, x.extents, g, b, x);
        expect_schedule<rms, AsStored, T>(1, x.extents, g, x);
    }
}

TEST(StoredRows, Halves) { expect_widths<fp16>(); }
TEST(StoredRows, Bf16) { expect_widths<bf16>(); }
TEST(StoredRows, FarFromZero) {
    for (const index_t n : {40, 640, 1272}) {       // lanes with chunks more than others
        auto x = gaussian<fp16>(1, 100, 1, 5, n);
        auto g = normal<fp16>(2, n), b = normal<fp16>(3, n);
        expect_schedule<layer, AsStored, fp16>(1, x.extents, g, b, x);
    }
}
TEST(StoredRows, Axes) {
    auto x = normal<fp16>(1, 2, 3, 5, 96);
    auto g = normal<fp16>(2, 96), b = normal<fp16>(3, 96);
    expect_schedule<layer, AsStored, fp16>(1, x.extents, g, b, x);
}
TEST(StoredRows, Otherwise) {
    auto x = normal<fp16>(1, 3, 1288);      // more than a warp holds
    auto g = normal<fp16>(2, 1288), b = normal<fp16>(3, 1288);
    expect_schedule<layer, AsStored, fp16>(0, x.extents, g, b, x);
    auto odd = normal<fp16>(1, 3, 44);
    auto go = normal<fp16>(2, 44), bo = normal<fp16>(3, 44);
    expect_schedule<layer, AsStored, fp16>(0, odd.extents, go, bo, odd);
    auto f = normal<float>(1, 3, 64);
    auto gf = normal<float>(2, 64), bf = normal<float>(3, 64);
    expect_schedule<layer, AsStored, float>(0, f.extents, gf, bf, f);
    auto y = normal<fp16>(1, 3, 64);
    auto gy = normal<fp16>(2, 64), by = normal<fp16>(3, 64);
    expect_schedule<layer_silu, AsStored, fp16>(0, y.extents, gy, by, y);
}

}  // namespace
