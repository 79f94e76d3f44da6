// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>
#include <inlay/plan/access/chunks.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

template <class... T>
using Tensors = Env<-1, 0, Tensor<const T, 2>...>;
template <class E, class... T>
using OfTensors = decltype(bind<E>(std::declval<Tensors<T...>>()));

TEST(Chunks, HaveSixteenBytes) {
    static_assert(chunk_of<float> == 4 && chunk_of<fp16> == 8 && chunk_of<std::int8_t> == 16);
}
TEST(Chunks, AreThoseOfTheWidestTensor) {
    static_assert(leaf_lanes<OfTensors<Buf<0>, fp16>> == 8 && leaf_lanes<OfTensors<Buf<0>, float>> == 4);
    static_assert(leaf_lanes<OfTensors<Add<Buf<0>, Buf<1>>, fp16, float>> == 4);
    static_assert(leaf_lanes<OfTensors<Buf<0>, double>> == 2);
    static_assert(leaf_lanes<OfTensors<Const<1.0>>> == 4);
}
TEST(Chunks, OfSeveralTensorsAreFewerAtOnce) {
    static_assert(chunks_at_once<OfTensors<Silu<Buf<0>>, fp16>> == 8);
    static_assert(chunks_at_once<OfTensors<Add<Buf<0>, Buf<1>>, fp16, fp16>> == 4);
}
TEST(Chunks, RowsFollowEachOtherWithoutPiecesAndCoordinates) {
    static_assert(walks_down<Add<Buf<0>, Buf<1>>>);
    static_assert(!walks_down<Add<Buf<0>, Coord<1>>> && !walks_down<Concat<-1, Buf<0>, Buf<1>>>);
}
TEST(Chunks, BytesCountNoTensorTwiceAsLargeAsTheResult) {
    std::vector<float> x(24);
    std::vector<fp16> row(6);
    const Tensor<const float, 2> whole(x.data(), {{4, 6}});
    const Tensor<const fp16, 2> small(row.data(), {{1, 6}});
    const auto in = bind<Add<Buf<0>, Buf<1>>>(Tensors<float, fp16>{make_pack(whole, small), {}, {}});
    EXPECT_EQ(read_bytes(in, 24), 24 * 4 + 6 * 2);
    EXPECT_EQ(read_bytes(in, 10), 10 * 4 + 6 * 2);
}

}  // namespace
