// SPDX-License-Identifier: Apache-2.0
#include <inlay/expr/row_record.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

using namespace inlay;

/// The record of a row in parts of `width`, each by two plain loops in double, with `room` numbers.
std::vector<float> record_of(const std::vector<double>& row, std::size_t width, std::size_t room) {
    std::vector<float> record(room, std::nanf(""));
    record[0] = static_cast<float>(width);
    record[1] = static_cast<float>(row.size());
    for (std::size_t first = 0, at = 2; first < row.size(); first += width, at += 2) {
        const std::size_t end = std::min(row.size(), first + width);
        double mean = 0, m2 = 0;
        for (std::size_t i = first; i < end; ++i) mean += row[i] / static_cast<double>(end - first);
        for (std::size_t i = first; i < end; ++i) m2 += (row[i] - mean) * (row[i] - mean);
        record[at] = static_cast<float>(mean);
        record[at + 1] = static_cast<float>(m2);
    }
    return record;
}

TEST(RowRecord, RoomForParts) {
    EXPECT_EQ(row_record_parts(4), 1);
    EXPECT_EQ(row_record_parts(10), 4);
    EXPECT_TRUE(is_row_record(4) && is_row_record(12));
    EXPECT_FALSE(is_row_record(2) || is_row_record(5) || is_row_record(0));
}
// Parts of one size, a shorter last one, one part alone; numbers behind the last part are not read.
TEST(RowRecord, PartsMergeToTheMomentsOfTheRow) {
    std::mt19937 random(1);
    for (const double mean : {0.0, 3.0, -1e4})
        for (const std::size_t width : {16u, 24u, 80u, 100u}) {
            std::normal_distribution<double> normal(mean, 2);
            std::vector<double> row(80);
            double m = 0, m2 = 0;
            for (double& x : row) x = static_cast<double>(static_cast<float>(normal(random))), m += x / 80;
            for (const double x : row) m2 += (x - m) * (x - m);
            const auto record = record_of(row, width, 14);
            const auto moments = inlay::detail::row_moments_of<float>(record.data(), 1, 14);
            EXPECT_NEAR(static_cast<double>(moments.mean), m, 1e-6 * (std::fabs(mean) + 2)) << mean << ' ' << width;
            EXPECT_NEAR(static_cast<double>(moments.variance), m2 / 80, 1e-3 * m2 / 80) << mean << ' ' << width;
        }
}
TEST(RowRecord, NumbersMayLieApart) {
    const std::vector<double> row{1, 2, 3, 4, 5, 9};
    const auto record = record_of(row, 4, 6);
    std::vector<float> apart(18, std::nanf(""));
    for (std::size_t i = 0; i < 6; ++i) apart[3 * i] = record[i];
    const auto moments = inlay::detail::row_moments_of<double>(apart.data(), 3, 6);
    EXPECT_NEAR(moments.mean, 4, 1e-12);
    EXPECT_NEAR(moments.variance, 40.0 / 6, 1e-6);
}

}  // namespace
