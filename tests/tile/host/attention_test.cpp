// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/attention.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;
using on_host::AttentionShape;

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> noise(index_t n, unsigned seed) {
    std::mt19937 g(seed);
    std::normal_distribution<float> d;
    std::vector<float> v(static_cast<std::size_t>(n));
    for (float& x : v) x = d(g);
    return v;
}

struct Problem {
    AttentionShape s;
    index_t groups = 1;  // query batches that share one batch of keys
    float scale = 1;
    std::vector<float> q, k, v;

    explicit Problem(AttentionShape shape, index_t g = 1) : s(shape), groups(g) {
        scale = 1 / std::sqrt(float(s.d));
        q = noise(s.batch * s.queries * s.d, 1);
        k = noise(s.batch / g * s.keys * s.d, 2);
        v = noise(s.batch / g * s.keys * s.dv, 3);
    }

    /// Through the engine. `copy`: stage into scratch instead of handing out rows in place. `visible(batch, query,
    /// key)`: the mask; `skip`: blocks of keys that no query sees are not visited.
    std::vector<float> run(Threads& threads, bool copy,
                           const std::function<bool(index_t, index_t, index_t)>& visible = {}, bool skip = true) const {
        std::vector<float> o(static_cast<std::size_t>(s.batch * s.queries * s.dv), infinity);
        const auto row = [copy](const float* p, index_t n, float* scratch) {
            return copy ? static_cast<const float*>(std::copy_n(p, n, scratch) - n) : p;
        };
        const auto hide = [&](index_t b, index_t i, index_t key0, index_t n, float* x) {
            for (index_t j = 0; j < n; ++j)
                if (!visible(b, i, key0 + j)) x[j] = -infinity;
        };
        const auto store = [&](index_t b, index_t i, const float* x) {
            std::copy_n(x, s.dv, o.data() + (b * s.queries + i) * s.dv);
        };
        struct Visited {
            std::vector<int> blocks;
            bool any_hidden;
            int count() const { return static_cast<int>(blocks.size()); }
            int block(int i) const { return blocks[static_cast<std::size_t>(i)]; }
            bool masked(int) const { return any_hidden; }
        };
        const auto visits = [&](index_t b, index_t query0, index_t queries, index_t size) {
            Visited seen{{}, static_cast<bool>(visible)};
            for (index_t key0 = 0; key0 < s.keys; key0 += size) {
                bool any = !visible || !skip;
                for (index_t i = query0; i < query0 + queries; ++i)
                    for (index_t j = key0; j < std::min(key0 + size, s.keys) && !any; ++j) any = visible(b, i, j);
                if (any) seen.blocks.push_back(static_cast<int>(key0 / size));
            }
            return seen;
        };
        attention(
            threads, s, SoftmaxRows<decltype(hide), decltype(store)>{scale, hide, store, s.dv}, visits,
            [&](index_t b, index_t i, float* t) { return row(q.data() + (b * s.queries + i) * s.d, s.d, t); },
            [&](index_t b, index_t i, float* t) { return row(k.data() + (b / groups * s.keys + i) * s.d, s.d, t); },
            [&](index_t b, index_t i, float* t) { return row(v.data() + (b / groups * s.keys + i) * s.dv, s.dv, t); });
        return o;
    }

    /// In double, the plain way. `change(batch, query, key, score)` gives the score to use.
    std::vector<double> naive(std::function<double(index_t, index_t, index_t, double)> change = {}) const {
        std::vector<double> o;
        for (index_t b = 0; b < s.batch; ++b)
            for (index_t i = 0; i < s.queries; ++i) {
                std::vector<double> p;
                double most = -infinity, sum = 0;
                for (index_t j = 0; j < s.keys; ++j) {
                    double x = 0;
                    for (index_t e = 0; e < s.d; ++e)
                        x += double(q[static_cast<std::size_t>((b * s.queries + i) * s.d + e)]) *
                             double(k[static_cast<std::size_t>((b / groups * s.keys + j) * s.d + e)]);
                    x *= double(scale);
                    if (change) x = change(b, i, j, x);
                    p.push_back(x);
                    most = std::max(most, x);
                }
                for (double& x : p) sum += x = x == -infinity ? 0 : std::exp(x - most);
                for (index_t e = 0; e < s.dv; ++e) {
                    double x = 0;
                    for (index_t j = 0; j < s.keys; ++j)
                        x += p[static_cast<std::size_t>(j)] *
                             double(v[static_cast<std::size_t>((b / groups * s.keys + j) * s.dv + e)]);
                    o.push_back(sum == 0 ? 0 : x / sum);
                }
            }
        return o;
    }
};

void expect_near(const std::vector<float>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    double error = 0, size = 1e-30;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double e = double(a[i]) - b[i];
        error += e * e, size += b[i] * b[i];
    }
    EXPECT_LE(std::sqrt(error / size), 2e-6);
}

TEST(Attention, AgreesWithTheNaiveSoftmax) {
    for (const AttentionShape s :
         {AttentionShape{1, 1, 1, 1, 1}, {2, 5, 77, 40, 40}, {3, 70, 130, 64, 64}, {1, 300, 257, 80, 80},
          {2, 33, 64, 160, 160}, {1, 20, 300, 512, 512}, {4, 230, 31, 24, 50}, {17, 3, 129, 8, 3}}) {
        SCOPED_TRACE(testing::Message() << s.batch << ' ' << s.queries << ' ' << s.keys << ' ' << s.d << ' ' << s.dv);
        const Problem p(s);
        Threads one(1), three(3);
        const auto o = p.run(three, false);
        expect_near(o, p.naive());
        EXPECT_EQ(o, p.run(one, true)) << "the threads or the staging changed the result";
    }
}

TEST(Attention, Causal) {
    const Problem p({2, 300, 300, 40, 40});
    Threads threads(2);
    const auto visible = [](index_t, index_t i, index_t j) { return j <= i; };
    const auto o = p.run(threads, false, visible);
    expect_near(o, p.naive([](index_t, index_t i, index_t j, double x) { return j > i ? -double(infinity) : x; }));
    EXPECT_EQ(o, p.run(threads, false, visible, false)) << "skipping hidden blocks changed the result";
}

TEST(Attention, GroupedQueriesAndAMaskOfEachHead) {
    const Problem p({8, 40, 150, 64, 48}, 4);
    Threads threads(2);
    const auto visible = [](index_t b, index_t i, index_t j) { return (i + j) % (b + 1) == 0; };
    const auto o = p.run(threads, true, visible);
    expect_near(o, p.naive([&](index_t b, index_t i, index_t j, double x) {
        return visible(b, i, j) ? x : -double(infinity);
    }));
}

TEST(Attention, AFullyMaskedRowIsZero) {
    const Problem p({1, 9, 600, 16, 20});
    Threads threads(2);
    // Query 4 sees nothing; query 5 sees only keys of the last block; query 6 only of the first.
    const auto visible = [](index_t, index_t i, index_t j) {
        return !(i == 4 || (i == 5 && j < 550) || (i == 6 && j > 20));
    };
    const auto o = p.run(threads, false, visible);
    expect_near(o, p.naive([&](index_t b, index_t i, index_t j, double x) {
        return visible(b, i, j) ? x : -double(infinity);
    }));
    for (int e = 0; e < 20; ++e) EXPECT_EQ(o[4 * 20 + static_cast<std::size_t>(e)], 0.f);
}

TEST(Attention, BlocksBetweenThatNoQuerySeesAreLeftOut) {
    const Problem p({1, 30, 1000, 16, 20});
    Threads threads(2);
    const auto visible = [](index_t, index_t, index_t j) { return j < 10 || (j > 600 && j < 650); };
    const auto o = p.run(threads, false, visible);
    expect_near(o, p.naive([&](index_t b, index_t i, index_t j, double x) {
        return visible(b, i, j) ? x : -double(infinity);
    }));
    EXPECT_EQ(o, p.run(threads, false, visible, false));
}

TEST(Attention, NoVisibleKeyIsZero) {
    const Problem p({1, 3, 10, 4, 4});
    Threads threads(1);
    for (const float x : p.run(threads, false, [](index_t, index_t, index_t) { return false; })) EXPECT_EQ(x, 0.f);
}

TEST(Attention, LargeScoresDoNotOverflow) {
    Problem p({1, 20, 300, 32, 32});
    p.scale = 60;
    Threads threads(2);
    for (const float x : p.run(threads, false)) EXPECT_TRUE(std::isfinite(x));
    Problem negative({1, 20, 77, 32, 32});
    negative.scale = -0.4f;
    expect_near(negative.run(threads, false), negative.naive());
    negative.scale = 0;
    expect_near(negative.run(threads, false), negative.naive());
}

TEST(Attention, NanReachesItsQueryAlone) {
    Problem p({1, 20, 200, 16, 16});
    p.q[7 * 16 + 3] = std::numeric_limits<float>::quiet_NaN();
    Threads threads(2);
    const auto o = p.run(threads, false);
    for (std::size_t i = 0; i < o.size(); ++i) EXPECT_EQ(std::isnan(o[i]), i / 16 == 7);
}

}  // namespace
