// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

namespace {

TEST(WithStats, StatisticsOfEachChannel) {
    auto y = ramp(0, 0, 2, 3, 8), stats = ramp(0, 0, 2, 8, 2);
    const auto k = prepare<Elementwise<Buf<0>, WithStats<Store<0>, 1>>>(y.tensor, stats.tensor, x.tensor);
    Oracle oracle;
    k.run(oracle);
    for (int b = 0; b < 2; ++b)
        for (int c = 0; c < 8; ++c) {
            double mean = 0, m2 = 0;
            for (int i = 0; i < 3; ++i) mean += x.at({{b, i, c}}) / 3;
            for (int i = 0; i < 3; ++i) m2 += std::pow(x.at({{b, i, c}}) - mean, 2);
            EXPECT_FLOAT_EQ(static_cast<float>(stats.at({{b, c, 0}})), static_cast<float>(mean));
            EXPECT_FLOAT_EQ(static_cast<float>(stats.at({{b, c, 1}})), static_cast<float>(m2));
        }
}
TEST(WithStats, AMisfitIsOneError) {
    auto y = ramp(0, 0, 2, 3, 8), stats = ramp(0, 0, 2, 8, 3);
    EXPECT_EQ(error_of([&] { prepare<Elementwise<Buf<0>, WithStats<Store<0>, 1>>>(y.tensor, stats.tensor, x.tensor); }),
              "inlay: Elementwise<Buf<0>, WithStats<Store<0>, 1>, Auto>: WithStats<Store<0>, 1>: "
              "the statistics of [2, 3, 8] have extents [2, 8, 2], the output has [2, 8, 3]");
}

}  // namespace
