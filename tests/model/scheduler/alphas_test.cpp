// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/config/scheduler.hpp>
#include <inlay/model/scheduler/alphas.hpp>

#include <tests_folder.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using namespace inlay::model;

// β differs, as torch's vectorised linspace rounds otherwise than ours in places, by one unit in its last place: at
// most 1e-9, under what 1 − β keeps.
TEST(Alphas, AreThoseOfDiffusers) {
    const auto golden = nlohmann::json::parse(std::ifstream(inlay_test::tests_folder() + "/golden/scheduler.json"));
    for (const auto& table : golden.at("alphas")) {
        const auto config = inlay::io::scheduler_config(table.at("config"), SchedulerKind::ddim);
        const auto alphas = alphas_cumprod(config);
        const auto t = table.at("t").get<std::vector<std::size_t>>();
        const auto expected = table.at("alphas_cumprod").get<std::vector<float>>();
        for (std::size_t i = 0; i < t.size(); ++i)
            EXPECT_NEAR(alphas.at(t[i]), expected[i], 1.2e-7 * expected[i]) << table.at("config") << " at " << t[i];
        EXPECT_EQ(alphas.front(), expected.front()) << table.at("config");
    }
}

}  // namespace
