// SPDX-License-Identifier: Apache-2.0
/// Attention with Q, K and V that compute, of so many queries that sm_90a's engine takes it, behind kernels that
/// evaluate them: on its GPUs the decision is checked too, everywhere the result, also out of a graph.
#include <frame/attention_rotary.hpp>
#include <frame/check.hpp>

#include <inlay/exec/graph.hpp>
#include <inlay/report/decision.hpp>
#include <inlay/report/describe.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T>
struct of_functions : Attention<64, Sin<Buf<0>>, Cast<Buf<1>, T>, Exp<Mul<Buf<2>, Const<0.25>>>> {};
/// Heads of 128 and 64 columns, of which the latter are those of all heads of keys.
struct of_parts : Attention<192, Concat<-1, Buf<0>, Buf<1>>,
                            Concat<-1, Buf<2>, Broadcast<Buf<3>, Slice<Buf<2>, -1, 0, 64>>>, Buf<4>, ValueColumns<128>,
                            mask::Causal> {};

template <class T>
struct EvaluatedAttention : ::testing::Test {
    template <class K, class... A>
    static void expect(const Extents<4>& out, A&&... arrays) {
        expect_oracle_computing<K, T>(out, *std::as_const(arrays)...);
        if constexpr (sizeof(T) == 2) {
            Array<T, 4> y(out, std::numeric_limits<double>::quiet_NaN());
            Placed to(y);
            auto placed = std::make_tuple(Placed(arrays)...);
            std::apply(
                [&](auto&... p) {
                    const auto kernel = prepare<K>(*to, *p...);
                    const TargetInfo target = on_gpu::target_of(executor().device());
                    const AttentionDecision d = decide(describe<K>(kernel).attention, target);
                    EXPECT_EQ(d.engine == AttentionEngine::wgmma && d.before.any(), target.sm90a) << name<K>();
                    kernel.run(executor());
                    wait();
                    to.fetch();
                    const auto first = y.v;
                    const Graph graph(executor(), kernel);
                    EXPECT_EQ(graph.kernels(), 1u + static_cast<unsigned>(d.before.kernels()));
                    graph.launch();
                    wait();
                    to.fetch();
                    EXPECT_EQ(std::memcmp(first.data(), y.v.data(), first.size() * sizeof(T)), 0);
                },
                placed);
        }
    }
};
TYPED_TEST_SUITE(EvaluatedAttention, StorageTypes, StorageNames);

TYPED_TEST(EvaluatedAttention, RotaryEmbeddingsOfSharedKeyHeads) {
    using T = TypeParam;
    const index_t n = 1000;
    // Scores so small that to round turned Q and K, which the tolerance does not count, moves them by little.
    auto q = gaussian<T>(1, 0, 0.5, 1, 8, n, 128), k = gaussian<T>(2, 0, 0.5, 1, 2, n, 128),
         v = normal<T>(3, 1, 2, n, 128);
    auto [cosines, sines] = rotary_angles<T, 128>(n);
    this->template expect<rotary<128>>(Extents<4>{{1, 8, n, 128}}, q, k, v, cosines, sines);
}
TYPED_TEST(EvaluatedAttention, FunctionsAndACast) {
    using T = TypeParam;
    auto q = normal<T>(1, 2, 8, 777, 64), v = normal<T>(3, 2, 8, 700, 64);
    auto k = normal<float>(2, 2, 8, 700, 64);
    this->template expect<of_functions<T>>(Extents<4>{{2, 8, 777, 64}}, q, k, v);
}
TYPED_TEST(EvaluatedAttention, ColumnsOfTwoParts) {
    using T = TypeParam;
    const index_t n = 700;
    auto q = normal<T>(1, 1, 8, n, 128), q_rope = normal<T>(2, 1, 8, n, 64), k = normal<T>(3, 1, 8, n, 128),
         rope = normal<T>(4, 1, 1, n, 64), v = normal<T>(5, 1, 8, n, 128);
    this->template expect<of_parts>(Extents<4>{{1, 8, n, 128}}, q, q_rope, k, rope, v);
}

}  // namespace
