// SPDX-License-Identifier: Apache-2.0
/// Attention that sm_90a's engine takes.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

template <int D, class Mask = mask::Full, class Q = Buf<0>, class Epilogue = Out>
struct attend : Attention<D, Q, Buf<1>, Buf<2>, Mask, Epilogue> {};
template <int I>
using Third = Permute<Reshape<Slice<Buf<0>, 2, I, 1>, 2, 64, 8, 40>, 0, 2, 1, 3>;
using Wave = score::Of<Add<Out, Cos<Coord<3>>>>;
struct wave_scores : Attention<40, Buf<0>, Buf<1>, Buf<2>, Wave> {};
struct short_values : Attention<80, Buf<0>, Buf<1>, Buf<2>, ValueColumns<40>> {};
struct latent : Attention<192, Buf<0>, Buf<1>, Buf<2>, ValueColumns<128>> {};
struct of_any_kind : Attention<40, Buf<0>, Buf<1>, Buf<2>, mask::Window<Const<9>>, score::Softcap<Const<20>>,
                               row::Sink<Const<2>>> {};
struct sigmoid_rows : Attention<40, Buf<0>, Buf<1>, Buf<2>, row::Sigmoid> {};
struct from_projection : Attention<40, Third<0>, Third<1>, Third<2>> {};
using Silus = Silu<Buf<1>>;
struct of_silus : Attention<40, Buf<0>, Silus, Silus> {};
struct of_functions : Attention<40, Sin<Buf<0>>, Cast<Buf<1>, fp16>, Buf<2>> {};
struct in_pages : Attention<40, Buf<0>, Paged<Buf<1>, Buf<3>>, Paged<Buf<2>, Buf<3>>> {};

struct absorbed : Attention<576, Buf<0>, Buf<1>, Slice<Buf<1>, -1, 0, 512>, ValueColumns<512>> {};
struct absorbed_apart : Attention<576, Buf<0>, Buf<1>, Buf<2>, ValueColumns<512>> {};
struct absorbed_columns : Attention<576, Buf<0>, Buf<1>, Slice<Buf<1>, -1, 64, 512>, ValueColumns<512>> {};
struct absorbed_silus : Attention<576, Buf<0>, Silus, Slice<Silus, -1, 0, 512>, ValueColumns<512>> {};

// The tensors of a launch decide if V is the first columns of K.
TEST(WgmmaAttention, TakesValuesThatAreColumnsOfTheKeys) {
    const auto y = shape(64, 128, 1, 512), q = shape(64, 128, 1, 576), k = shape(64, 1, 4096, 576),
               v = shape(64, 1, 4096, 512), two = shape(64, 128, 2, 576), of_two = shape(64, 128, 2, 512);
    EXPECT_EQ((refused<absorbed>(y, q, k)), "");
    EXPECT_EQ((refused<absorbed_columns>(y, q, k)), "V is not the first columns of K");
    EXPECT_EQ((refused<absorbed_apart>(y, q, k, v)), "V is not the first columns of K");
    EXPECT_EQ((refused<absorbed>(of_two, two, k)), "it has a schedule for one query of heads that share their keys");
    EXPECT_EQ((refused<absorbed_silus>(y, q, k)), "rows of this length are copied from tensors as they lie, V with K");
}
TEST(WgmmaAttention, TakesTensorsAsTheyLie) {
    const auto x = shape(2, 8, 64, 40);
    EXPECT_EQ((refused<attend<40>>(x, x, x, x)), "");
    EXPECT_EQ((refused<attend<40, mask::Causal>>(x, x, x, x)), "");
    EXPECT_EQ((refused<from_projection>(x, shape(2, 64, 3, 8, 40))), "");
    const auto b = shape<bf16>(2, 8, 64, 160);
    EXPECT_EQ((refused<attend<160>>(b, b, b, b)), "");
}
// Kernels before evaluate what computes, once where K and V are one expression. Of 4096 rows a head that is cheaper
// than to evaluate them as they are read.
TEST(WgmmaAttention, TakesOperandsThatAreEvaluatedBefore) {
    const auto x = shape(2, 8, 4096, 40);
    const auto f = shape<float>(2, 8, 4096, 40);
    EXPECT_EQ((refused<attend<40, mask::Full, Silu<Buf<0>>>>(x, x, x, x)), "");
    EXPECT_EQ((refused<of_functions>(x, x, f, x)), "");
    const AttentionProblem silus = of<of_silus>(x, x, x).attention, functions = of<of_functions>(x, x, f, x).attention;
    EXPECT_EQ(silus.before.kernels(), 1);
    EXPECT_FALSE(silus.before.q);
    EXPECT_EQ(silus.before_bytes, 2 * 2.0 * 2 * 8 * 4096 * 40);          // read and written in 16 bits
    EXPECT_EQ(functions.before.kernels(), 2);
    EXPECT_FALSE(functions.before.v);
    EXPECT_EQ(functions.before_bytes, (2 + 2 + 4 + 2) * 2.0 * 8 * 4096 * 40);
    EXPECT_EQ((of<attend<40>>(x, x, x, x).attention.before.kernels()), 0);
}
TEST(WgmmaAttention, RefusesWhatItsCopyEngineCannotRead) {
    const auto x = shape(2, 8, 64, 40);
    const Tensor<fp16, 4> odd(nullptr, {{2, 8, 64, 40}}, {{8 * 64 * 41, 64 * 41, 41, 1}});
    EXPECT_EQ((refused<attend<40>>(x, x, odd, x)), "rows of Q, K or V do not start at multiples of 16 bytes");
    EXPECT_EQ((refused<in_pages>(x, x, shape(9, 16, 8, 40), shape(9, 16, 8, 40), shape<std::int32_t>(2, 4))),
              "Q, K or V lies in pages");
    const auto f = shape<float>(2, 8, 64, 40);
    EXPECT_EQ((refused<attend<40>>(f, f, f, f)), "Q, K and V are not of one 16-bit type");
    EXPECT_EQ((refused<attend<40>>(x, x, f, x)), "Q, K and V are not of one 16-bit type");
}
TEST(WgmmaAttention, RefusesWhatItHasNoKernelFor) {
    const auto x = shape(2, 8, 64, 40), d = shape(2, 8, 64, 48), few = shape(2, 8, 4, 40), kv = shape(2, 2, 64, 40);
    EXPECT_EQ((refused<attend<48>>(d, d, d, d)), "it has no schedule for heads of this length");
    EXPECT_EQ((refused<attend<40, mask::Full, Buf<0>, Cos<Out>>>(x, x, x, x)),
              "sin and cos are functions on the device");
    EXPECT_EQ((refused<wave_scores>(x, x, x, x)), "sin and cos are functions on the device");
    const auto wide = shape(2, 8, 64, 80);
    EXPECT_EQ((refused<short_values>(x, wide, wide, x)),
              "it has no schedule for rows of V of another length than those of Q and K");
    const auto rows = shape(2, 8, 64, 192), values = shape(2, 8, 64, 128);
    EXPECT_EQ((refused<latent>(values, rows, rows, values)), "");
    EXPECT_EQ((refused<of_any_kind>(x, x, x, x)), "");
    EXPECT_EQ((refused<sigmoid_rows>(x, x, x, x)),
              "its rows are no softmax: the engine keeps a maximum, a sum of powers and their sum with V");
    EXPECT_EQ((refused<attend<40>>(few, few, kv, kv)),
              "few queries of heads that share their keys fill a tile together");
    EXPECT_EQ((refused<attend<40>>(x, x, kv, kv)), "");
    const auto one = shape(2, 8, 1, 128), some = shape(2, 8, 17, 128);
    EXPECT_EQ((refused<attend<128>>(one, one, some, some)), "16 queries and fewer fill a tile of the portable engine");
    EXPECT_EQ((refused<attend<128>>(some, some, some, some)), "");
}

}  // namespace
