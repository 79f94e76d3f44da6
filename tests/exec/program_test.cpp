// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/exec/program.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/norm.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay;

struct twice : Elementwise<Add<Buf<0>, Buf<0>>> {};
struct plus_one : Elementwise<Add<Buf<0>, Const<1.0>>> {};
struct norm : LayerNorm<> {};

TEST(Program, RunsInOrderAndAgain) {
    Host host(1);
    std::vector<float> x = {1, 2}, y(2);
    Program<Host> p;
    EXPECT_EQ(p.size(), 0u);
    p.add<twice>("a", tensor(y.data(), 2), tensor(x.data(), 2));
    p.add<plus_one>("b", tensor(y.data(), 2), tensor(y.data(), 2));
    p.add<twice>("c", tensor(x.data(), 2), tensor(y.data(), 2));
    p.run(host);
    EXPECT_EQ(x, (std::vector<float>{6, 10}));
    p.run(host);
    EXPECT_EQ(x, (std::vector<float>{26, 42}));
}

TEST(Program, LaunchesCarryTheirLayer) {
    std::vector<float> x(6), g(3);
    Program<Host> p;
    p.add<twice>("block.0.twice", tensor(x.data(), 2, 3), tensor(x.data(), 2, 3));
    p.add<norm>("block.0.norm", tensor(x.data(), 2, 3), tensor(g.data(), 3), tensor(g.data(), 3),
                tensor(x.data(), 2, 3));
    const auto l = p.launches();
    ASSERT_EQ(l.size(), 2u);
    EXPECT_EQ(l[0].layer, "block.0.twice");
    EXPECT_EQ(l[0].frame, "elementwise");
    EXPECT_EQ(l[1].layer, "block.0.norm");
    EXPECT_EQ(l[1].frame, "layernorm");
}

TEST(Program, ErrorsNameTheLayerAndAddNothing) {
    std::vector<float> x(6), g(2);
    Program<Host> p;
    try {
        p.add<norm>("block.0.norm", tensor(x.data(), 2, 3), tensor(g.data(), 2), tensor(g.data(), 2),
                    tensor(x.data(), 2, 3));
        FAIL() << "no error";
    } catch (const Error& e) {
        const std::string s = e.what();
        EXPECT_TRUE(s.ends_with("has 3 channels, gamma has 2 (in block.0.norm)")) << s;
    }
    EXPECT_EQ(p.size(), 0u);
}

}  // namespace
