// SPDX-License-Identifier: Apache-2.0
/// Placement of a plan's tensors: on random lifetimes against an arena and against every pair; and of a layer, as a
/// constant, against what its kernels take while they are built.
#include <nn/planned/layer.hpp>

#include <algorithm>
#include <random>

namespace {

using namespace inlay_test::planned;

/// A chain of five tensors in memory, the last one its result: never more than two live.
struct chain {
    static constexpr auto graph() {
        using p::materialize;
        constexpr auto x = p::input<0, p::dim<0>, 64>;
        return exp(materialize(sin(materialize(cos(materialize(tanh(materialize(silu(x)))))))));
    }
};
using chain_plan = p::plan<chain, p::on_host<4>, p::Shape<16>>;
static_assert(chain_plan::memory.tensors == 5);
static_assert(chain_plan::peak_bytes == 2 * 16 * 64 * 4 && chain_plan::memory.live == chain_plan::peak_bytes);

/// A small tensor between two that are great: in the order of kernels the second great one finds no room in the first.
constexpr p::detail::Lifetimes gap = [] {
    p::detail::Lifetimes l;
    const int first[] = {0, 1, 2, 3}, last[] = {2, 3, 4, 4};
    const std::int64_t bytes[] = {1024, 512, 2048, 1024};
    l.count = 4;
    for (int i = 0; i < 4; ++i) l.value[i] = i, l.first[i] = first[i], l.last[i] = last[i], l.bytes[i] = bytes[i];
    return l;
}();
static_assert(p::detail::place(gap).bytes == 3584 && p::detail::place(gap).live == 3584);

TEST(PlannedMemory, IsWhatTheKernelsOfALayerTake) {
    OnHost<chain_plan> run;
    Arena measuring;
    const auto y = run.layer.build(nn::Build<float, Host>{&run.program, &measuring, ""}, tensor<float>(nullptr, 16, 64));
    EXPECT_EQ(measuring.measured(), static_cast<std::size_t>(chain_plan::peak_bytes));
    static_assert(p::memory_alignment == Arena::alignment);
    // The same for other extents, while the program runs: 32 rows.
    const p::Memory twice = p::place(chain_plan::list, p::Phase::step, [](int) { return std::int64_t(32 * 64 * 4); });
    EXPECT_EQ(twice.bytes, 2 * chain_plan::peak_bytes);
}
TEST(PlannedMemory, TensorsThatLiveAtOnceDoNotOverlapAndNeedNoMoreThanAnArena) {
    std::mt19937 random(5);
    int better = 0, least = 0;
    for (int trial = 0; trial < 500; ++trial) {
        p::detail::Lifetimes l;
        l.count = 2 + static_cast<int>(random() % 14);
        for (int i = 0; i < l.count; ++i) {
            l.value[i] = i;
            l.first[i] = i / 2;
            l.last[i] = l.first[i] + static_cast<int>(random() % 6);
            l.bytes[i] = 256 * static_cast<std::int64_t>(1 + random() % 12);
        }
        const p::Memory m = p::detail::place(l);
        for (int i = 0; i < l.count; ++i)
            for (int j = 0; j < i; ++j) {
                if (l.last[j] < l.first[i]) continue;
                EXPECT_TRUE(m.offset[i] + l.bytes[i] <= m.offset[j] || m.offset[j] + l.bytes[j] <= m.offset[i]);
            }
        Arena arena;
        std::vector<void*> at(static_cast<std::size_t>(l.count));
        for (int k = 0, i = 0; i < l.count; ++k) {
            for (; i < l.count && l.first[i] == k; ++i)
                at[static_cast<std::size_t>(i)] = arena.take(static_cast<std::size_t>(l.bytes[i]));
            for (int j = 0; j < i; ++j)
                if (l.last[j] == k) arena.give_back(at[static_cast<std::size_t>(j)]);
        }
        EXPECT_LE(static_cast<std::size_t>(m.bytes), arena.measured());
        EXPECT_GE(m.bytes, m.live);
        better += static_cast<std::size_t>(m.bytes) < arena.measured();
        least += m.bytes == m.live;
    }
    EXPECT_GT(better, 50);
    EXPECT_GT(least, 250);
}

}  // namespace
