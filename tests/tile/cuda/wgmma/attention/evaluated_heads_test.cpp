// SPDX-License-Identifier: Apache-2.0
/// Attention of sm_90a's engine whose Q, K and V are evaluated before, with a tile given by hand: rotary embeddings,
/// functions of the device, a cast, a concatenation, of rows and keys that fill no tile.
#include "attentions.hpp"

#include <frame/attention_rotary.hpp>
#include <gpu/emulated/launch.hpp>

#include <inlay/tile/cuda/wgmma/attention/evaluated_heads.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs attention with a tile, behind the kernels that evaluate its operands.
template <class Tile>
struct EvaluatesFirst {
    static constexpr int schedule = Tile::keys;
    on_gpu::Launcher& l;
    int parts;

    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        static_assert(can_wgmma_attention<Form, Q, K, V, Epilogue> && wgmma_attention_before<Q, K, V>().any());
        WithTile<Tile> after{l, parts};
        on_gpu::with_evaluated_heads<typename Tile::T>(
            l, q, k, v, [&](const auto& of_q, const auto& of_k, const auto& of_v) {
                after.template attention<Form>(s, of_q, of_k, of_v, scores, epilogue, sink);
            });
    }
    template <class S>
    void publish_stats(const S&) {}
};
template <class K, class Tile, class T, class... A>
void expect_evaluated(const Extents<4>& out, A&... arrays) {
    expect_schedule<K, EvaluatesFirst<Tile>, T>(1, out, arrays...);
}

struct of_functions : Attention<64, Sin<Buf<0>>, Buf<1>, Exp<Mul<Buf<2>, Const<0.25>>>> {};
struct values_are_keys : Attention<64, Buf<0>, Silu<Buf<1>>, Silu<Buf<1>>> {};
struct cast_keys : Attention<64, Buf<0>, Cast<Buf<1>, fp16>, Buf<2>, mask::Causal> {};
struct of_parts : Attention<64, Concat<-1, Buf<0>, Buf<1>>, Concat<-1, Buf<2>, Buf<3>>, Buf<4>> {};

TEST(EvaluatedHeads, RotaryEmbeddingsOfSharedKeyHeads) {
    auto q = normal<fp16>(1, 1, 4, 100, 64), k = normal<fp16>(2, 1, 2, 100, 64), v = normal<fp16>(3, 1, 2, 100, 64);
    // Turned heads stay as great as they were, so that to round them to fp16 weighs as little as to round the result.
    auto cosines = gaussian<fp16>(4, 0, 0.5, 100, 64), sines = gaussian<fp16>(5, 0, 0.5, 100, 64);
    expect_evaluated<rotary<64>, AttentionTile<64, 2, 64>, fp16>(q.extents, q, k, v, cosines, sines);
}
TEST(EvaluatedHeads, Functions) {
    auto q = normal<bf16>(1, 2, 2, 70, 64), k = normal<bf16>(2, 2, 1, 130, 64), v = normal<bf16>(3, 2, 1, 130, 64);
    expect_evaluated<of_functions, AttentionTile<64, 1, 64, false, bf16>, bf16>(q.extents, q, k, v);
}
TEST(EvaluatedHeads, OneExpressionOfKeysAndValuesIsEvaluatedOnce) {
    auto q = normal<fp16>(1, 1, 2, 70, 64), k = normal<fp16>(2, 1, 2, 77, 64);
    const emulator::GridRecord record;
    expect_evaluated<values_are_keys, AttentionTile<64, 2, 64>, fp16>(q.extents, q, k);
    EXPECT_EQ(record.grids().size(), 2u * 2);   // run twice
}
TEST(EvaluatedHeads, KeysCastFromFloat) {
    auto q = normal<fp16>(1, 1, 2, 40, 64), v = normal<fp16>(3, 1, 2, 70, 64);
    auto k = normal<float>(2, 1, 2, 70, 64);
    expect_evaluated<cast_keys, AttentionTile<64, 1, 64>, fp16>(q.extents, q, k, v);
}
TEST(EvaluatedHeads, ConcatenatedColumns) {
    auto q = normal<fp16>(1, 1, 2, 65, 48), q_rope = normal<fp16>(2, 1, 2, 65, 16), k = normal<fp16>(3, 1, 2, 70, 48),
         rope = normal<fp16>(4, 1, 2, 70, 16), v = normal<fp16>(5, 1, 2, 70, 64);
    expect_evaluated<of_parts, AttentionTile<64, 2, 64>, fp16>(Extents<4>{{1, 2, 65, 64}}, q, q_rope, k, rope, v);
}

}  // namespace
