// SPDX-License-Identifier: Apache-2.0
/// The loop of attention over derived recurrences: what is staged, and passes.
#include <inlay/tile/host/attention.hpp>

#include <inlay/frame/attention/row.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <set>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;
using on_host::AttentionShape;

constexpr index_t d = 8, dv = 5, queries = 3, keys = 1000;

struct Staged {
    std::multiset<index_t> k, v;
};

/// Rows of `Output` for query q at key j: Q·K is q + 1 at key j = 7, and 0 elsewhere; V[j][c] = j + c.
template <class Condition, class Output>
std::vector<float> attend(Staged& staged) {
    using Algebra = AttentionAlgebra<AttentionForm<d, dv, Condition, Out, Output>>;
    const Env<4, 0> scores{{}, {}, {{1, 1, queries, keys}}};
    std::vector<float> y(queries * dv, NAN);
    std::mutex lock;
    const auto store = [&](index_t, index_t i, const float* o) { std::copy_n(o, dv, y.data() + i * dv); };
    const auto store_number = [](index_t, index_t, float) {};
    const auto visits = [&](index_t, index_t query0, index_t count, index_t size) {
        return key_blocks<Condition>(scores, QueryTile{0, 0, 1, query0, query0 + count}, size);
    };
    Threads threads(2);
    attention(
        threads, AttentionShape{1, queries, keys, d, dv},
        RecurrenceRows<Algebra, Env<4, 0>, decltype(store), decltype(store_number)>(scores, 1, store, store_number),
        visits,
        [](index_t, index_t i, float* to) {
            std::fill_n(to, d, 0.f);
            to[0] = static_cast<float>(i + 1);
            return to;
        },
        [&](index_t, index_t j, float* to) {
            const std::lock_guard hold(lock);
            staged.k.insert(j);
            std::fill_n(to, d, 0.f);
            to[0] = j == 7 ? 1.f : 0.f;
            return to;
        },
        [&](index_t, index_t j, float* to) {
            const std::lock_guard hold(lock);
            staged.v.insert(j);
            for (index_t c = 0; c < dv; ++c) to[c] = static_cast<float>(j + c);
            return to;
        });
    return y;
}

TEST(AttentionRecurrence, BlocksThatNoQuerySeesAreNotStaged) {
    Staged staged;
    using Seen = Or<Less<Coord<3>, Const<9>>, GreaterEqual<Coord<3>, Const<990>>>;
    const auto y = attend<Seen, row::Sigmoid::output>(staged);
    for (index_t i = 0; i < queries; ++i) {
        double sum = 0;
        for (index_t j = 0; j < keys; ++j)
            if (j < 9 || j >= 990)
                sum += static_cast<double>(j) / (1 + std::exp(j == 7 ? -static_cast<double>(i + 1) : 0.0));
        EXPECT_NEAR(y[static_cast<std::size_t>(i * dv)], sum, 1e-6 * sum) << i;
    }
    EXPECT_EQ(staged.k, staged.v);
    EXPECT_EQ(staged.k.count(0), 1u);
    EXPECT_EQ(staged.k.count(999), 1u);
    for (index_t j = 256; j < 768; ++j) EXPECT_EQ(staged.k.count(j), 0u) << j;
}

TEST(AttentionRecurrence, APassOfScoresAloneStagesNoValues) {
    Staged staged;
    // The one key with the greatest score, found in a pass of its own.
    using Greatest = GreaterEqual<Score, TwoPass<KeyMax<Score>>>;
    const auto y = attend<Const<1>, KeySum<Mul<Greatest, Values>>>(staged);
    for (index_t i = 0; i < queries; ++i)
        for (index_t c = 0; c < dv; ++c)
            EXPECT_EQ(y[static_cast<std::size_t>(i * dv + c)], static_cast<float>(7 + c)) << i << ' ' << c;
    for (index_t j = 0; j < keys; ++j) {
        EXPECT_EQ(staged.k.count(j), 2u) << j;
        EXPECT_EQ(staged.v.count(j), 1u) << j;
    }
}

TEST(AttentionRecurrence, ARowWithoutAVisibleKeyIsZero) {
    Staged staged;
    for (const float x : attend<Less<Coord<3>, Const<0>>, row::SoftmaxPlusOne::output>(staged)) EXPECT_EQ(x, 0.f);
    EXPECT_TRUE(staged.k.empty());
}

}  // namespace
