// SPDX-License-Identifier: Apache-2.0
/// Matrix products of sizes for which the table chooses each of its schedules, splits sums and streams weights, with
/// every way an operand can be read. The cases of tests/frame are too small for that.
#include <frame/check.hpp>

#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>

#include <array>
#include <set>

namespace {

using namespace inlay;
using namespace inlay_test;

struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
using Hidden = Slice<Buf<0>, -1, 0, param<0>>;
using Gate = Slice<Buf<0>, -1, param<0>, param<0>>;
struct geglu_residual : Linear<Mul<Hidden, Gelu<Gate>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct skip : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
template <int I>
using Heads = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;
struct qkv : Linear<Buf<0>, Out, Partition<-1, Heads<0>, Heads<1>, Heads<2>>> {};
struct time_row : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct conv : Conv2D<Filter<3>, Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct up_conv : Conv2D<Filter<3>, Upsample2x<Buf<0>>, Out> {};

struct Size {
    index_t m, n, k;
};
/// Tiles of every schedule, whole and ragged, with and without parts of sums; the last dimension of one needs no tail.
constexpr Size sizes[] = {{1100, 640, 320}, {1030, 650, 328}, {8192, 320, 320}, {4096, 2560, 64}, {300, 264, 1288},
                          {154, 320, 768},  {64, 1280, 2560}, {33, 70, 4000},   {513, 1290, 40}};

template <class T>
Array<T, 2> weight(unsigned seed, index_t n, index_t k) {
    return gaussian<T>(seed, 0, 1 / std::sqrt(static_cast<double>(k)), n, k);
}

template <class T>
struct MatmulTest : ::testing::Test {};
TYPED_TEST_SUITE(MatmulTest, StorageTypes, StorageNames);

TYPED_TEST(MatmulTest, EverySchedule) {
    std::set<int> schedules, parts;
    for (const auto& [m, n, k] : sizes) {
        GemmProblem p;
        p.shape = {1, m, n, 1, k};
        p.dtype = dtype_of<TypeParam>;
        p.wgmma.refused = "this test is of portable tiles";
        const GemmDecision d = decide(p, on_gpu::target_of(executor().device()));
        schedules.insert(d.index());
        parts.insert(d.split_k());
        const auto x = normal<TypeParam>(1, m, k), w = weight<TypeParam>(2, n, k);
        const auto b = normal<TypeParam>(3, n);
        expect_oracle<biased, TypeParam>(Extents<2>{{m, n}}, *w, *x, *b);
    }
    const std::size_t all = std::is_same_v<TypeParam, float> ? std::size(mma_matrix_fp32) : std::size(mma_matrix);
    EXPECT_EQ(schedules.size(), all) << "a schedule of the table was not chosen";
    EXPECT_GE(parts.size(), 2u) << "no sum was split";
}

TYPED_TEST(MatmulTest, StreamedWeights) {
    for (index_t m = 1; m <= gemv_rows; ++m)
        for (const auto& [n, k] : {std::pair<index_t, index_t>{1280, 320}, {70, 1288}, {33, 77}, {24, 9000}}) {
            const auto x = normal<TypeParam>(1, m, k), w = weight<TypeParam>(2, n, k);
            const auto b = normal<TypeParam>(3, n);
            expect_oracle<biased, TypeParam>(Extents<2>{{m, n}}, *w, *x, *b);
            expect_oracle_computing<time_row, TypeParam>(Extents<2>{{m, n}}, *w, *x, *b);
        }
}

TYPED_TEST(MatmulTest, Operands) {
    for (const index_t rows : {3, 210}) {
        const Extents<3> out{{2, rows, 328}};
        const auto wide = normal<TypeParam>(1, 2, rows, 1280), r = normal<TypeParam>(4, 2, rows, 328);
        const auto w = weight<TypeParam>(2, 328, 640);
        const auto b = normal<TypeParam>(3, 328);
        expect_oracle_computing<geglu_residual, TypeParam>(out, *w, *wide, *b, *r, 640);
        const auto left = normal<TypeParam>(5, 2, rows, 320), right = normal<TypeParam>(6, 2, rows, 320);
        expect_oracle<skip, TypeParam>(out, *w, *left, *right);
        const auto w3 = weight<TypeParam>(7, 960, 320);
        const Extents<4> heads{{2, 8, rows, 40}};
        expect_oracle<qkv, TypeParam>(outputs(heads, heads, heads), *w3, *left);
    }
}

TYPED_TEST(MatmulTest, Convolutions) {
    const auto x = normal<TypeParam>(1, 2, 18, 22, 72), small = normal<TypeParam>(2, 3, 7, 9, 320);
    const auto w = gaussian<TypeParam>(3, 0, 0.04, 136, 3, 3, 72), w2 = gaussian<TypeParam>(4, 0, 0.02, 40, 3, 3, 320);
    const auto b = normal<TypeParam>(5, 136), b2 = normal<TypeParam>(6, 40);
    expect_oracle_computing<conv, TypeParam>(Extents<4>{{2, 18, 22, 136}}, *w, *x, *b);
    expect_oracle_computing<conv, TypeParam>(Extents<4>{{3, 7, 9, 40}}, *w2, *small, *b2);
    expect_oracle<up_conv, TypeParam>(Extents<4>{{2, 36, 44, 136}}, *w, *x);
}

}  // namespace
