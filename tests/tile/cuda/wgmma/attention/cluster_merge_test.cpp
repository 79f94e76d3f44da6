// SPDX-License-Identifier: Apache-2.0
/// Two blocks of a cluster that have the same queries and half of the keys each.
#include "attentions.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(WgmmaAttentionExchange, BlocksOfAClusterShareTheKeys) {
    expect_attention<TableTile<fp16, 512, 1>>(1, 1, 1, 64, 200);
    expect_attention<TableTile<fp16, 512, 1>>(1, 1, 1, 70, 128, 2);
}
TEST(WgmmaAttentionExchange, ABlockWithoutKeys) {
    expect_attention<TableTile<bf16, 512, 1>, mask::Causal>(1, 1, 1, 30, 10);     // the first 20 see nothing: 0
}

}  // namespace
