// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/scheduler/timesteps.hpp>

#include <tests_folder.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace inlay::model;

TEST(Timesteps, AreThoseOfDiffusersForManyStepCounts) {
    const auto golden = nlohmann::json::parse(std::ifstream(inlay_test::tests_folder() + "/golden/scheduler.json"));
    int lists = 0;
    for (const auto& list : golden.at("timesteps")) {
        const SchedulerKind kind = scheduler_kind(list.at("kind").get<std::string>());
        const std::string spacing = list.at("spacing");
        SchedulerConfig config;
        config.steps_offset = 1;
        config.timestep_spacing = spacing == "leading"    ? TimestepSpacing::leading
                                  : spacing == "linspace" ? TimestepSpacing::linspace
                                                          : TimestepSpacing::trailing;
        const auto steps = list.at("steps").get<std::vector<int>>();
        const auto checksums = list.at("checksums").get<std::vector<double>>();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto t = timesteps(kind, config, steps[i]);
            ASSERT_EQ(t.size(), static_cast<std::size_t>(steps[i]));
            double sum = 0;
            for (std::size_t j = 0; j < t.size(); ++j) sum += static_cast<double>(j + 1) * t[j];
            EXPECT_NEAR(sum, checksums[i], 1e-13 * checksums[i]) << name(kind) << ", " << spacing << ", " << steps[i];
            ++lists;
        }
    }
    EXPECT_GE(lists, 1000);
}

}  // namespace
