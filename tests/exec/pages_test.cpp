// SPDX-License-Identifier: Apache-2.0
#include "sentence.hpp"

#include <inlay/exec/pages.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(CheckPages, NamesTheFirstBadEntry) {
    std::vector<std::int32_t> ids{0, 3, 1, 2, 2, 3};
    const auto table = tensor(ids.data(), 2, 3);
    EXPECT_NO_THROW(check_pages(table, 4));
    EXPECT_EQ(sentence([&] { check_pages(table, 3); }),
              "inlay: page table [2, 3]: entry 1 of row 0 is 3, but the pool has 3 pages");
    ids[5] = -7;
    EXPECT_EQ(sentence([&] { check_pages(table, 4); }),
              "inlay: page table [2, 3]: entry 2 of row 1 is -7, but the pool has 4 pages");
}
TEST(CheckPages, EntriesBehindTheLengthMayBeAnything) {
    const std::vector<std::int32_t> ids{0, 3, -1, 2, -1, 99};
    const auto table = tensor(ids.data(), 2, 3);
    std::vector<std::int32_t> lengths{32, 16};
    const auto each = tensor(lengths.data(), 2);
    EXPECT_NO_THROW(check_pages(table, 4, 16, each));
    lengths[1] = 17;
    EXPECT_EQ(sentence([&] { check_pages(table, 4, 16, each); }),
              "inlay: page table [2, 3]: entry 1 of row 1 is -1, but the pool has 4 pages");
    lengths[1] = 49;
    EXPECT_EQ(sentence([&] { check_pages(table, 4, 16, each); }),
              "inlay: page table [2, 3]: row 1 has 49 keys, expected 0 to 48");
    EXPECT_EQ(sentence([&] { check_pages(table, 4, 0, each); }),
              "inlay: page table [2, 3]: a page has 0 keys, expected at least 1");
    EXPECT_EQ(sentence([&] { check_pages(table, 4, 16, tensor(lengths.data(), 1)); }),
              "inlay: page table [2, 3]: 1 lengths for 2 rows");
}

}  // namespace
