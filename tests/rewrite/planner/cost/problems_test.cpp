// SPDX-License-Identifier: Apache-2.0
/// Problems of planned kernels as `decide` takes them, against the numbers of their layers.
#include <rewrite/planner/facts_of.hpp>

#include <inlay/rewrite/planner/cost/problems.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace {

using namespace inlay;
using namespace inlay::planner;
using namespace inlay::planner::testing;

/// The kernel of a layer that stores `output` and computes `inside`, but not `outside`.
std::optional<Kernel> kernel_of(const Facts& facts, int output, int inside, int outside = -1) {
    const Cuts cuts = find_cuts(facts, true);
    const Candidates found = find_candidates(facts, cuts);
    for (int i = 0; i < found.count; ++i) {
        const Kernel k = expand(facts, cuts, found, i);
        if (k.core >= 0 && k.output[0] == output && k.node_of(inside) >= 0 && k.node_of(outside) < 0) return k;
    }
    return {};
}
GemmProblem product(const Facts& facts, const Kernel& k) { return gemm_problem(facts, k, surroundings(facts, k)); }

TEST(Problems, OfALinear) {
    Layer l;
    const int x = l.input({2, 512, 320}), y = l.linear_without_bias(x, 640);
    l.facts.add_root(y);
    const auto k = kernel_of(l.facts, y, y);
    ASSERT_TRUE(k);
    const Surroundings s = surroundings(l.facts, *k);
    EXPECT_TRUE(s.plain);
    EXPECT_EQ(s.slot_bytes, 2 * 512 * 320 * 2);
    EXPECT_EQ(s.output_bytes, 2 * 512 * 640 * 2);
    const GemmProblem p = product(l.facts, *k);
    EXPECT_EQ(p.shape.m, 1024);
    EXPECT_EQ(p.shape.n, 640);
    EXPECT_EQ(p.shape.k, 320);
    EXPECT_EQ(p.shape.segments, 1);
    EXPECT_EQ(p.wgmma.steps, 5);
    EXPECT_TRUE(p.wgmma_types);
    EXPECT_FALSE(p.evaluated);
    EXPECT_EQ(p.wgmma.refused, nullptr);
}
TEST(Problems, OfAnActivationInThePrologueAndOfResidualsBehind) {
    Layer l;
    const int x = l.input({2, 512, 320}), residual = l.input({2, 512, 320});
    const int a = l.silu(x), product_of_a = l.linear_without_bias(a, 320), y = l.pointwise({product_of_a, residual}, 3);
    l.facts.add_root(y);
    const auto fused = kernel_of(l.facts, y, a), plain = kernel_of(l.facts, y, product_of_a, a);
    ASSERT_TRUE(fused && plain);
    EXPECT_TRUE(product(l.facts, *fused).evaluated);
    EXPECT_FALSE(product(l.facts, *plain).evaluated);
    EXPECT_EQ(surroundings(l.facts, *fused).before, 2 * 2 * 512 * 320);
    EXPECT_EQ(surroundings(l.facts, *plain).before, 0);
    EXPECT_EQ(surroundings(l.facts, *plain).after, 3 * 2 * 512 * 320);
    for (const auto& k : {fused, plain}) EXPECT_EQ(surroundings(l.facts, *k).operand_bytes, 2 * 512 * 320 * 2);
}
TEST(Problems, OfAConvolution) {
    Layer l;
    const int x = l.input({2, 64, 32, 320}), w = l.weight({640, 3, 3, 320});
    const int y = l.add(conv_symbol(3), {2, 64, 32, 640}, {x, w});
    l.facts.add_root(y);
    const auto k = kernel_of(l.facts, y, y);
    ASSERT_TRUE(k);
    GemmProblem p = product(l.facts, *k);
    EXPECT_EQ(p.shape.m, 2 * 64 * 32);
    EXPECT_EQ(p.shape.n, 640);
    EXPECT_EQ(p.shape.k, 320);
    EXPECT_EQ(p.shape.segments, 9);
    EXPECT_EQ(p.wgmma.windows, 3);
    EXPECT_EQ(p.wgmma.steps, 45);
    EXPECT_TRUE(p.wgmma.rows.pixels);
    EXPECT_EQ(p.wgmma.rows.images, 2);
    EXPECT_EQ(p.wgmma.rows.height, 64);
    EXPECT_EQ(p.wgmma.rows.width, 32);
}
/// Three of the reasons for which sm_90a's engine does not take a product: weights, rows and columns.
TEST(Problems, RefusedProductsSayWhy) {
    const auto refused = [](index_t rows, index_t channels, int bytes_of_weights) {
        Layer l;
        const int x = l.input({1, rows, channels}), y = l.linear_without_bias(x, 64);
        l.facts.value[l.facts.node[l.facts.first[y]].operand[1]].bytes = bytes_of_weights;
        l.facts.add_root(y);
        const auto k = kernel_of(l.facts, y, y);
        const char* const why = k ? product(l.facts, *k).wgmma.refused : "there is no kernel";
        return std::string(why ? why : "");
    };
    EXPECT_EQ(refused(512, 64, 2), "");
    EXPECT_EQ(refused(512, 64, 4), "its weights are fp32");
    EXPECT_EQ(refused(gemv_rows, 64, 2), "so few rows fill no tile");
    EXPECT_EQ(refused(gemv_rows + 1, 64, 2), "");
    EXPECT_EQ(refused(512, 60, 2), "rows of the weights do not start at multiples of 16 bytes");
}
TEST(Problems, OfAttention) {
    Layer l;
    const int q = l.heads(l.input({2, 1024, 640}), 80), k = l.heads(l.input({2, 77, 320}), 80),
              v = l.heads(l.input({2, 77, 320}), 80);
    const int y = l.attention(q, k, v);
    l.facts.add_root(y);
    const int core = l.facts.node[l.facts.first[y]].operand[0];
    const auto kernel = kernel_of(l.facts, y, core);
    ASSERT_TRUE(kernel);
    const AttentionProblem p = attention_problem(l.facts, *kernel, surroundings(l.facts, *kernel));
    EXPECT_EQ(p.work.shape.batch, 2);
    EXPECT_EQ(p.work.shape.heads, 8);
    EXPECT_EQ(p.work.shape.group, 2);
    EXPECT_EQ(p.work.shape.queries, 1024);
    EXPECT_EQ(p.work.shape.keys, 77);
    EXPECT_EQ(p.work.d, 80);
    EXPECT_EQ(p.work.dv, 80);
    EXPECT_TRUE(p.wgmma_types);
    EXPECT_EQ(p.refused, nullptr);
}
TEST(Problems, OfNorms) {
    Layer l;
    const int x = l.input({2, 32, 16, 320}), y = l.norm(group_norm_symbol(32), x);
    l.facts.add_root(y);
    auto k = kernel_of(l.facts, y, y);
    ASSERT_TRUE(k);
    const NormProblem p = norm_problem(l.facts, *k, surroundings(l.facts, *k));
    EXPECT_EQ(p.items, 2);
    EXPECT_EQ(p.groups, 32);
    EXPECT_EQ(p.channels, 320);
    EXPECT_EQ(p.pixels, 512);
    EXPECT_FALSE(p.evaluated);

    Layer rows;
    const int t = rows.norm(core_symbol(Core::layer_norm, 2), rows.input({2, 77, 768}));
    rows.facts.add_root(t);
    k = kernel_of(rows.facts, t, t);
    ASSERT_TRUE(k);
    const NormProblem of_rows = norm_problem(rows.facts, *k, surroundings(rows.facts, *k));
    EXPECT_EQ(of_rows.items, 154);
    EXPECT_EQ(of_rows.pixels, 1);
    EXPECT_EQ(of_rows.rows.operands, 2 * 768 * 2);
    EXPECT_EQ(of_rows.rows.not_stored, nullptr);
}

}  // namespace
