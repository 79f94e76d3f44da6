// SPDX-License-Identifier: Apache-2.0
/// Records of rows that a product publishes, and the epilogues that read them. Expected values are plain sums in double
/// over what was stored.
#include "check.hpp"

#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct published : Linear<Buf<0>, Add<Out, Buf<1>>, WithRowStats<Store<0>, 1>> {};
struct published_of_two : Linear<Buf<0>, Mul<Out, Gelu<OutGate>>, WithRowStats<Store<0>, 1>> {};
struct published_in_tiles : Linear<Buf<0>, Add<Out, Buf<1>>, WithRowStats<Store<0>, 1>, Tiled<32, 32, 32, 2, 2>> {};
struct published_pixels : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>, WithRowStats<Store<0>, 1>> {};
struct published_groups : Conv2D<Filter<3, 3, 1, 1, 1, 1, 2>, Buf<0>, Add<Out, Buf<1>>, WithRowStats<Store<0>, 1>> {};
struct copied : Elementwise<Buf<0>, WithRowStats<Store<0>, 1>> {};
/// rstd · (x·w − mean · s) + residual: a LayerNorm behind rows, in the product's epilogue.
struct reads : Linear<Buf<0>, Add<Mul<PublishedRstd<Buf<1>, 1e-3>, Sub<Out, Mul<PublishedMean<Buf<1>>, Buf<2>>>>,
                                  Buf<3>>> {};

#if defined(__CUDACC__) || defined(__HIP__)
constexpr bool on_device = true;    // products publish a part for each of their tiles
#else
constexpr bool on_device = false;
#endif

/// The parts of each record merged, beside the moments of the row that was stored.
template <Storage T, int R>
void expect_moments(const Array<T, R>& y, const Array<float, R>& records, index_t most_parts) {
    const index_t columns = y.extents.back(0), numbers = records.extents.back(0);
    const auto row_of = [](const auto& a, index_t n, index_t row) { return a.v.data() + row * n; };
    for (index_t row = 0; row < count(y.extents) / columns; ++row) {
        const T* const x = row_of(y, columns, row);
        const float* const record = row_of(records, numbers, row);
        const auto of = [&](index_t begin, index_t end, double& mean, double& m2) {
            mean = m2 = 0;
            for (index_t i = begin; i < end; ++i) mean += from_storage<double>(x[i]) / static_cast<double>(end - begin);
            for (index_t i = begin; i < end; ++i) m2 += std::pow(from_storage<double>(x[i]) - mean, 2);
        };
        double all = 0, squares = 0;
        of(0, columns, all, squares);
        ASSERT_EQ(record[1], static_cast<float>(columns)) << "row " << row;
        const auto width = static_cast<index_t>(record[0]);
        const index_t parts = (columns + width - 1) / width;
        ASSERT_LE(parts, most_parts);
        for (index_t p = 0; p < parts; ++p) {
            double mean = 0, m2 = 0;
            of(p * width, std::min(columns, (p + 1) * width), mean, m2);
            EXPECT_NEAR(record[2 + 2 * p], mean, 1e-6 * (1 + std::abs(mean))) << "row " << row << ", part " << p;
            EXPECT_NEAR(record[3 + 2 * p], m2, 2e-5 * (m2 + 1e-3)) << "row " << row << ", part " << p;
        }
    }
}

/// Runs K, and again: the bits are the same.
template <class K, Storage T, bool in_tiles = false, int R, class... Args>
void expect_published(const Extents<R>& e, index_t numbers, const Args&... args) {
    Extents<R> of_records = e;
    of_records.back(0) = numbers;
    Array<T, R> y(e, 0), again(e, 0);
    Array<float, R> records(of_records, -1), records_again(of_records, -1);
    execute<K>(executor(), *y, *records, args...);
    execute<K>(executor(), *again, *records_again, args...);
    wait();
    expect_moments(y, records, numbers / 2 - 1);
    if (on_device && in_tiles) {
        EXPECT_LT(records.v[0], static_cast<float>(e.back(0))) << name<K>();
    }
    EXPECT_TRUE(same_bits(std::tie(y, records), std::tie(again, records_again))) << name<K>();
}

template <class T>
struct RowStatsTest : ::testing::Test {};
TYPED_TEST_SUITE(RowStatsTest, StorageTypes, StorageNames);

// Few rows, ragged tiles, several tiles a row, sums in parts, rows that are not multiples of 16 bytes.
TYPED_TEST(RowStatsTest, OfAProduct) {
    using T = TypeParam;
    for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 64, 32}, {77, 320, 64}, {130, 200, 96}, {70, 33, 40},
                                 {192, 160, 1024}, {40, 640, 64}, {100, 80, 2560}}) {
        const auto x = normal<T>(1, m, k), w = gaussian<T>(2, 0, 1 / std::sqrt(static_cast<double>(k)), n, k);
        for (const double offset : {0.0, 20.0}) {
            const auto bias = gaussian<T>(3, offset, 1, n);
            expect_published<published, T>(Extents<2>{{m, n}}, n / 16 * 2 + 2, *w, *x, *bias);
            if (m >= 40 && n >= 320)
                expect_published<published, T, true>(Extents<2>{{m, n}}, n / 8, *w, *x, *bias);
        }
    }
}
// Room for one part alone: a pass over the output publishes it.
TYPED_TEST(RowStatsTest, WithoutRoomForParts) {
    using T = TypeParam;
    const auto x = normal<T>(1, 2, 20, 64);
    const auto w = gaussian<T>(2, 0, 0.1, 640, 64);
    const auto bias = gaussian<T>(3, 5, 1, 640);
    expect_published<published_in_tiles, T>(Extents<3>{{2, 20, 640}}, 4, *w, *x, *bias);
    expect_published<copied, T>(Extents<3>{{2, 20, 64}}, 6, *x);
}
TYPED_TEST(RowStatsTest, OfTilesAndSplitSums) {
    using T = TypeParam;
    const auto x = normal<T>(1, 70, 256), w = gaussian<T>(2, 0, 0.06, 100, 256);
    const auto bias = gaussian<T>(3, 9, 1, 100);
    expect_published<published_in_tiles, T, true>(Extents<2>{{70, 100}}, 10, *w, *x, *bias);
}

// Two sums a column, and pixels of tiles that are no rows of memory. Of fp16, as other types have the same code.
TEST(RowStats, OfTwoSums) {
    const auto x = normal<fp16>(1, 150, 64), w = gaussian<fp16>(2, 0, 0.12, 640, 64);
    expect_published<published_of_two, fp16, true>(Extents<2>{{150, 320}}, 40, *w, *x);
}
TEST(RowStats, OfPixels) {
    const auto x = normal<fp16>(1, 2, 9, 11, 64), w = gaussian<fp16>(2, 0, 0.04, 160, 3, 3, 64);
    const auto bias = gaussian<fp16>(3, 4, 1, 160);
    expect_published<published_pixels, fp16>(Extents<4>{{2, 9, 11, 160}}, 20, *w, *x, *bias);
    // Groups of channels have parts of rows each.
    const auto of_group = gaussian<fp16>(2, 0, 0.06, 160, 3, 3, 32);
    expect_published<published_groups, fp16>(Extents<4>{{2, 9, 11, 160}}, 20, *of_group, *x, *bias);
}

// Records of one, of several and of uneven parts, made by hand.
TYPED_TEST(RowStatsTest, AreReadByAnEpilogue) {
    using T = TypeParam;
    for (const auto& [m, n, width] : {std::array<index_t, 3>{3, 48, 64}, {150, 320, 80}, {70, 33, 24}}) {
        const index_t k = 64;
        const auto x = gaussian<T>(1, 3, 1, m, k), w = gaussian<T>(2, 0, 0.1, n, k), residual = normal<T>(4, m, n);
        const auto sums = normal<float>(3, n);
        Array<float, 2> records(Extents<2>{{m, 12}}, 0);
        for (index_t i = 0; i < m; ++i) {
            float* const record = records.v.data() + 12 * i;
            record[0] = static_cast<float>(width);
            record[1] = static_cast<float>(k);
            for (index_t p = 0; p * width < k; ++p) {
                const index_t end = std::min(k, (p + 1) * width), begin = p * width;
                double mean = 0, m2 = 0;
                const auto at = [&](index_t j) { return x.at({{i, j}}); };
                for (index_t j = begin; j < end; ++j) mean += at(j) / static_cast<double>(end - begin);
                for (index_t j = begin; j < end; ++j) m2 += (at(j) - mean) * (at(j) - mean);
                record[2 + 2 * p] = static_cast<float>(mean);
                record[3 + 2 * p] = static_cast<float>(m2);
            }
        }
        expect_oracle<reads, T>(Extents<2>{{m, n}}, *w, *x, *records, *sums, *residual);
    }
}

// The oracle itself, which takes a record apart otherwise: a product of normalised rows.
TEST(RowStats, TheOracleNormalises) {
    const auto x = gaussian<double>(1, 7, 2, 5, 12), w = normal<double>(2, 4, 12);
    const Array<double, 2> r(Extents<2>{{5, 4}}, 0);
    Array<double, 1> sums(Extents<1>{{4}}, 0);
    for (index_t n = 0; n < 4; ++n)
        for (index_t k = 0; k < 12; ++k) sums.v[static_cast<std::size_t>(n)] += (*w)({{n, k}});
    Array<double, 2> stored(Extents<2>{{5, 12}}, 0), y(Extents<2>{{5, 4}}, 0);
    Array<float, 2> records(Extents<2>{{5, 4}}, 0);
    Oracle oracle;
    prepare<copied>(*stored, *records, *x).run(oracle);
    prepare<reads>(*y, *w, *x, *records, *sums, *r).run(oracle);
    for (index_t m = 0; m < 5; ++m) {
        double mean = 0, variance = 0;
        for (index_t k = 0; k < 12; ++k) mean += (*x)({{m, k}}) / 12;
        for (index_t k = 0; k < 12; ++k) variance += std::pow((*x)({{m, k}}) - mean, 2) / 12;
        for (index_t n = 0; n < 4; ++n) {
            double want = 0;
            for (index_t k = 0; k < 12; ++k)
                want += ((*x)({{m, k}}) - mean) / std::sqrt(variance + 1e-3) * (*w)({{n, k}});
            EXPECT_NEAR((*y)({{m, n}}), want, 1e-5);
        }
    }
}

}  // namespace
