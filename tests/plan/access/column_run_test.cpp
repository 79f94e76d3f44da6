// SPDX-License-Identifier: Apache-2.0
#include <inlay/expr/sink/partition.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/sink/scatter.hpp>
#include <inlay/expr/sink/split_last.hpp>
#include <inlay/expr/sink/strided.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/plan/access/column_run.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

/// Nothing is stored, so outputs have no memory.
template <class... E>
Tensor<float, sizeof...(E)> out(E... extents) {
    return {nullptr, {{extents...}}};
}
template <class S, class... O>
index_t run_of(index_t columns, const O&... outs) {
    const auto all = make_pack(outs...);
    return column_run(BoundSink<S, std::remove_const_t<decltype(all)>>(all), columns);
}

template <int I>
using HeadsOf = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;

TEST(ColumnRun, IsTheRowOfOneTensor) {
    EXPECT_EQ((run_of<Store<0>>(48, out(7, 48))), 48);
    EXPECT_EQ((run_of<Permuted<Store<0>, 1, 0, 2>>(48, out(7, 5, 48))), 48);
}
TEST(ColumnRun, IsTheLengthOfHeads) {
    EXPECT_EQ((run_of<HeadsOf<0>>(768, out(2, 12, 5, 64))), 64);
    EXPECT_EQ((run_of<Partition<-1, HeadsOf<0>, HeadsOf<1>, HeadsOf<2>>>(960, out(2, 8, 5, 40), out(2, 8, 5, 40),
                                                                        out(2, 8, 5, 40))),
              40);
}
TEST(ColumnRun, DividesPartsOfAllLengths) {
    EXPECT_EQ((run_of<Partition<-1, Store<0>, Store<1>>>(160, out(3, 96), out(3, 64))), 32);
    EXPECT_EQ((run_of<Partition<-1, Store<0>, HeadsOf<1>>>(7 + 64, out(2, 5, 7), out(2, 1, 5, 64))), 1);
}
TEST(ColumnRun, OfColumnsThatLieApartIsOne) {
    EXPECT_EQ((run_of<Permuted<Store<0>, 1, 0>>(48, out(48, 7))), 1);
}
// The tensor of places may be a device's: it is not read.
TEST(ColumnRun, OfRowsThatATensorPlacesIsThatOfTheSinkBelow) {
    using ToCache = Scatter<HeadsOf<1>, Buf<0>, 1>;
    const auto outs = make_pack(out(2, 5, 128), out(2, 2, 9, 64));
    const Env<-1, 0, Tensor<const std::int32_t, 1>> env{
        make_pack(Tensor<const std::int32_t, 1>(nullptr, {{5}})), {}, {}};
    using S = Partition<-1, Store<0>, ToCache>;
    const BoundSink<S, std::remove_const_t<decltype(outs)>> sink(outs, env);
    EXPECT_EQ(column_run(sink, 256), 64);
}
TEST(ColumnRun, WithoutColumnsIsNone) { EXPECT_EQ((run_of<Store<0>>(0, out(7, 0))), 0); }

}  // namespace
