// SPDX-License-Identifier: Apache-2.0
#include "../../../bench/tune/records.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace inlay_bench::tune;

const std::string columns = std::string(record_columns) + "\n";

std::string error_of(const std::string& file) {
    std::istringstream in(file);
    try {
        read_records(in, "t.csv");
    } catch (const std::exception& e) {
        return e.what();
    }
    return "";
}

TEST(TuneRecords, ALineIsReadAsItWasWritten) {
    const Record r{{WgmmaInput::evaluated_halo, false, 1, 2, 32, 32, 9, 640, 1280}, 128, 160, false, 2, 31.87},
        a{{WgmmaInput::copied, true, 3, 1, 1, 154, 1, 2560, 320}, 128, 128, true, 1, 4.4375};
    EXPECT_EQ(text(r), "evaluated_halo,1,1,2,32,32,9,640,1280,128x160,2,31.870");
    EXPECT_EQ(text(a), "copied,2,3,1,1,154,1,2560,320,128x128a,1,4.438");
    for (const Record& x : {r, a}) {
        const Record y = parse_record(text(x), "here");
        EXPECT_EQ(text(y), text(x));
        EXPECT_EQ(y.shape, x.shape);
    }
}
TEST(TuneRecords, NotesAreKept) {
    std::istringstream in("# one\n" + columns + "copied,1,1,1,1,8,1,16,64,128x80,1,1.5\n# two\n");
    const Records r = read_records(in, "t.csv");
    EXPECT_EQ(r.notes, (std::vector<std::string>{"one", "two"}));
    ASSERT_EQ(r.all.size(), 1u);
    EXPECT_EQ(r.all[0].us, 1.5);
}
TEST(TuneRecords, WhatIsWrongIsNamedWithItsLine) {
    EXPECT_EQ(error_of(""), "inlay: t.csv: no line names the columns");
    EXPECT_EQ(error_of("a,b\n"), "inlay: t.csv:1: the columns are not " + std::string(record_columns));
    const auto second = [&](const std::string& line) { return error_of(columns + line + "\n"); };
    EXPECT_EQ(second("copied,1"), "inlay: t.csv:2: 2 fields where 12 are expected");
    EXPECT_EQ(second("copied,1,1,1,1,8,1,16,64,128x80,1,1.5,7"), "inlay: t.csv:2: 13 fields where 12 are expected");
    EXPECT_EQ(second("copy,1,1,1,1,8,1,16,64,128x80,1,1.5"), "inlay: t.csv:2: 'copy' is no input");
    EXPECT_EQ(second("copied,3,1,1,1,8,1,16,64,128x80,1,1.5"),
              "inlay: t.csv:2: sums of a column are 1 or 2, not '3'");
    EXPECT_EQ(second("copied,1,1,1,1,8x,1,16,64,128x80,1,1.5"), "inlay: t.csv:2: '8x' is no number");
    EXPECT_EQ(second("copied,1,1,1,1,0,1,16,64,128x80,1,1.5"), "inlay: t.csv:2: '0' is not positive");
    EXPECT_EQ(second("copied,1,1,1,1,8,1,16,64,128,1,1.5"), "inlay: t.csv:2: '128' is no tile");
    EXPECT_EQ(second("copied,1,1,1,1,8,1,16,64,128x80,1,nan"), "inlay: t.csv:2: 'nan' is no time");
    EXPECT_EQ(second("copied,1,1,1,1,8,1,16,64,128x80,1,-2"), "inlay: t.csv:2: '-2' is no time");
    EXPECT_EQ(second("copied,1,1,1,1,8,1,16,64,128x80,1,"), "inlay: t.csv:2: '' is no number");
}

}  // namespace
