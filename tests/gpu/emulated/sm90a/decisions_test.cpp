// SPDX-License-Identifier: Apache-2.0
/// On a GPU with code for sm_90a: kernels run as `explain` prints them, over operands that its engines take and leave.
#include <gpu/emulated/decisions.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>

#include <set>

namespace {

using namespace inlay;
using namespace inlay_test;

struct plain : Linear<> {};
struct silu_input : Linear<Silu<Buf<0>>> {};
struct filter : Conv2D<Filter<3>> {};
struct normed : GroupNorm<4> {};
struct attend : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};
struct latent : Attention<576, Buf<0>, Buf<1>, Slice<Buf<1>, -1, 0, 512>, ValueColumns<512>> {};
struct of_silus : Attention<40, Buf<0>, Silu<Buf<1>>, Silu<Buf<2>>> {};

TEST(Decisions, ProductsOfSm90aRunAsExplained) {
    std::set<GemmEngine> engines;
    std::set<GemmBefore> before;
    for (const index_t m : {4, 9, 150})
        for (const index_t k : {64, 77, 640}) {
            auto x = normal<fp16>(1, m, k), w = gaussian<fp16>(2, 0, 0.1, 80, k);
            engines.insert(expect_product<plain, fp16>(Extents<2>{{m, 80}}, w, x));
            engines.insert(expect_product<silu_input, fp16>(Extents<2>{{m, 80}}, w, x));
        }
    for (const index_t n : {80, 1280}) {     // many tiles beside each other would evaluate the same rows
        auto x = normal<fp16>(1, 20, 64), w = gaussian<fp16>(2, 0, 0.1, n, 64);
        const Ran r = run_and_explain<silu_input, fp16>(Extents<2>{{20, n}}, w, x);
        before.insert(r.decision.gemm.before);
        expect_product<silu_input, fp16>(Extents<2>{{20, n}}, w, x);
    }
    for (const index_t channels : {4, 64}) {
        auto x = normal<fp16>(1, 1, 5, 6, channels), w = gaussian<fp16>(2, 0, 0.1, 24, 3, 3, channels);
        engines.insert(expect_product<filter, fp16>(Extents<4>{{1, 5, 6, 24}}, w, x));
    }
    EXPECT_EQ(engines, (std::set{GemmEngine::gemv, GemmEngine::gather, GemmEngine::fallback, GemmEngine::wgmma}));
    EXPECT_TRUE(before.contains(GemmBefore::evaluates_input));
}
TEST(Decisions, GroupNormsOfSm90aRunAsExplained) {
    std::set<NormEngine> engines;
    for (const index_t channels : {16, 32}) {    // groups of 4 channels: three may lie in a chunk
        auto x = normal<fp16>(1, 1, 6, 5, channels);
        auto gamma = normal<fp16>(2, channels), beta = normal<fp16>(3, channels);
        engines.insert(expect_group_norm<normed, fp16>(Extents<4>{{1, 6, 5, channels}}, gamma, beta, x));
    }
    EXPECT_EQ(engines, (std::set{NormEngine::teams, NormEngine::clusters}));
}
TEST(Decisions, AttentionsOfSm90aRunAsExplained) {
    std::set<AttentionEngine> engines;
    auto q = normal<fp16>(1, 1, 2, 70, 40), k = normal<fp16>(2, 1, 2, 90, 40), one = normal<fp16>(3, 1, 1, 90, 40);
    engines.insert(expect_attention<attend, fp16>(Extents<4>{{1, 2, 70, 40}}, q, k, k));
    auto few = normal<fp16>(1, 1, 2, 5, 40);    // of heads that share their keys
    engines.insert(expect_attention<attend, fp16>(Extents<4>{{1, 2, 5, 40}}, few, one, one));
    EXPECT_EQ(engines, (std::set{AttentionEngine::fallback, AttentionEngine::wgmma}));
    // Evaluated before, and as they are read.
    auto many = normal<fp16>(1, 1, 2, 400, 40), keys = normal<fp16>(2, 1, 2, 400, 40);
    engines = {expect_attention<of_silus, fp16>(Extents<4>{{1, 2, 400, 40}}, many, keys, keys),
               expect_attention<of_silus, fp16>(Extents<4>{{1, 2, 5, 40}}, few, k, k)};
    EXPECT_EQ(engines, (std::set{AttentionEngine::mma, AttentionEngine::wgmma}));
    // Values in the keys: tiles of heads, and keys that are split.
    const auto decided = [](index_t batch, index_t heads, index_t queries, index_t length) {
        auto x = normal<fp16>(1, batch, heads, queries, 576), cache = normal<fp16>(2, batch, 1, length, 576);
        return expect_attention<latent, fp16>(Extents<4>{{batch, heads, queries, 512}}, x, cache);
    };
    EXPECT_EQ(decided(2, 128, 1, 140), AttentionEngine::wgmma);
    EXPECT_EQ(decided(1, 3, 1, 300), AttentionEngine::wgmma);
    EXPECT_EQ(decided(1, 3, 2, 70), AttentionEngine::mma);
}

}  // namespace
