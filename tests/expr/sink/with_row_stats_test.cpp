// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

namespace {

TEST(WithRowStats, ARecordOfEachRow) {
    auto y = ramp(0, 0, 2, 3, 8);
    std::vector<float> records(2 * 3 * 4, -1);
    const auto k = prepare<Elementwise<Buf<0>, WithRowStats<Store<0>, 1>>>(y.tensor, tensor(records.data(), 2, 3, 4),
                                                                           x.tensor);
    Oracle oracle;
    k.run(oracle);
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 3; ++i) {
            double mean = 0, m2 = 0;
            for (int c = 0; c < 8; ++c) mean += x.at({{b, i, c}}) / 8;
            for (int c = 0; c < 8; ++c) m2 += std::pow(x.at({{b, i, c}}) - mean, 2);
            const float* const record = &records[static_cast<std::size_t>(3 * b + i) * 4];
            EXPECT_EQ(record[1], 8);                // columns of the row
            EXPECT_GE(record[0], 8);                // in one part
            EXPECT_FLOAT_EQ(record[2], static_cast<float>(mean));
            EXPECT_FLOAT_EQ(record[3], static_cast<float>(m2));
            for (int c = 0; c < 8; ++c) EXPECT_EQ(y.at({{b, i, c}}), x.at({{b, i, c}}));
        }
}

}  // namespace
