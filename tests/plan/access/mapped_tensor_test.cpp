// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/access/mapped_tensor.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

MappedTensor rows(index_t extent, index_t stride, std::uintptr_t address = 1024) {
    return {reinterpret_cast<const void*>(address), DType::f16, {extent, 10, 1, 1, 1}, {1, stride, 0, 0, 0}};
}

TEST(MappedTensor, RowsBeginAtMultiplesOf16Bytes) {
    EXPECT_TRUE(rows(64, 64).can_map());
    EXPECT_TRUE(rows(20, 24).can_map());  // rows may be shorter than their stride, and of any length
    EXPECT_FALSE(rows(64, 68).can_map());
    EXPECT_FALSE(rows(64, 64, 1032).can_map());
}
TEST(MappedTensor, TheInnermostAxisIsDense) {
    MappedTensor t = rows(64, 128);
    t.strides[0] = 2;
    EXPECT_FALSE(t.can_map());
}
TEST(MappedTensor, AxesOfOneElementHaveAnyStride) {
    MappedTensor t = rows(64, 3);
    EXPECT_FALSE(t.can_map());
    t.extents[1] = 1;
    EXPECT_TRUE(t.can_map());
}
TEST(MappedTensor, StandsStillOrIsEmptyNowhere) {
    EXPECT_FALSE(rows(64, 0).can_map());  // a broadcast of rows
    EXPECT_FALSE(rows(64, -64).can_map());
    MappedTensor t = rows(64, 64);
    t.extents[2] = 0;
    EXPECT_FALSE(t.can_map());
}
TEST(MappedTensor, ExtentsAndStridesFitItsRegisters) {
    EXPECT_TRUE(rows((index_t(1) << 31) - 1, index_t(1) << 31).can_map());
    EXPECT_FALSE(rows(index_t(1) << 31, index_t(1) << 31).can_map());
    EXPECT_FALSE(rows(64, index_t(1) << 38).can_map());
}

TEST(MappedWindow, TakesTheWindowsOfConvolutions) {
    EXPECT_TRUE((MappedWindow{3, 3, 1, 1, 1, 1}.can_map()));
    EXPECT_TRUE((MappedWindow{3, 3, 2, 0, 1, 1}.can_map()));
    EXPECT_TRUE((MappedWindow{1, 1, 2, 0, 0, 1}.can_map()));
    EXPECT_FALSE((MappedWindow{3, 3, 9, 1, 1, 1}.can_map()));       // strides are 1 to 8
    EXPECT_FALSE((MappedWindow{200, 1, 1, 0, 0, 1}.can_map()));     // corners are within 128 pixels
    EXPECT_FALSE((MappedWindow{3, 3, 1, 150, 150, 100}.can_map()));
}

}  // namespace
