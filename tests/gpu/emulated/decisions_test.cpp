// SPDX-License-Identifier: Apache-2.0
/// On a GPU without code for sm_90a: kernels run as `explain` prints them, over shapes and types at which every engine
/// is chosen.
#include "decisions.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

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
struct layer : LayerNorm<> {};
struct layer_silu : LayerNorm<Buf<0>, Silu<Out>> {};
struct soft : Softmax<> {};
template <class Over>
struct total : Reduce<reduction::Sum, Over> {};
struct silu : Elementwise<Silu<Buf<0>>> {};
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
TEST(Decisions, RowsRunAsExplained) {
    std::set<NormEngine> engines;
    for (const index_t n : {40, 1288, 8200, 131072}) {
        auto x = normal<fp16>(1, 3, n);
        auto g = normal<fp16>(2, n), b = normal<fp16>(3, n);
        const Extents<2> out{{3, n}};
        engines.insert(expect_rows<layer, fp16>(out, g, b, x));
        engines.insert(expect_rows<layer_silu, fp16>(out, g, b, x));
        engines.insert(expect_rows<soft, fp16>(out, x));
    }
    EXPECT_EQ(engines, (std::set{NormEngine::packed_rows, NormEngine::register_rows, NormEngine::shared_rows,
                                 NormEngine::streamed_rows}));
}
TEST(Decisions, ReductionsRunAsExplained) {
    const auto engine = [](index_t m, index_t n, auto over) {
        auto x = normal<fp16>(1, m, n);
        using Over = decltype(over);
        return expect_reduction<total<Over>, fp16>(
            Over::template has<2>(0) ? Extents<2>{{1, n}} : Extents<2>{{m, 1}}, x);
    };
    EXPECT_EQ(engine(40000, 8, Axes<-1>{}), ReduceEngine::short_rows);
    EXPECT_EQ(engine(3, 80, Axes<-1>{}), ReduceEngine::rows);
    EXPECT_EQ(engine(2, 65536, Axes<-1>{}), ReduceEngine::rows);
    EXPECT_EQ(engine(3, 80, Axes<0>{}), ReduceEngine::columns);
    EXPECT_EQ(engine(2000, 80, Axes<0>{}), ReduceEngine::columns);
}
TEST(Decisions, ElementwiseWorkRunsAsExplained) {
    auto x = normal<fp16>(1, 100, 77);
    const Ran r = run_and_explain<silu, fp16>(Extents<2>{{100, 77}}, x);
    EXPECT_TRUE(r.runs("MapBody")) << r.last().kernel;
    EXPECT_EQ(r.last().blocks, 4u);
    EXPECT_TRUE(r.says("4 blocks of 256 threads, each a chunk of 8 elements")) << r.explained;
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
