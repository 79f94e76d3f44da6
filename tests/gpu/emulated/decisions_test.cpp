// SPDX-License-Identifier: Apache-2.0
/// On a GPU without code for sm_90a: kernels run as `explain` prints them, over shapes and types at which every engine
/// is chosen.
#include "decisions.hpp"

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
struct gated_output : Linear<Buf<0>, Mul<Out, Gelu<OutGate>>> {};
struct filter : Conv2D<Filter<3>> {};
struct sum : GroupNorm<4, Add<Buf<0>, Buf<1>>> {};
struct normed : GroupNorm<4> {};
struct attend : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};

template <class T>
void products(std::set<GemmEngine>& engines) {
    for (const index_t m : {1, 8, 9, 150})
        for (const index_t k : {64, 77}) {
            auto x = normal<T>(1, m, k), w = gaussian<T>(2, 0, 0.1, 72, k), both = gaussian<T>(3, 0, 0.1, 64, k);
            engines.insert(expect_product<plain, T>(Extents<2>{{m, 72}}, w, x));
            engines.insert(expect_product<silu_input, T>(Extents<2>{{m, 72}}, w, x));
            engines.insert(expect_product<gated_output, T>(Extents<2>{{m, 32}}, both, x));
        }
    for (const index_t channels : {4, 24}) {
        auto x = normal<T>(1, 1, 5, 6, channels), w = gaussian<T>(2, 0, 0.1, 24, 3, 3, channels);
        engines.insert(expect_product<filter, T>(Extents<4>{{1, 5, 6, 24}}, w, x));
    }
}
TEST(Decisions, ProductsRunAsExplained) {
    std::set<GemmEngine> engines;
    products<fp16>(engines);
    products<float>(engines);
    EXPECT_EQ(engines, (std::set{GemmEngine::gemv, GemmEngine::gather, GemmEngine::mma}));
    // Weights of another type are converted before.
    auto x = normal<float>(1, 20, 64);
    auto w = gaussian<fp16>(2, 0, 0.1, 72, 64);
    const Ran r = run_and_explain<plain, float>(Extents<2>{{20, 72}}, w, x);
    EXPECT_EQ(r.grids.size(), 2u);
    EXPECT_TRUE(r.says("two kernels: its weights are converted")) << r.explained;
}
TEST(Decisions, GroupNormsRunAsExplained) {
    bool teams = false, alone = false;
    for (const index_t side : {2, 40}) {
        auto x = normal<fp16>(1, 1, side, side, 32);
        auto gamma = normal<fp16>(2, 32), beta = normal<fp16>(3, 32);
        const Extents<4> out{{1, side, side, 32}};
        EXPECT_EQ((expect_group_norm<normed, fp16>(out, gamma, beta, x)), NormEngine::teams);
        EXPECT_EQ((expect_group_norm<sum, fp16>(out, gamma, beta, x, x)), NormEngine::teams);
        const Ran r = run_and_explain<normed, fp16>(out, gamma, beta, x);
        (r.decision.norm.teams.team > 1 ? teams : alone) = true;
    }
    EXPECT_TRUE(teams && alone);
}
TEST(Decisions, AttentionsRunAsExplained) {
    for (const index_t queries : {3, 70})
        for (const index_t keys : {20, 900}) {
            auto q = normal<fp16>(1, 1, 2, queries, 40), k = normal<fp16>(2, 1, 2, keys, 40);
            EXPECT_EQ((expect_attention<attend, fp16>(Extents<4>{{1, 2, queries, 40}}, q, k, k)),
                      AttentionEngine::mma);
        }
}

}  // namespace
