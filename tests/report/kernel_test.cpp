// SPDX-License-Identifier: Apache-2.0
/// Facts that follow from a report's operands and fusions.
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/report/kernel.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(KernelReport, MovesEveryOperandOnce) {
    KernelReport l;
    EXPECT_EQ(l.bytes(), 0);
    for (const double b : {3.0, 5.0, 8.0}) {
        Operand o;
        o.bytes = b;
        l.operands.push_back(o);
    }
    EXPECT_EQ(l.bytes(), 16);
}
TEST(KernelReport, SavesALaunchAndTheBytesOfEachFusion) {
    KernelReport l;
    EXPECT_EQ(l.unfused(), 1);
    EXPECT_EQ(l.saved(), 0);
    l.fusions = {{"Silu", 10}, {"Concat", 20}};
    EXPECT_EQ(l.unfused(), 3);
    EXPECT_EQ(l.saved(), 30);
}
TEST(KernelReport, TheAccessClassIsThatOfItsWorstInput) {
    KernelReport l;
    note_access_class<Buf<0>>(l);
    EXPECT_EQ(l.access_class, AccessClass::plain);
    note_access_class<Concat<-1, Buf<0>, Buf<1>>>(l);
    EXPECT_EQ(l.why, "Concat");
    note_access_class<Slice<Buf<0>, -1, 0, 8>>(l);
    EXPECT_EQ(l.access_class, AccessClass::piecewise);
    EXPECT_EQ(l.why, "Concat");
}

}  // namespace
