// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/list.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using inlay::List;

static_assert(!std::is_copy_constructible_v<List<int>> && !std::is_copy_assignable_v<List<int>>);

TEST(List, InsertsAnywhereAndGrows) {
    List<int> list;
    std::vector<int> expected;
    EXPECT_TRUE(list.empty());
    unsigned state = 1;
    for (int i = 0; i < 100; ++i) {
        state = state * 1664525u + 1013904223u;
        const int at = static_cast<int>((state >> 16) % (expected.size() + 1));
        list.insert(at, i);
        expected.insert(expected.begin() + at, i);
        ASSERT_EQ(list.size(), i + 1);
        for (int j = 0; j <= i; ++j) ASSERT_EQ(list[j], expected[static_cast<std::size_t>(j)]) << i << ", " << j;
    }
    EXPECT_FALSE(list.empty());
    list.append(-1);
    EXPECT_EQ(list.back(), -1);
    list[0] = -2;
    EXPECT_EQ(std::as_const(list)[0], -2);
}

TEST(List, MovesWhatCannotBeCopiedAndEndsIt) {
    const auto alive = std::make_shared<int>(0);
    {
        struct Owner {
            std::unique_ptr<std::shared_ptr<int>> of;
        };
        List<Owner> list;
        for (int i = 0; i < 20; ++i) list.insert(0, {std::make_unique<std::shared_ptr<int>>(alive)});
        EXPECT_EQ(alive.use_count(), 21);
        for (int i = 0; i < 20; ++i) EXPECT_EQ(*list[i].of, alive);
    }
    EXPECT_EQ(alive.use_count(), 1);
}

TEST(List, IsMovedWithItsElements) {
    List<int> from;
    for (int i = 0; i < 20; ++i) from.append(i);
    List<int> list(std::move(from));
    EXPECT_EQ(from.size(), 0);
    from.append(7);
    EXPECT_EQ(from[0], 7);
    EXPECT_EQ(list.size(), 20);
    EXPECT_EQ(list[19], 19);
    list = std::move(from);
    EXPECT_EQ(list.size(), 1);
    EXPECT_EQ(list[0], 7);
}

}  // namespace
