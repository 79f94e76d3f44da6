// SPDX-License-Identifier: Apache-2.0
/// Places of a program's buffers: which share bytes, and that wrong ones are found.
#include <plan/persistent/gpt2.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::persistent;
using inlay_test::Gpt2;

TEST(PersistentStorage, ADecodersBuffersShare) {
    constexpr ProgramFacts f = facts_of<Gpt2::Step>();
    constexpr Storage s = Gpt2::Places::places;
    int sum = 0;
    for (int b = 0; b < f.buffer_count; ++b) sum += f.buffers[b].kept ? 0 : f.buffers[b].bytes;
    EXPECT_LT(s.bytes, sum);
    EXPECT_EQ((s.at[buffer_number<Gpt2::Step, Gpt2::Cache>]), -1);
    // Values of the row before and after attention live together: the second product of attention adds to the first.
    EXPECT_NE((Gpt2::Places::at<Gpt2::Row>), (Gpt2::Places::at<Gpt2::Middle>));
}
TEST(PersistentStorage, OverlapsAreFound) {
    const ProgramFacts f = facts_of<Gpt2::Step>();
    const Order o = order_of(f);
    for (int a = 0; a < f.buffer_count; ++a)
        for (int b = 0; b < f.buffer_count; ++b) {
            if (a == b || f.buffers[a].kept || f.buffers[b].kept) continue;
            Storage s = place_buffers(f, o);
            s.at[a] = s.at[b];
            if (may_share(f, o, a, b)) continue;
            EXPECT_EQ(check_storage(f, o, s).fault, Fault::lifetimes) << a << " " << b;
        }
}

}  // namespace
