// SPDX-License-Identifier: Apache-2.0
/// Parts of a head's keys, and the program of several sequences, which has the waits of one.
#include <inlay/plan/persistent/decoder.hpp>
#include <inlay/plan/persistent/sizes.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::persistent;

TEST(PersistentDecoder, HasAsManyPartsAsGiveEachBlockOne) {
    using Several = InBatches<Gpt2Small>;
    const int expected[] = {4, 4, 3, 2, 2, 1, 1, 1};
    for (int batch = 1; batch <= 8; ++batch) EXPECT_EQ(parts_of<Several>(batch, 132), expected[batch - 1]) << batch;
    EXPECT_EQ(parts_of<Several>(2, 3), 1);
    EXPECT_EQ(parts_of<Gpt2Small>(1, 3), 4);
    // Rows of 12 keys: those of a part are there when the text has reached them.
    EXPECT_EQ(parts_at<Several>(11, 3), 1);
    EXPECT_EQ(parts_at<Several>(12, 3), 2);
    EXPECT_EQ(parts_at<Several>(1000, 3), 3);
    EXPECT_EQ(parts_at<Several>(1000, 1), 1);
}
TEST(PersistentDecoder, OfSeveralSequencesHasNoWaitForNothing) {
    using Model = Decoder<InBatches<Gpt2Small>>;
    static_assert(Checked<Model::Step>::facts.phase_count == 7);
    EXPECT_EQ(superfluous_waits(facts_of<Model::Step>()), superfluous_waits(facts_of<Decoder<Gpt2Small>::Step>()));
    EXPECT_EQ(superfluous_waits(facts_of<Model::Step>()), 0);
}
/// A word of one value in place of two: rows of twice the bytes, and all of the rest of a program of 16 bits.
TEST(PersistentDecoder, OfFp32HasTheWaitsOf16Bits) {
    using One = SizesOf<Gpt2Small, 4>;
    using Model = Decoder<One>;
    using Half = Decoder<SizesOf<Gpt2Small, 2>>;
    using Several = Decoder<InBatches<One>>;
    static_assert(Checked<Model::Step>::facts.phase_count == 7 && Checked<Several::Step>::facts.phase_count == 7);
    EXPECT_EQ(superfluous_waits(facts_of<Model::Step>()), 0);
    EXPECT_EQ(Model::Row::bytes, 2 * Half::Row::bytes);
    EXPECT_EQ(Model::Inner::bytes, 2 * Half::Inner::bytes);
    EXPECT_EQ(InBatches<One>::batch, 4);
    EXPECT_EQ(InBatches<Gpt2Small>::batch, 8);
}

}  // namespace
