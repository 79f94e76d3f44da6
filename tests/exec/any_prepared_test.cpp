// SPDX-License-Identifier: Apache-2.0
/// Identities are given once, from any thread; a prepared kernel of no known type runs its frame on its target.
#include <inlay/exec/any_prepared.hpp>

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

namespace {

using namespace inlay;

TEST(AnyPrepared, IdentitiesAreGivenOnce) {
    constexpr int each = 1000;
    std::array<std::vector<std::uint64_t>, 4> given;
    {
        std::array<std::jthread, 4> threads;
        for (std::size_t i = 0; i < threads.size(); ++i)
            threads[i] = std::jthread([&mine = given[i]] {
                for (int k = 0; k < each; ++k) mine.push_back(detail::new_identity());
            });
    }
    std::set<std::uint64_t> all;
    for (const auto& mine : given) all.insert(mine.begin(), mine.end());
    EXPECT_EQ(all.size(), given.size() * each);
    EXPECT_FALSE(all.contains(0));
}
TEST(AnyPrepared, RunsItsFrameOnItsTarget) {
    const int kernel = 5;
    int target = 0;
    const detail::AnyPrepared prepared{1, &kernel, &target, [](const void* k, void* t) {
                                           *static_cast<int*>(t) += *static_cast<const int*>(k);
                                       }};
    prepared();
    prepared();
    EXPECT_EQ(target, 10);
}

}  // namespace
