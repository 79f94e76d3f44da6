// SPDX-License-Identifier: Apache-2.0
/// Epilogue prefetch, the operands read before the sums are there: all rows where registers allow, fewer where they do
/// not, nothing where they do not hold a row. A bias is read once, whatever the rows.
#include <inlay/inlay.hpp>
#include <inlay/tile/gpu/epilogue/prefetch.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace {

using namespace inlay;

template <class E>
struct with : Linear<Buf<0>, E> {};
template <class T, int R>
using Leaf = Tensor<const T, R>;

/// The prefetch of epilogue E of tensors T behind a linear of halves.
template <class E, class... T>
using EpilogueOf = std::remove_cvref_t<decltype(prepare<with<E>>(std::declval<Tensor<fp16, 2>>(),
                                                                 std::declval<Leaf<fp16, 2>>(),
                                                                 std::declval<Leaf<fp16, 2>>(),
                                                                 std::declval<T>()...).epilogue)>;
template <int N, int Chunks, int Rows, int Spare, class E, class... T>
using Chunked = on_gpu::WgmmaEpiloguePrefetch<
    CursorsOf<typename EpilogueOf<E, T...>::expression, EpilogueOf<E, T...>, Vec<float, N>>, Chunks, Rows, Spare>;
template <int Rows, int Spare, class E, class... T>
using Ahead = Chunked<4, 4, Rows, Spare, E, T...>;

using Biased = Add<Out, Buf<1>>;
using Residual = Add<Biased, Buf<2>>;

// Four chunks of a row are 8 words of halves, 16 of floats.
TEST(WgmmaEpiloguePrefetch, ABiasIsReadOnceForAllRows) {
    using A = Ahead<8, 8, Biased, Leaf<fp16, 1>>;
    EXPECT_EQ(A::rows, 8);
    EXPECT_FALSE(A::late);
}
TEST(WgmmaEpiloguePrefetch, RowsOfAResidualAsFarAsRegistersReach) {
    EXPECT_EQ((Ahead<8, 72, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::rows), 8);
    EXPECT_EQ((Ahead<8, 71, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::rows), 2);
    EXPECT_EQ((Ahead<8, 23, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::rows), 1);
    EXPECT_EQ((Ahead<8, 72, Residual, Leaf<fp16, 1>, Leaf<float, 2>>::rows), 2);
    EXPECT_FALSE((Ahead<8, 16, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::late));
}
TEST(WgmmaEpiloguePrefetch, NothingWhereARowDoesNotFit) {
    EXPECT_TRUE((Ahead<8, 15, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::late));
    EXPECT_TRUE((Ahead<8, -40, Biased, Leaf<fp16, 1>>::late));
}
TEST(WgmmaEpiloguePrefetch, WiderChunksTakeAsMuch) {
    EXPECT_EQ((Chunked<8, 2, 8, 72, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::rows), 8);
    EXPECT_EQ((Chunked<8, 2, 8, 71, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::rows), 2);
    EXPECT_TRUE((Chunked<8, 2, 8, 15, Residual, Leaf<fp16, 1>, Leaf<fp16, 2>>::late));
}
// Below a view, the cursors of its row determine the reads.
TEST(WgmmaEpiloguePrefetch, ViewsAreReadLate) {
    EXPECT_TRUE((Ahead<8, 200, Add<Out, Concat<-1, Buf<1>, Buf<2>>>, Leaf<fp16, 1>, Leaf<fp16, 1>>::late));
    EXPECT_FALSE((Ahead<8, 200, Silu<Out>>::late));
}

}  // namespace
