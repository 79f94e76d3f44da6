// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

// But for one, with a schedule that compiles in seconds: what they test does not depend on it.
template <class In = Buf<0>, class Epilogue = Out, class S = Store<0>>
using Product = Linear<In, Epilogue, S, Small>;

struct plain : Product<> {};
struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct bias_residual_silu : Product<Buf<0>, Silu<Add<Add<Out, Buf<1>>, Buf<2>>>> {};
struct scaled : Product<Buf<0>, Mul<Out, Param<0>>> {};
using Half1 = Slice<Buf<0>, -1, 0, param<0>>;
using Half2 = Slice<Buf<0>, -1, param<0>, param<0>>;
struct geglu : Product<Mul<Half1, Gelu<Half2>>, Add<Out, Buf<1>>> {};
struct two_sums : Product<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>> {};
struct two_sums_of_heads : Product<Buf<0>, Sub<Out, OutGate>, SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>> {};
struct upper_columns : Product<Buf<0>, Where<Less<Coord<-1>, Param<0>>, Out, Neg<Out>>> {};
struct joined_channels : Product<Concat<-1, Buf<0>, Buf<1>>> {};
struct permuted_out : Product<Buf<0>, Out, Permuted<Store<0>, 0, 2, 1>> {};
template <int I>
using Heads = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;
struct split_heads : Product<Buf<0>, Out, Heads<0>> {};
struct qkv : Product<Buf<0>, Add<Out, Buf<1>>, Partition<-1, Heads<0>, Heads<1>, Heads<2>>> {};
struct uneven_parts : Product<Buf<0>, Out, Partition<-1, Store<0>, Store<1>>> {};
struct row_parts : Product<Buf<0>, Out, Partition<-2, Store<0>, Store<1>>> {};
struct every_third : Product<Buf<0>, Out, Strided<Store<0>, -1, 3, 1>> {};
struct into_cache : Product<Buf<0>, Out, Partition<-1, Scatter<Store<0>, Buf<1>, 1>, Scatter<Heads<1>, Buf<1>, 1>>> {};
struct with_statistics : Product<Buf<0>, Out, WithStats<Store<0>, 1>> {};

template <class T>
struct LinearTest : ::testing::Test {
    template <class... I>
    static auto x(unsigned seed, I... e) {
        return normal<T>(seed, e...);
    }
    static auto weight(unsigned seed, index_t n, index_t k) {
        return gaussian<T>(seed + 100, 0, 1 / std::sqrt(static_cast<double>(k)), n, k);
    }
};
TYPED_TEST_SUITE(LinearTest, StorageTypes, StorageNames);

TYPED_TEST(LinearTest, RaggedSizes) {
    for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 3, 1}, {1, 320, 77}, {3, 4, 40}, {77, 5, 100}, {77, 3, 64},
                                 {5, 33, 17}, {13, 130, 321}, {64, 48, 16}}) {
        const auto x = this->x(static_cast<unsigned>(m), m, k), w = this->weight(3, n, k);
        const auto b = normal<TypeParam>(4, n);
        expect_oracle<biased, TypeParam>(Extents<2>{{m, n}}, *w, *x, *b);
    }
}

TYPED_TEST(LinearTest, LeadingAxesAreRows) {
    const auto x = this->x(1, 3, 2, 7, 20);
    const auto w = this->weight(2, 24, 20);
    expect_oracle<plain, TypeParam>(Extents<4>{{3, 2, 7, 24}}, *w, *x);
}

TYPED_TEST(LinearTest, BatchOfWeights) {
    const auto x = this->x(1, 3, 7, 20);
    const auto w = normal<TypeParam>(2, 3, 11, 20);
    expect_oracle<plain, TypeParam>(Extents<3>{{3, 7, 11}}, *w, *x);
}

TYPED_TEST(LinearTest, Epilogues) {
    const auto x = this->x(1, 3, 7, 36);
    const auto w = this->weight(2, 19, 36);
    const auto b = normal<TypeParam>(3, 19);
    const auto r = normal<TypeParam>(4, 3, 7, 19);
    expect_oracle<bias_residual_silu, TypeParam>(Extents<3>{{3, 7, 19}}, *w, *x, *b, *r);
    expect_oracle<scaled, TypeParam>(Extents<3>{{3, 7, 19}}, *w, *x, 0.37);
    expect_oracle<upper_columns, TypeParam>(Extents<3>{{3, 7, 19}}, *w, *x, 6);
}

// Of 32 rows of weights the first 16 are those of Out: the oracle itself.
TEST(Linear, TwoSumsAreThoseOfPairsOfRows) {
    const auto x = normal<double>(1, 3, 5), w = normal<double>(2, 96, 5);
    Array<double, 2> y(Extents<2>{{3, 48}}, 0);
    struct both : Linear<Buf<0>, Sub<Out, Mul<OutGate, OutGate>>> {};
    Oracle oracle;
    prepare<both>(*y, *w, *x).run(oracle);
    for (index_t m = 0; m < 3; ++m)
        for (index_t n = 0; n < 48; ++n) {
            const auto dot = [&](index_t row) {
                double s = 0;
                for (index_t k = 0; k < 5; ++k) s += (*x)({{m, k}}) * (*w)({{row, k}});
                return s;
            };
            const index_t row = n / 16 * 32 + n % 16;
            EXPECT_NEAR((*y)({{m, n}}), dot(row) - dot(row + 16) * dot(row + 16), 1e-12);
        }
}

TYPED_TEST(LinearTest, TwoSums) {
    for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 16, 24}, {5, 48, 33}, {77, 80, 64}, {130, 592, 72}}) {
        const auto x = this->x(1, m, k), w = this->weight(2, 2 * n, k);
        const auto b = normal<TypeParam>(3, n), c = normal<TypeParam>(4, n);
        expect_oracle_computing<two_sums, TypeParam>(Extents<2>{{m, n}}, *w, *x, *b, *c);
    }
    const auto x = this->x(1, 2, 19, 40);
    const auto w = this->weight(2, 160, 40);
    expect_oracle<two_sums_of_heads, TypeParam>(Extents<4>{{2, 2, 19, 40}}, *w, *x);
}

TYPED_TEST(LinearTest, Prologues) {
    const auto wide = this->x(1, 3, 7, 72);
    const auto w = this->weight(2, 19, 36);
    const auto b = normal<TypeParam>(3, 19);
    expect_oracle_computing<geglu, TypeParam>(Extents<3>{{3, 7, 19}}, *w, *wide, *b, 36);
    const auto left = this->x(4, 3, 7, 21), right = this->x(5, 3, 7, 15);
    expect_oracle<joined_channels, TypeParam>(Extents<3>{{3, 7, 19}}, *w, *left, *right);
}

TYPED_TEST(LinearTest, Sinks) {
    const auto x = this->x(1, 3, 7, 36);
    const auto w = this->weight(2, 24, 36), w3 = this->weight(3, 72, 36);
    const auto b3 = normal<TypeParam>(4, 72);
    expect_oracle<permuted_out, TypeParam>(Extents<3>{{3, 24, 7}}, *w, *x);
    expect_oracle<split_heads, TypeParam>(Extents<4>{{3, 4, 7, 6}}, *w, *x);
    const Extents<4> heads{{3, 4, 7, 6}};
    expect_oracle<qkv, TypeParam>(outputs(heads, heads, heads), *w3, *x, *b3);
    expect_oracle<uneven_parts, TypeParam>(outputs(Extents<3>{{3, 7, 5}}, Extents<3>{{3, 7, 19}}), *w, *x);
    expect_oracle<row_parts, TypeParam>(outputs(Extents<3>{{3, 2, 24}}, Extents<3>{{3, 5, 24}}), *w, *x);
}

// A permutation and a split are only views of the same numbers, so the plain layout must hold the very same bits.
TYPED_TEST(LinearTest, SplitHeadsAreThePlainResultPermuted) {
    const auto x = this->x(1, 3, 7, 36);
    const auto w = this->weight(2, 24, 36);
    const auto rows = std::get<0>(run<plain, TypeParam>(executor(), as_outputs(Extents<3>{{3, 7, 24}}), *w, *x));
    const auto heads =
        std::get<0>(run<split_heads, TypeParam>(executor(), as_outputs(Extents<4>{{3, 4, 7, 6}}), *w, *x));
    for (index_t b = 0; b < 3; ++b)
        for (index_t s = 0; s < 7; ++s)
            for (index_t h = 0; h < 4; ++h)
                for (index_t d = 0; d < 6; ++d) ASSERT_EQ(heads.at({{b, h, s, d}}), rows.at({{b, s, h * 6 + d}}));
}

TYPED_TEST(LinearTest, StridedSinkLeavesTheRestAlone) {
    const auto x = this->x(1, 5, 36), w = this->weight(2, 8, 36);
    const auto dense = std::get<0>(run<plain, TypeParam>(executor(), as_outputs(Extents<2>{{5, 8}}), *w, *x));
    const auto sparse = std::get<0>(run<every_third, TypeParam>(executor(), as_outputs(Extents<2>{{5, 24}}), *w, *x));
    for (index_t i = 0; i < 5; ++i)
        for (index_t j = 0; j < 24; ++j) {
            if (j % 3 == 1) EXPECT_EQ(sparse.at({{i, j}}), dense.at({{i, j / 3}}));
            else EXPECT_TRUE(std::isnan(sparse.at({{i, j}})));
        }
}

/// New rows at their places in tensors of more rows, one of them by heads; of one row a batch it is a GEMV's result.
TYPED_TEST(LinearTest, ScatteredRowsLeaveTheRestAlone) {
    for (const index_t rows : {1, 3}) {
        const auto x = this->x(1, 2, rows, 40);
        const auto w = this->weight(2, 32, 40);
        const auto dense = std::get<0>(run<plain, TypeParam>(executor(), as_outputs(Extents<3>{{2, rows, 32}}), *w, *x));
        Array<std::int32_t, 2> places(Extents<2>{{2, rows}}, 0);
        const std::int32_t at[] = {4, 0, 2, 1, 5, 3};
        for (index_t i = 0; i < 2 * rows; ++i) (*places)(Extents<2>{{i / rows, i % rows}}) = at[i];
        const auto [whole, heads] = run<into_cache, TypeParam>(
            executor(), outputs(Extents<3>{{2, 6, 16}}, Extents<4>{{2, 2, 6, 8}}), *w, *x, *places);
        for (index_t b = 0; b < 2; ++b)
            for (index_t p = 0; p < 6; ++p) {
                index_t from = -1;
                for (index_t s = 0; s < rows; ++s)
                    if (at[b * rows + s] == p) from = s;
                for (index_t n = 0; n < 16; ++n) {
                    const auto y = whole.at({{b, p, n}}), z = heads.at({{b, n / 8, p, n % 8}});
                    if (from < 0) EXPECT_TRUE(std::isnan(y) && std::isnan(z));
                    else EXPECT_TRUE(y == dense.at({{b, from, n}}) && z == dense.at({{b, from, n + 16}}));
                }
            }
    }
}

TYPED_TEST(LinearTest, StatisticsOfWhatWasStored) {
    const auto x = this->x(1, 3, 70, 36);
    const auto w = this->weight(2, 21, 36);
    auto y = unwritten<TypeParam>(3, 70, 21);
    auto s = unwritten<float>(3, 21, 2);
    execute<with_statistics>(executor(3), *y, *s, *w, *x);
    for (index_t b = 0; b < 3; ++b)
        for (index_t c = 0; c < 21; ++c) {
            double mean = 0, m2 = 0;
            for (index_t i = 0; i < 70; ++i) mean += y.at({{b, i, c}}) / 70;
            for (index_t i = 0; i < 70; ++i) m2 += (y.at({{b, i, c}}) - mean) * (y.at({{b, i, c}}) - mean);
            EXPECT_NEAR(s.at({{b, c, 0}}), mean, 1e-6);
            EXPECT_NEAR(s.at({{b, c, 1}}), m2, 1e-5 * m2);
        }
}

TYPED_TEST(LinearTest, PackedWeightsGiveTheSameBits) {
    for (const auto& [n, k] : {std::pair<index_t, index_t>{5, 7}, {48, 64}, {130, 321}}) {
        const auto x = this->x(1, 9, k);
        auto w = this->weight(2, n, k);
        const PackedWeight packed(*w);
        const auto out = as_outputs(Extents<2>{{9, n}});
        EXPECT_TRUE(same_bits(run<plain, TypeParam>(executor(), out, *w, *x),
                              run<plain, TypeParam>(executor(), out, *packed, *x)));
    }
}

TYPED_TEST(LinearTest, AsExactAsPyTorch) {
    expect_torch<TypeParam>("linear", [](const TorchCase& c, unsigned seed) {
        const index_t m = c.shape[0], n = c.shape[1], k = c.shape[2];
        const auto x = normal<TypeParam>(seed, m, k);
        const auto w = gaussian<TypeParam>(seed + 10, 0, 1 / std::sqrt(static_cast<double>(k)), n, k);
        const auto b = normal<TypeParam>(seed + 20, n);
        return compare<biased, TypeParam>(Extents<2>{{m, n}}, *w, *x, *b).error;
    });
}

TEST(Linear, MixesStorageTypes) {
    const auto x = normal<float>(1, 9, 40);
    const auto w = gaussian<fp16>(2, 0, 0.15, 11, 40);
    const auto b = normal<bf16>(3, 11);
    expect_oracle_computing<biased, float, fp16>(Extents<2>{{9, 11}}, *w, *x, *b);
}

TEST(Linear, StridedInput) {
    auto x = normal<float>(1, 9, 80);
    const auto w = normal<float>(2, 11, 40);
    const Tensor<float, 2> every_second(x.v.data(), {{9, 40}}, {{80, 2}});
    expect_oracle<plain, float>(Extents<2>{{9, 11}}, *w, every_second);
}

TEST(Linear, NoRowsDoNothing) {
    const auto x = unwritten<float>(0, 40), w = unwritten<float>(11, 40);
    expect_oracle<plain, float>(Extents<2>{{0, 11}}, *w, *x);
}

// A sum of nothing is 0, and the epilogue is applied to it.
TEST(Linear, NothingToAddUp) {
    const auto b = normal<float>(1, 11);
    const auto w = unwritten<float>(11, 0);
    EXPECT_EQ(plain::shape(Extents<3>{{4, 5, 0}}, *w).m, 20);
    for (const index_t m : {3, 20}) {
        const auto x = unwritten<float>(m, 0);
        expect_oracle<biased, float>(Extents<2>{{m, 11}}, *w, *x, *b);
    }
}

TEST(Linear, Misfits) {
    auto x = unwritten<float>(9, 40), y = unwritten<float>(9, 11), narrow = unwritten<float>(9, 10);
    const auto w = unwritten<float>(11, 40), longer = unwritten<float>(11, 41);
    const auto batched = unwritten<float>(3, 11, 40);
    const auto bias = unwritten<float>(10);
    EXPECT_EQ(sentence([&] { prepare<plain>(*y, *longer, *x); }),
              "inlay: plain: " + name<plain::Linear>() +
                  ": the input [9, 40] has K = 40, the weight [11, 41] has K = 41");
    EXPECT_NE(sentence([&] {
                  prepare<plain>(*narrow, *w, *x);
              }).find("the output takes [9, 10], the kernel computes [9, 11]"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<biased>(*y, *w, *x, *bias); }), "");
    auto x3 = unwritten<float>(2, 9, 40), y3 = unwritten<float>(2, 9, 11);
    EXPECT_NE(sentence([&] { prepare<plain>(*y3, *batched, *x3); }).find("have different batches"), std::string::npos);
}

}  // namespace
