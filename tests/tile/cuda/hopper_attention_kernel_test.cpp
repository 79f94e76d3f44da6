// SPDX-License-Identifier: Apache-2.0
/// Attention of sm_90a's engine, every schedule of its tables, at sizes that an emulator can take: more blocks of keys
/// than a ring has stages, rows and keys that fill no tile, masks, grouped queries.
#include "hopper_attentions.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <int D, class Mask = mask::None>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask> {};

template <class Tile, class Mask = mask::None>
void expect(index_t b, index_t h, index_t kv_heads, index_t sq, index_t skv, double deviation = 1, int parts = 1) {
    using T = typename Tile::T;
    auto q = gaussian<T>(1, 0, deviation, b, h, sq, Tile::d);
    auto k = gaussian<T>(2, 0, deviation, b, kv_heads, skv, Tile::d), v = normal<T>(3, b, kv_heads, skv, Tile::d);
    expect_schedule<attend<Tile::d, Mask>, WithTile<Tile>, T>(parts, Extents<4>{{b, h, sq, Tile::d}}, q, k, v);
}

template <class T, int D, int I>
using TableTile = cuda::detail::HopperAttentionTableTile<T, D, I>;
template <int D>
constexpr int last = hopper_attention_schedules(D).size - 1;

TEST(HopperAttention, ManyBlocksOfKeys) {
    expect<TableTile<half, 40, 0>>(1, 1, 1, 270, 400);
    expect<TableTile<half, 40, 1>>(1, 2, 2, 130, 700, 3);
    expect<TableTile<half, 64, 0>>(1, 1, 1, 200, 300);
    expect<TableTile<bf16, 64, 1>>(1, 1, 1, 64, 513);
    expect<TableTile<half, 80, 0>>(1, 1, 1, 65, 400, 2);
    expect<TableTile<half, 128, 0>>(1, 1, 1, 128, 300);
    expect<TableTile<half, 128, 1>>(1, 1, 1, 70, 300);
    expect<TableTile<half, 160, 0>>(1, 2, 2, 70, 130);
}
TEST(HopperAttention, OneBlockOfKeys) {
    for (const int parts : {1, 2}) expect<TableTile<half, 40, last<40>>>(2, 1, 1, 330, 77, 1, parts);
    expect<TableTile<half, 64, last<64>>, mask::Causal>(1, 2, 2, 77, 77);
    expect<TableTile<half, 80, last<80>>>(1, 2, 2, 130, 77);
    expect<TableTile<bf16, 128, last<128>>>(1, 1, 1, 70, 80);
    expect<TableTile<half, 160, last<160>>>(1, 1, 1, 1, 1);
}
TEST(HopperAttention, Masks) {
    expect<AttentionTile<64, 2, 64, true>, mask::Causal>(1, 2, 2, 200, 200);
    expect<AttentionTile<64, 3, 64, false, bf16>, mask::Causal>(1, 4, 2, 150, 130);   // the first 20 see nothing: 0
    expect<AttentionTile<40, 2, 64>, mask::Causal>(1, 1, 1, 9, 300);
}
TEST(HopperAttention, GroupedQueries) { expect<AttentionTile<40, 1, 80>>(2, 6, 2, 70, 77); }

}  // namespace
