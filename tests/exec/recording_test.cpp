// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/exec/program.hpp>
#include <inlay/exec/recording.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

struct twice : Elementwise<Add<Buf<0>, Buf<0>>> {};
struct plus_one : Elementwise<Add<Buf<0>, Const<1.0>>> {};

struct Recordings : testing::Test {
    Host host{1};
    std::vector<float> x = {1, 2};
    Program<Host> doubling, counting;

    Recordings() {
        const auto t = tensor(x.data(), 2);
        doubling.add<twice>("a", t, t);
        counting.add<plus_one>("b", t, t);
        counting.add<plus_one>("c", t, t);
    }
};

TEST_F(Recordings, RunProgramsInOrderAndAgain) {
    const Recording<Host> r(host, doubling, counting);
    EXPECT_EQ(x, (std::vector<float>{1, 2}));  // recording runs nothing
    r.run();
    EXPECT_EQ(x, (std::vector<float>{4, 6}));
    r.run();
    EXPECT_EQ(x, (std::vector<float>{10, 14}));
    Recording<Host>(host, counting, doubling).run();
    EXPECT_EQ(x, (std::vector<float>{24, 32}));
}
TEST_F(Recordings, CountTheKernelsOfARun) {
    EXPECT_EQ(Recording<Host>(host, doubling).launches(), 1u);
    EXPECT_EQ(Recording<Host>(host, doubling, counting, counting).launches(), 5u);
    const Program<Host> empty;
    EXPECT_EQ(Recording<Host>(host, empty).launches(), 0u);
}
TEST_F(Recordings, MayBeEmpty) {
    const Recording<Host> none;
    none.run();
    EXPECT_EQ(none.launches(), 0u);
    EXPECT_EQ(x, (std::vector<float>{1, 2}));
}
TEST_F(Recordings, AreReplacedByOthers) {
    Recording<Host> r(host, doubling);
    r = Recording<Host>(host, counting);
    r.run();
    EXPECT_EQ(x, (std::vector<float>{3, 4}));
}

}  // namespace
