// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/attention/intervals.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using namespace inlay;

constexpr int length = 24;
using Members = std::vector<bool>;

template <int N>
Members members(const Intervals<N>& a) {
    Members m(length, false);
    for (int n = 0; n < N; ++n)
        for (index_t i = a.at[n].begin; i < a.at[n].end; ++i) m[static_cast<std::size_t>(i)] = true;
    return m;
}
/// Intervals are as the type promises: ascending, not empty, with gaps between them, and empty from `count` on.
template <int N>
bool in_order(const Intervals<N>& a) {
    bool ok = a.count >= 0 && a.count <= N;
    for (int n = 0; n < N; ++n) {
        ok = ok && a.at[n].empty() == (n >= a.count);
        if (n > 0 && n < a.count) ok = ok && a.at[n - 1].end < a.at[n].begin;
    }
    return ok;
}
template <int N>
Intervals<N> random_intervals(std::mt19937& random) {
    Intervals<N> r;
    index_t from = random() % 6;
    for (int n = 0; n < N; ++n) {
        const index_t size = random() % 6;
        if (from + size > length) break;
        r.append({from, from + size});
        from += size + random() % 4;
    }
    return r;
}

template <int A, int B>
void compare(std::mt19937& random) {
    const auto a = random_intervals<A>(random);
    const auto b = random_intervals<B>(random);
    const Members x = members(a), y = members(b);
    const auto both = intersection_of<A + B - 1>(a, b);
    const auto either = union_of<A + B>(a, b);
    const auto rest = complement_of<A + 1>(a, length);
    ASSERT_TRUE(in_order(a) && in_order(both) && in_order(either) && in_order(rest));
    Members in_both(length), in_either(length), not_in(length);
    for (std::size_t i = 0; i < length; ++i) {
        in_both[i] = x[i] && y[i];
        in_either[i] = x[i] || y[i];
        not_in[i] = !x[i];
        ASSERT_EQ(a.contains(static_cast<index_t>(i)), x[i]);
    }
    ASSERT_EQ(members(both), in_both);
    ASSERT_EQ(members(either), in_either);
    ASSERT_EQ(members(rest), not_in);

    index_t n = 0;
    for (index_t i = 0; i < length; ++i)
        if (x[static_cast<std::size_t>(i)]) {
            ASSERT_EQ(a.number(n++), i);
        }
    ASSERT_EQ(a.size(), n);
    for (index_t size : {1, 2, 3, 5, 8}) {
        const auto some = a.blocks_touched(size), whole = a.blocks_within(size);
        ASSERT_TRUE(in_order(some) && in_order(whole));
        for (index_t block = 0; block * size < length; ++block) {
            bool touched = false, within = true;
            for (index_t i = block * size; i < (block + 1) * size; ++i) {
                const bool in = i < length && x[static_cast<std::size_t>(i)];
                touched = touched || in;
                within = within && in;
            }
            ASSERT_EQ(some.contains(block), touched) << size << ' ' << block;
            ASSERT_EQ(whole.contains(block), within) << size << ' ' << block;
        }
    }
}

TEST(Intervals, AreSets) {
    std::mt19937 random(7);
    for (int i = 0; i < 500; ++i) {
        compare<1, 1>(random);
        compare<1, 3>(random);
        compare<2, 2>(random);
        compare<3, 2>(random);
    }
}

TEST(Intervals, JoinWhereNoGapIsLeft) {
    Intervals<2> a;
    a.append({0, 4});
    a.append({4, 6});
    a.append({6, 6});
    EXPECT_EQ(a.count, 1);
    EXPECT_EQ(a.at[0], (Interval{0, 6}));
    a.append({8, 9});
    EXPECT_EQ(a.count, 2);
    EXPECT_EQ(a.blocks_touched(8).at[0], (Interval{0, 2}));
    EXPECT_EQ(a.blocks_touched(16).count, 1);
    EXPECT_EQ(Intervals<2>{}.size(), 0);
}

}  // namespace
