// SPDX-License-Identifier: Apache-2.0
/// The mathematics of an attention in `explain`: score, keys of a query, blocks that are visited, recurrence of a row.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

constexpr auto i = query_position;
constexpr auto j = coord<3>;

struct windowed : Attention<64, Buf<0>, Buf<1>, Buf<2>, score::Softcap<Const<20>>, mask::Window<Const<1024>>> {};
TEST(AttentionMathematics, SoftcapAndWindow) {
    const auto q = shape(2, 8, 4096, 64);
    EXPECT_EQ(on<windowed>(sm80_target, q, q, q, q), R"(
windowed
  frame     attention [2, 8, 4096, 64] fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Buf<0>
  input     Buf<1>
  input     Buf<2>
  access    plain
  Buf<0>    [2, 8, 4096, 64] fp16, plain, cp.async, 8 x fp16
  Buf<1>    [2, 8, 4096, 64] fp16, plain, cp.async, 8 x fp16
  Buf<2>    [2, 8, 4096, 64] fp16, plain, cp.async, 8 x fp16
  score     s = 20 tanh(0.125 Q·K / 20)
  keys      of query i: [max(0, i - 1023), i + 1)
  blocks    of 128 queries x 64 keys: 8064 of 32768 visited, 1792 of them masked
  epilogue  Out
  sink      Store<0>
  schedule  128x64, 2 stages, 4 warps (measured on an H200)
  work      15 GFLOP, 33.6 MB, at least 48.2 us by the matrix unit
)");
}

// 16 queries see 1024 + 15 keys in 9 blocks of 128, and the first 64 tiles 1, 2, … 8 of them, eight tiles each.
TEST(AttentionMathematics, BlocksAreThoseOfTheClosedFormula) {
    const auto q = shape(1, 1, 4096, 64);
    static_assert(8 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8) + 192 * 9 == 2016);
    EXPECT_EQ(line("blocks", of<windowed>(q, q, q, q), sm80_target),
              "of 16 queries x 128 keys: 2016 of 8192 visited, 448 of them masked");
    // Four heads that share their keys make a tile, in which a row is a query of one of them.
    const auto few = shape(1, 8, 4, 64), kv = shape(1, 2, 8192, 64);
    EXPECT_EQ(line("keys", of<windowed>(few, few, kv, kv), sm80_target),
              "of query i, counted from the end of the keys: [i - 1023, i + 1)");
    EXPECT_EQ(line("blocks", of<windowed>(few, few, kv, kv), sm80_target),
              "of 16 queries x 128 keys: 18 of 128 visited, 4 of them masked");
}

struct documents : Attention<64, Buf<0>, Buf<1>, Buf<2>, RowStore<1, row::LogSumExp>,
                             mask::If<decltype(j <= i && ascending(buf<3>) == buf<4>)>> {};
struct unsorted : Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Sink<Buf<5>>,
                            mask::If<decltype(j <= i && buf<3> == buf<4>)>> {};
TEST(AttentionMathematics, SlotsAndRows) {
    const auto q = shape(2, 8, 4096, 64);
    const auto ids = shape<std::int32_t>(4096);
    const auto of_queries = shape<std::int32_t>(4096, 1);
    const KernelReport searched = of<documents>(q, shape<float>(2, 8, 4096), q, q, q, ids, of_queries);
    EXPECT_EQ(line("Buf<3>", searched), "[4096] int32, plain, read by the score");
    EXPECT_EQ(line("keys", searched), "of query i: [0, i + 1) where Buf<3>[j] == Buf<4>[query]");
    EXPECT_EQ(line("computed", searched), "");
    EXPECT_EQ(line("blocks", searched), "");        // ids are not read to explain
    EXPECT_NE(explain(searched, sm80_target).find(R"(
  row       m = max s
            p = exp(s - m)
            l = Σ p
            o = Σ p V
            new maxima: l, o times exp(m - m')
            output1 = o / l
            output2 = m + log(l)
            no key: l = 0
  epilogue)"), std::string::npos);

    const KernelReport computed = of<unsorted>(q, q, q, q, ids, of_queries, shape<float>(8, 1, 1));
    EXPECT_EQ(line("keys", computed), "of query i: [0, i + 1) where Buf<3>[j] == Buf<4>[query]");
    EXPECT_EQ(line("computed", computed), "Buf<3>[j] == Buf<4>[query]");
    EXPECT_NE(explain(computed, sm80_target).find("output = o / (l + exp(Buf<5>[head] - max(m, Buf<5>[head])))\n"),
              std::string::npos);
    EXPECT_EQ(line("Buf<5>", computed), "[8, 1, 1] fp32, plain, read by the score");
}

struct in_pages : Attention<64, Buf<0>, Paged<Buf<1>, Buf<3>>, Paged<Buf<2>, Buf<3>>> {};
struct scaled_fp8 : Attention<64, Buf<0>, Mul<Buf<1>, Buf<4>>, Mul<Paged<Buf<2>, Buf<3>>, Param<0>>> {};
TEST(AttentionMathematics, PagesAndFp8) {
    const auto q = shape(2, 8, 1, 64), pool = shape(99, 16, 8, 64);
    const auto table = shape<std::int32_t>(2, 40);
    const KernelReport paged = of<in_pages>(q, q, pool, pool, table);
    EXPECT_EQ(line("Buf<1>", paged), "[99, 16, 8, 64] fp16, general (Paged), cp.async by pages, 8 x fp16");
    EXPECT_EQ(line("Buf<3>", paged), "[2, 40] int32, plain, one value a row, kept in a register");
    const KernelReport odd = of<in_pages>(q, q, Tensor<const fp16, 4>(nullptr, pool.extents, {{8200, 516, 64, 1}}),
                                          pool, table);
    EXPECT_EQ(line("Buf<1>", odd),
              "[99, 16, 8, 64] fp16, general (Paged), vector loads, 4 x fp16 (aligned to 4)");

    const KernelReport eight = of<scaled_fp8>(q, q, shape<fp8>(2, 8, 640, 64), shape<fp8>(99, 16, 8, 64), table,
                                              shape<float>(8, 1, 1), 0.5);
    EXPECT_EQ(eight.multiplied, DType::f16);
    EXPECT_EQ(line("Buf<1>", eight),
              "[2, 8, 640, 64] fp8, plain, cp.async, 16 x fp8, converted to fp16 behind shared memory");
    EXPECT_EQ(line("Buf<2>", eight), "[99, 16, 8, 64] fp8, general (Paged), cp.async by pages, 16 x fp8, converted to "
                                     "fp16 behind shared memory");
    EXPECT_EQ(line("Buf<4>", eight), "[8, 1, 1] fp32, plain, one value a row, kept in a register");

    // A scale that is not one number along a row, and rows at other addresses than multiples of 16.
    const KernelReport by_element = of<scaled_fp8>(q, q, shape<fp8>(2, 8, 640, 64), shape<fp8>(99, 16, 8, 64), table,
                                                   shape<float>(8, 1, 64), 0.5);
    EXPECT_EQ(line("Buf<2>", by_element),
              "[99, 16, 8, 64] fp8, general (Paged), vector loads by pages, 8 x fp8, converted in registers");
    const KernelReport apart = of<scaled_fp8>(
        q, q, Tensor<const fp8, 4>(nullptr, {{2, 8, 640, 64}}, {{368640, 46080, 72, 1}}), shape<fp8>(99, 16, 8, 64),
        table, shape<float>(8, 1, 1), 0.5);
    EXPECT_EQ(line("Buf<1>", apart), "[2, 8, 640, 64] fp8, plain, vector loads, 8 x fp8, converted in registers");
    // Many queries take other tiles.
    const auto many = shape(2, 8, 2048, 64);
    const KernelReport prompt = of<scaled_fp8>(many, many, shape<fp8>(2, 8, 640, 64), shape<fp8>(99, 16, 8, 64), table,
                                               shape<float>(8, 1, 1), 0.5);
    EXPECT_EQ(line("Buf<1>", prompt), "[2, 8, 640, 64] fp8, plain, vector loads, 8 x fp8, converted in registers");
}

struct of_lengths : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::If<decltype(j < buf<3>)>> {};
struct of_prefixes : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Prefix<Buf<3>>> {};
TEST(AttentionMathematics, BoundsFromSlots) {
    const auto q = shape(2, 8, 4, 64), k = shape(2, 8, 77, 64);
    const auto lengths = shape<std::int32_t>(2, 1, 1, 1);
    EXPECT_EQ(line("keys", of<of_lengths>(q, q, k, k, lengths)), "of query i: [0, min(Buf<3>[batch], 77))");
    EXPECT_EQ(line("keys", of<of_prefixes>(q, q, k, k, lengths)),
              "of query i, counted from the end of the keys: [0, max(min(Buf<3>[batch], 77), i + 1))");
    EXPECT_EQ(line("computed", of<of_prefixes>(q, q, k, k, lengths)), "");
}

struct plain : Attention<64, Buf<0>, Buf<1>, Buf<2>> {};
TEST(AttentionMathematics, FromTypesAlone) {
    EXPECT_EQ("\n" + explain<unsorted>(sm80_target), R"(
unsorted
  frame     attention fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Buf<0>
  input     Buf<1>
  input     Buf<2>
  access    plain
  Buf<0>    plain, cp.async, 8 x fp16
  Buf<1>    plain, cp.async, 8 x fp16
  Buf<2>    plain, cp.async, 8 x fp16
  score     s = 0.125 Q·K
  keys      j of query i where j <= i and Buf<3> == Buf<4>
  row       m = max s
            p = exp(s - max(m, Buf<5>))
            l = Σ p
            o = Σ p V
            new maxima: l, o times exp(max(m, Buf<5>) - max(m', Buf<5>))
            output = o / (l + exp(Buf<5> - max(m, Buf<5>)))
            no key: l = 0
  epilogue  Out
  sink      Store<0>
)");
    EXPECT_EQ(explain<plain>(sm80_target).find("score"), std::string::npos);
}

}  // namespace
