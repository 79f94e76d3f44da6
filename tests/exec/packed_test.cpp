// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/exec/packed.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>

#include <exec/sentence.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace inlay;
using inlay_test::expect_sentence, inlay_test::sentence;

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
        std::vector<float> data(size, -1);
        const auto packed = host.pack(Tensor<float, 2>(w.data(), e), data.data());
        EXPECT_EQ(packed.data, data.data());
        EXPECT_EQ(packed.extents, e);
        std::vector<int> seen(w.size() + 1);
        for (const float p : data) {
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
    std::vector<float> w(35), data(static_cast<std::size_t>(Host::packed_size(1, 5, 7)));
    try {
        host.pack(Tensor<float, 2>(w.data(), {{5, 7}}, {{1, 5}}), data.data());
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: a weight [5, 7] is not dense");
    }
}

struct two_groups : Conv2D<Filter<1, 1, 1, 0, 0, 1, 2>> {};
struct one_group : Conv2D<Filter<1>> {};
struct plain : Linear<> {};

TEST(Packed, IsTakenForTheGroupsItWasPackedFor) {
    Host host(1);
    // A weight of 1 for each of 4 outputs and, in its group, 3 inputs: y is the sum of a group's x.
    std::vector<float> w(4 * 3, 1), x = {1, 2, 3, 4, 5, 6}, y(4);
    std::vector<float> data(static_cast<std::size_t>(Host::packed_size(2, 2, 3)));
    const auto packed = host.pack(tensor(w.data(), 4, 1, 1, 3), data.data(), 2);
    EXPECT_EQ(packed.groups, 2);
    prepare<two_groups>(tensor(y.data(), 1, 1, 1, 4), packed, tensor(x.data(), 1, 1, 1, 6)).run(host);
    EXPECT_EQ(y, (std::vector<float>{6, 6, 15, 15}));

    const auto whole = host.pack(tensor(w.data(), 4, 1, 1, 3), data.data());
    expect_sentence(": the weight [4, 1, 1, 3] was packed for 1 groups, the kernel has 2",
                    [&] { prepare<two_groups>(tensor(y.data(), 1, 1, 1, 4), whole, tensor(x.data(), 1, 1, 1, 6)); });
    expect_sentence(": the weight [4, 1, 1, 3] was packed for 2 groups, the kernel has 1",
                    [&] { prepare<one_group>(tensor(y.data(), 1, 1, 1, 4), packed, tensor(x.data(), 1, 1, 2, 3)); });
}

// Of another target, whose panels have another width.
TEST(Packed, IsReadByTheTargetThatPackedIt) {
    Host host(1);
    std::vector<float> memory(1000);
    const auto run = [&](const Packed<float, 2>& w) {
        return sentence([&] { prepare<plain>(tensor(memory.data(), 2, 3), w, tensor(memory.data(), 2, 4)).run(host); });
    };
    Packed<float, 2> packed = host.pack(tensor(memory.data(), 3, 4), memory.data() + 500);
    EXPECT_EQ(run(packed), "");
    const std::string weight = "inlay: plain: weight 0 [3, 4] was packed ",
                      own = ", this target reads it in panels of " + std::to_string(Host::panel_columns) + " columns";
    packed.panel_columns = 7;
    EXPECT_EQ(run(packed), weight + "in panels of 7 columns" + own);
    EXPECT_EQ(run({memory.data(), {{3, 4}}}), weight + "row by row" + own);
}

TEST(Packed, OfNothing) {
    Host host(1);
    std::vector<float> memory(100, 1);
    for (const auto& e : {Extents<2>{{0, 4}}, {{3, 0}}, {{0, 0}}}) {
        const auto packed = host.pack(Tensor<float, 2>(memory.data(), e), memory.data());
        std::vector<float> y(static_cast<std::size_t>(2 * e[0]), -1);
        prepare<plain>(tensor(y.data(), 2, e[0]), packed, tensor(memory.data(), 2, e[1])).run(host);
        EXPECT_EQ(y, std::vector<float>(y.size(), 0.0f));
    }
    EXPECT_EQ(host.pack(tensor(memory.data(), 0, 3, 4), memory.data()).groups, 1);
    EXPECT_EQ(host.pack(tensor(memory.data(), 0, 3, 3, 4), memory.data(), 2).groups, 2);
}

TEST(Packed, WantsGroupsThatDivideTheRows) {
    Host host(1);
    std::vector<float> v(1000);
    EXPECT_EQ(sentence([&] { host.pack(tensor(v.data(), 8, 1, 1, 2), v.data(), 3); }),
              "inlay: the 8 rows of a weight [8, 1, 1, 2] are not a multiple of 3 groups");
    const std::string expected = " groups: expected at least 1, and more only of a filter [O, R, S, I]";
    EXPECT_EQ(sentence([&] { host.pack(tensor(v.data(), 8, 1, 1, 2), v.data(), 0); }),
              "inlay: a weight [8, 1, 1, 2] cannot be packed for 0" + expected);
    EXPECT_EQ(sentence([&] { host.pack(tensor(v.data(), 8, 2), v.data(), 2); }),
              "inlay: a weight [8, 2] cannot be packed for 2" + expected);
}

}  // namespace
