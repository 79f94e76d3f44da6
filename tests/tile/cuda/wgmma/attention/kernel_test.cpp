// SPDX-License-Identifier: Apache-2.0
/// Attention of sm_90a's engine, every schedule of its tables, at sizes that an emulator can take: more blocks of keys
/// than a ring has stages, rows and keys that fill no tile, masks, grouped queries.
#include "attentions.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <int D>
constexpr int last = wgmma_attention_schedules(D).size - 1;

TEST(WgmmaAttention, ManyBlocksOfKeys) {
    expect_attention<TableTile<fp16, 40, 0>>(1, 1, 1, 270, 400);
    expect_attention<TableTile<fp16, 40, 1>>(1, 2, 2, 130, 700, 3);
    expect_attention<TableTile<fp16, 64, 0>>(1, 1, 1, 200, 300);
    expect_attention<TableTile<bf16, 64, 1>>(1, 1, 1, 64, 513);
    expect_attention<TableTile<fp16, 80, 0>>(1, 1, 1, 65, 400, 2);
    expect_attention<TableTile<fp16, 128, 0>>(1, 1, 1, 128, 300);
    expect_attention<TableTile<fp16, 128, 1>>(1, 1, 1, 70, 300);
    expect_attention<TableTile<fp16, 160, 0>>(1, 2, 2, 70, 130);
    expect_attention<TableTile<fp16, 96, 0>, mask::Causal>(1, 1, 1, 200, 250);
    expect_attention<TableTile<bf16, 96, 1>>(1, 1, 1, 70, 300);
    expect_attention<TableTile<fp16, 256, 0>, mask::Causal>(1, 1, 1, 130, 250);
}
// Scores of growing deviations: maxima move more often.
TEST(WgmmaAttention, GreatScores) {
    expect_attention<AttentionTile<40, 1, 64>>(1, 1, 1, 64, 700, 4);
    expect_attention<AttentionTile<64, 1, 64>>(1, 1, 1, 64, 300, 6);
}
// Exponents relative to what the product subtracts, from small scores to such as move it in every block.
TEST(WgmmaAttention, FoldedScores) {
    static_assert(TableTile<fp16, 40, 0, true>::folded && TableTile<bf16, 40, 1, true>::folded &&
                  !TableTile<fp16, 40, last<40>, true>::folded && !TableTile<fp16, 64, 0, true>::folded);
    expect_attention<TableTile<fp16, 40, 0, true>>(1, 1, 1, 270, 400, 0.5);
    expect_attention<TableTile<fp16, 40, 0, true>>(1, 2, 1, 130, 400);
    expect_attention<TableTile<bf16, 40, 0, true>>(1, 1, 1, 64, 300);
    expect_attention<TableTile<fp16, 40, 1, true>>(1, 1, 1, 130, 700, 2);
    expect_attention<FoldedTile<fp16>, mask::Causal>(1, 1, 1, 150, 130);        // 20 see nothing: 0
    expect_attention<FoldedTile<bf16>, mask::Causal>(1, 1, 1, 9, 300);
    expect_attention<FoldedTile<fp16>>(1, 1, 1, 64, 700, 4);
}
TEST(WgmmaAttention, ColumnsInShares) {
    expect_attention<TableTile<fp16, 512, 0>>(1, 1, 1, 70, 200);
    expect_attention<TableTile<bf16, 512, 0>, mask::Causal>(1, 1, 1, 30, 100);
}
TEST(WgmmaAttention, OneBlockOfKeys) {
    for (const int parts : {1, 2}) expect_attention<TableTile<fp16, 40, last<40>>>(2, 1, 1, 330, 77, 1, parts);
    expect_attention<TableTile<fp16, 64, last<64>>, mask::Causal>(1, 2, 2, 77, 77);
    expect_attention<TableTile<fp16, 80, last<80>>>(1, 2, 2, 130, 77);
    expect_attention<TableTile<bf16, 128, last<128>>>(1, 1, 1, 70, 80);
    expect_attention<TableTile<fp16, 160, last<160>>>(1, 1, 1, 1, 1);
}
TEST(WgmmaAttention, Masks) {
    expect_attention<AttentionTile<64, 2, 64, true>, mask::Causal>(1, 2, 2, 200, 200);
    expect_attention<AttentionTile<64, 3, 64, false, bf16>, mask::Causal>(1, 4, 2, 150, 130);   // 20 see nothing: 0
    expect_attention<AttentionTile<40, 2, 64>, mask::Causal>(1, 1, 1, 9, 300);
}
TEST(WgmmaAttention, GroupedQueries) { expect_attention<AttentionTile<40, 1, 80>>(2, 6, 2, 70, 77); }

}  // namespace
