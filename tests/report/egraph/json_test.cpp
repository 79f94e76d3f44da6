// SPDX-License-Identifier: Apache-2.0
#include "shared.hpp"

#include <inlay/report/egraph/json.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay_test::shared_graph;

TEST(Json, HasClassesNodesCostsAndShares) {
    const Shared g = graph();
    EXPECT_EQ(json(picture(g, 3, price, label)),
              "{\"root\": 3, \"total\": 12346, \"optima\": 2, \"complete\": true, \"classes\": [\n"
              "  {\"id\": 1, \"label\": \"\", \"nodes\": [\n"
              "    {\"id\": 1, \"symbol\": \"x\", \"children\": [], \"cost\": 0, \"chosen\": \"all\"}]},\n"
              "  {\"id\": 2, \"label\": \"a \\\"value\\\"\\u000a\", \"nodes\": [\n"
              "    {\"id\": 2, \"symbol\": \"f\", \"children\": [1], \"cost\": 12345, \"chosen\": \"all\"}]},\n"
              "  {\"id\": 3, \"label\": \"\", \"nodes\": [\n"
              "    {\"id\": 3, \"symbol\": \"+\", \"children\": [2, 2], \"cost\": 1, \"chosen\": \"some\"},\n"
              "    {\"id\": 4, \"symbol\": \"<\", \"children\": [2], \"cost\": 1, \"chosen\": \"some\"},\n"
              "    {\"id\": 5, \"symbol\": \"*\", \"children\": [2, 2], \"cost\": null, \"chosen\": \"none\"}]}]}\n");
}

/// A graph whose root has no extraction.
TEST(Json, HasNoTotalWithoutAnExtraction) {
    const Shared g = graph();
    const auto forbidden = [](const auto&, Id) { return never; };
    EXPECT_TRUE(json(picture(g, 2, forbidden)).starts_with("{\"root\": 2, \"total\": null, \"optima\": 0, "));
}

}  // namespace
