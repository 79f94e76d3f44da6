// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/exec/packed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace inlay;

static_assert(is_packed<Packed<fp16, 2>> && !is_packed<Tensor<fp16, 2>>);
static_assert(Packed<float, 4>::rank == 4);

// Every weight is somewhere in the panels, once; what fills them up is 0.
TEST(Packed, HoldsEveryWeightOnce) {
    Host host(2);
    for (const auto& e : {Extents<2>{{1, 1}}, {{5, 7}}, {{33, 16}}, {{64, 130}}}) {
        std::vector<float> w(static_cast<std::size_t>(count(e)));
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i + 1);
        const auto size = static_cast<std::size_t>(Host::packed_size(1, e[0], e[1]));
        ASSERT_GE(size, w.size());
        std::vector<float> panels(size, -1);
        const auto packed = host.pack(Tensor<float, 2>(w.data(), e), panels.data());
        EXPECT_EQ(packed.panels, panels.data());
        EXPECT_EQ(packed.extents, e);
        std::vector<int> seen(w.size() + 1);
        for (const float p : panels) {
            ASSERT_GE(p, 0);
            ++seen[static_cast<std::size_t>(p)];
        }
        for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i], 1) << i;
    }
}

TEST(Packed, BatchesAndGroupsAreBlocksOfTheirOwn) {
    Host host(1);
    std::vector<float> w(2 * 5 * 7);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i + 1);
    const auto each = static_cast<std::size_t>(Host::packed_size(1, 5, 7));
    std::vector<float> both(2 * each), one(each);
    ASSERT_EQ(Host::packed_size(2, 5, 7), static_cast<index_t>(2 * each));
    host.pack(tensor(w.data(), 2, 5, 7), both.data());
    for (const int b : {0, 1}) {
        host.pack(tensor(w.data() + b * 35, 5, 7), one.data());
        EXPECT_TRUE(std::equal(one.begin(), one.end(), both.begin() + b * static_cast<std::ptrdiff_t>(each)));
    }
    std::vector<float> grouped(2 * each);
    host.pack(tensor(w.data(), 10, 1, 1, 7), grouped.data(), 2);
    EXPECT_EQ(grouped, both);
}

TEST(Packed, WantsADenseWeight) {
    Host host(1);
    std::vector<float> w(35), panels(static_cast<std::size_t>(Host::packed_size(1, 5, 7)));
    try {
        host.pack(Tensor<float, 2>(w.data(), {{5, 7}}, {{1, 5}}), panels.data());
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: a weight [5, 7] is not dense");
    }
}

}  // namespace
