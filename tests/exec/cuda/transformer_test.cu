// SPDX-License-Identifier: Apache-2.0
/// A small spatial transformer by persistent launches is that of plain loops, from any number of blocks; by the
/// emulator on a CPU, too.
#include "transformer.hpp"

#include <exec/sentence.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;
using Shape = persistent::TransformerShape;

TEST(PersistentTransformer, IsThatOfPlainLoops) {
    SpatialBlock<fp16> block(Shape{.batch = 2, .pixels = 64, .channels = 160, .heads = 4, .text = 77});
    const auto first = block.by_launches({.blocks = 5}, 3);
    for (int image = 0; image < 2; ++image)
        EXPECT_LT(distance(first[static_cast<std::size_t>(image)], block.by_loops(image)), 3e-3) << image;
    EXPECT_EQ(first[2], first[0]) << "the first image again";
    EXPECT_EQ(block.by_launches({.blocks = 1}, 1)[0], first[0]) << "one block";
    EXPECT_EQ(block.by_launches({.blocks = 40}, 1)[0], first[0]) << "more blocks than are resident on the emulator";
}
/// Sums in slices, which blocks that meet add up; several groups of rows in an image.
TEST(PersistentTransformer, SlicesAndGroupsOfRows) {
    const Shape shape{.batch = 1, .pixels = 128, .channels = 160, .heads = 4, .text = 5};
    SpatialBlock<fp16> block(shape);
    EXPECT_EQ(PersistentTransformer<fp16>(block.gpu, block.weights, shape, {.units = 60}).layout().tasks.slices[13], 2);
    const auto y = block.by_launches({.units = 60}, 1)[0];
    EXPECT_LT(distance(y, block.by_loops(0)), 3e-3);
    EXPECT_EQ(block.by_launches({.blocks = 1, .units = 60}, 1)[0], y);
}
TEST(PersistentTransformer, RefusesWhatHasNoProgram) {
    SpatialBlock<fp16> block(Shape{.batch = 1, .pixels = 64, .channels = 160, .heads = 4, .text = 1});
    const auto says = [&](const std::string& end, const Shape& s, const TransformerRun& run = {}) {
        expect_sentence(end, [&] { PersistentTransformer<fp16>(block.gpu, block.weights, s, run); });
    };
    says("has 1 images of 96 pixels and a text of 1 tokens, expected images of a multiple of 64 pixels and some tokens",
         {.batch = 1, .pixels = 96, .channels = 160, .heads = 4, .text = 1});
    says("has 256 channels of 4 heads, expected heads of 40, 80 or 160, and a multiple of 32 channels",
         {.batch = 1, .pixels = 64, .channels = 256, .heads = 4, .text = 1});
    says("has 200 channels of 5 heads, expected heads of 40, 80 or 160, and a multiple of 32 channels",
         {.batch = 1, .pixels = 64, .channels = 200, .heads = 5, .text = 1});
    says("has 16 images of 16384 pixels and 320 channels, expected less than 107374182 bytes",
         {.batch = 16, .pixels = 16384, .channels = 320, .heads = 8, .text = 1});
    says("has -1 blocks, 0 multiprocessors and delays of 0 clocks, expected no negative number", block.shape,
         {.blocks = -1});
    PersistentTransformer<fp16> other(block.gpu, block.weights,
                                      {.batch = 1, .pixels = 64, .channels = 160, .heads = 4, .text = 2});
    expect_sentence("reads keys [1, 1, 160] and values [1, 1, 160] of its text, expected [1, 2, 160]",
                    [&] { other.launch(block.operands(0, nullptr)); });
}

}  // namespace
