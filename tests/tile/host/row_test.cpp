// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/tensor.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/row.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

using namespace inlay;

std::vector<float> ramp(index_t n) {
    std::vector<float> v(static_cast<std::size_t>(n));
    std::iota(v.begin(), v.end(), 0.f);
    return v;
}
template <class... T>
auto slots(const T&... t) {
    return Env<-1, 0, T...>{make_pack(t...), {}, {}};
}
template <class T>
using Tensor2 = Tensor<const T, 2>;

// Values that lie in memory as they are read are not copied.
TEST(ReadRow, InPlaceWhereItIsConsecutive) {
    const auto v = ramp(4 * 50);
    const Tensor2<float> dense(v.data(), {{4, 50}}), turned(v.data(), {{50, 4}}, {{1, 50}});
    std::vector<float> scratch(50, -1);
    const auto read = [&](const auto& bound, index_t i, index_t n) {
        return on_host::read_row(bound, Extents<2>{{i, 0}}, n, scratch.data());
    };
    EXPECT_EQ(read(bind<Buf<0>>(slots(dense)), 3, 50), v.data() + 150);
    EXPECT_EQ((read(bind<Slice<Buf<0>, -1, 8, 30>>(slots(dense)), 2, 30)), v.data() + 108);
    EXPECT_EQ(read(bind<Buf<0>>(slots(turned)), 3, 4), scratch.data());
    EXPECT_EQ((std::vector<float>(scratch.begin(), scratch.begin() + 5)), (std::vector<float>{3, 53, 103, 153, -1}));
    EXPECT_EQ((read(bind<Neg<Buf<0>>>(slots(dense)), 1, 50)), scratch.data());
    EXPECT_EQ(scratch[49], -99);
}
TEST(ReadRow, OfTwoPiecesOnlyWhereOneHoldsTheRow) {
    const auto v = ramp(40);
    const Tensor2<float> left(v.data(), {{2, 10}}), right(v.data() + 20, {{2, 10}});
    const auto both = bind<Concat<-1, Buf<0>, Buf<1>>>(slots(left, right));
    std::vector<float> scratch(20);
    EXPECT_EQ(on_host::read_row(both, Extents<2>{{1, 10}}, 10, scratch.data()), v.data() + 30);
    EXPECT_EQ(on_host::read_row(both, Extents<2>{{1, 0}}, 10, scratch.data()), v.data() + 10);
    EXPECT_EQ(on_host::read_row(both, Extents<2>{{1, 5}}, 10, scratch.data()), scratch.data());
    EXPECT_EQ(scratch[4], 19);
    EXPECT_EQ(scratch[5], 30);
}
// Halves are floats only once they were converted.
TEST(ReadRow, OtherTypesAreConverted) {
    std::vector<fp16> v(10, fp16(0.5f));
    std::vector<float> scratch(10);
    const Tensor2<fp16> t(v.data(), {{1, 10}});
    EXPECT_EQ(on_host::read_row(bind<Buf<0>>(slots(t)), Extents<2>{}, 10, scratch.data()), scratch.data());
    EXPECT_EQ(scratch[9], 0.5f);
}

TEST(WriteRow, RoundsAndLeavesGaps) {
    std::vector<fp16> v(30, fp16(-1.f));
    const Tensor<fp16, 2> gaps(v.data(), {{2, 5}}, {{15, 3}});
    using Outs = pack<Tensor<fp16, 2>>;
    const BoundSink<Store<0>, Outs> sink(make_pack(gaps));
    const std::vector<float> row = {2049, 1, 2, 3, 4};
    on_host::write_row(sink, Extents<2>{{1, 0}}, 5, row.data());
    for (std::size_t i = 0; i < 30; ++i) {
        const float want = i < 15 || i % 3 ? -1.f : i == 15 ? 2048.f : row[(i - 15) / 3];
        EXPECT_EQ(static_cast<float>(v[i]), want) << i;
    }
}

// The epilogue goes through a row in pieces; one that ends in a vector, one in a few elements.
TEST(Finish, EveryPieceOfTheAccumulators) {
    for (const index_t n : {index_t(1), index_t(511), index_t(512), index_t(513), index_t(1500)}) {
        const auto acc = ramp(n), bias = ramp(n);
        std::vector<float> y(static_cast<std::size_t>(n) + 1, -1);
        const Tensor<float, 1> out(y.data(), {{n}});
        const Tensor<const float, 1> b(bias.data(), {{n}});
        const auto env = with_out(slots(b), Extents<1>{{n}});
        const BoundSink<Store<0>, pack<Tensor<float, 1>>> sink(make_pack(out));
        on_host::finish(bind<Add<Mul<Out, Const<2.0>>, Buf<0>>>(env), sink, Extents<1>{}, n, acc.data());
        for (index_t i = 0; i < n; ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], 3 * static_cast<float>(i)) << n;
        EXPECT_EQ(y.back(), -1);
        on_host::finish(bind<Out>(env), sink, Extents<1>{}, n, acc.data());
        for (index_t i = 0; i < n; ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], static_cast<float>(i)) << n;
    }
}

}  // namespace
