// SPDX-License-Identifier: Apache-2.0
#include "shared.hpp"

#include <inlay/report/egraph/dot.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay_test::shared_graph;

bool has(const std::string& text, const std::string& line) { return text.find("\n" + line + "\n") != text.npos; }

TEST(Dot, HasAClusterForEachClassAndColorsByShare) {
    const std::string text = dot(picture(graph(), 3, price, label), " B");
    EXPECT_TRUE(text.starts_with("digraph egraph {\n"));
    EXPECT_TRUE(has(text, "  subgraph cluster_2 {"));
    EXPECT_TRUE(has(text, R"(    style="dashed,rounded"; color="#999999"; label="a \"value\"\n";)"));
    EXPECT_TRUE(has(text, R"(    n2 [label="f\n12,345 B", fillcolor="#9fd8a4"];)"));
    EXPECT_TRUE(has(text, R"(    n4 [label="<\n1 B", fillcolor="#ffe58a"];)"));
    EXPECT_TRUE(has(text, R"(    n5 [label="*\nnot allowed", fillcolor="#e3e3e3"];)"));
    EXPECT_TRUE(has(text, "  n2 -> n4 [ltail=cluster_2];"));
    EXPECT_EQ(detail::grouped(1'196'032), "1,196,032");
    EXPECT_EQ(detail::grouped(123), "123");
}

}  // namespace
