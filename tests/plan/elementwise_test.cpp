// SPDX-License-Identifier: Apache-2.0
/// Decisions of elementwise work by hand: chunks, blocks, cost.
#include <inlay/inlay.hpp>
#include <inlay/report/describe.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

template <class E>
struct map : Elementwise<E> {};

auto at(index_t a, index_t b) { return tensor(static_cast<fp16*>(nullptr), a, b); }
template <class E, class... T>
ElementwiseProblem problem(const T&... tensors) {
    return describe<map<E>>(prepare<map<E>>(tensors...)).elementwise;
}

static_assert(decide(ElementwiseProblem{2, 4096, 8}, sm90_target).blocks == 4);

TEST(ElementwiseDecision, AxesThatLieLikeOneAreOne) {
    const ElementwiseProblem p = problem<Silu<Buf<0>>>(at(1000, 77), at(1000, 77));
    EXPECT_EQ(p.rows, 1);
    EXPECT_EQ(p.width, 77000);
    const ElementwiseDecision d = decide(p, sm90_target);
    EXPECT_EQ(d.engine, ElementwiseEngine::chunks);
    EXPECT_EQ(d.blocks, 38) << "9625 chunks";
    EXPECT_EQ(std::string(text(p, d)), "38 blocks of 256 threads, each a chunk of 8 elements");
    EXPECT_DOUBLE_EQ(d.cost_us, 1.9 + 2 * 154000 / 3352e3);
    const ElementwiseProblem views = problem<Permute<Buf<0>, 1, 0>>(at(77, 1000), at(1000, 77));
    EXPECT_EQ(views.rows, 77);
    EXPECT_EQ(views.chunks(), 77 * 125);
    EXPECT_EQ(problem<Silu<Buf<0>>>(at(0, 77), at(0, 77)).rows, 0);
}
TEST(ElementwiseDecision, BytesAreThoseOfResultsAndAtMostAsManyRead) {
    EXPECT_DOUBLE_EQ((problem<Add<Buf<0>, Buf<1>>>(at(10, 8), at(10, 8), at(1, 8)).bytes), 2 * (80 + 8 + 80));
    EXPECT_DOUBLE_EQ((problem<Slice<Buf<0>, 0, 0, 1>>(at(1, 8), at(10, 8)).bytes), 2 * (8 + 8));
}
TEST(ElementwiseDecision, SaysWhyNot) {
    const ElementwiseProblem p = problem<Silu<Buf<0>>>(at(10, 8), at(10, 8));
    const ElementwiseDecision gpu = decide(p, sm80_target), cpu = decide(p, host_target);
    EXPECT_EQ(std::string(gpu.why(ElementwiseEngine::host)), "the target is a GPU");
    EXPECT_EQ(gpu.why(ElementwiseEngine::chunks), nullptr);
    EXPECT_EQ(cpu.engine, ElementwiseEngine::host);
    EXPECT_EQ(std::string(cpu.why(ElementwiseEngine::chunks)), "the target is a CPU");
    EXPECT_EQ(std::string(text(p, cpu)), "one pass over rows");
}

// Of many chunks whose leaves lie in pieces; a copy that only joins tensors has one chunk a thread.
TEST(ElementwiseDecision, NeighbouringChunksShareTheirPlaces) {
    using Joined = Concat<1, Buf<0>, Buf<0>>;
    const auto at_once = [](auto e, index_t rows) {
        return problem<decltype(e)>(at(rows, 128), at(rows, 64));
    };
    const ElementwiseProblem many = at_once(Neg<Joined>{}, 16384), few = at_once(Neg<Joined>{}, 16383);
    EXPECT_EQ(many.at_once, 4);
    EXPECT_EQ(few.at_once, 1);
    EXPECT_EQ(at_once(Joined{}, 16384).at_once, 1);
    const ElementwiseDecision d = decide(many, sm90_target);
    EXPECT_EQ(d.blocks, 16384 * 4 / 256);
    EXPECT_EQ(std::string(text(many, d)), "256 blocks of 256 threads, each 4 chunks of 8 elements");
}

}  // namespace
