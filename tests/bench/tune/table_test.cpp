// SPDX-License-Identifier: Apache-2.0
/// Tables that times make, and the one that is shipped beside its times.
#include "../../../bench/tune/table.hpp"

#include <tests_folder.hpp>

#include <gtest/gtest.h>

#include <sstream>

#include <unistd.h>

namespace {

using namespace inlay_bench::tune;

const WgmmaShape small{WgmmaInput::copied, false, 1, 1, 1, 2048, 1, 640, 640};

Record timed(const WgmmaShape& s, int n, int parts, double us) { return {s, 128, n, n == 128, parts, us}; }
/// The rule's choice of `small`.
int rule_n() { return choose_wgmma_by_rule(work_of(small), 132).schedule.n; }

TEST(TuneTable, TakesTheFastestThatTheKernelsHave) {
    ASSERT_EQ(rule_n(), 80);
    const Table t = table_of({timed(small, 80, 1, 6), timed(small, 160, 1, 7), timed(small, 160, 2, 5.5),
                              timed(small, 96, 1, 1), timed(small, 80, 2, 1)},     // no tile; too many clusters
                             132);
    ASSERT_EQ(t.rows.size(), 1u);
    EXPECT_EQ(t.rows[0].n, 160);
    EXPECT_EQ(t.rows[0].parts, 2);
    EXPECT_EQ(t.rows[0].us, 5.5);
    EXPECT_EQ(t.rows[0].rule_us, 6);
    EXPECT_TRUE(t.left_out.empty());
}
TEST(TuneTable, NoiseDoesNotTakeTheRulesPlace) {
    EXPECT_EQ(table_of({timed(small, 80, 1, 6), timed(small, 160, 1, 5.95)}, 132).rows[0].n, 80);
    EXPECT_EQ(table_of({timed(small, 80, 1, 6), timed(small, 160, 1, 5.93)}, 132).rows[0].n, 160);
}
TEST(TuneTable, OfTimesOfOneScheduleTheLeastCounts) {
    const Table t = table_of({timed(small, 80, 1, 6), timed(small, 80, 1, 5), timed(small, 80, 1, 7)}, 132);
    EXPECT_EQ(t.rows[0].us, 5);
}
TEST(TuneTable, WithoutTheRulesTimeThereIsNoRow) {
    const Table t = table_of({timed(small, 160, 1, 5)}, 132);
    EXPECT_TRUE(t.rows.empty());
    EXPECT_EQ(t.left_out, std::vector<std::string>{"copied,1,1,1,1,2048,1,640,640: 128x80 in 1"});
}
TEST(TuneTable, RowsAreInOrderWhateverTheOrderOfTimes) {
    WgmmaShape first = small;
    first.width = 1024;
    first.n = 1280;
    const std::vector<Record> records{timed(small, 80, 1, 6), timed(first, 80, 1, 6), timed(first, 160, 1, 6.5)};
    std::vector<Record> turned(records.rbegin(), records.rend());
    const auto header = [](const std::vector<Record>& r) {
        return header_of(table_of(r, 132).rows, {"note"}, "X1", "table_x1", 132);
    };
    EXPECT_EQ(table_of(records, 132).rows.size(), 2u);
    EXPECT_EQ(header(records), header(turned));
    const std::string h = header(records);
    EXPECT_LT(h.find(" 1024, 1, 1280, 640}, 128, 80, false, 1, 6.00, 6.00},\n"),
              h.find(" 2048, 1, 640, 640}, 128, 80, false, 1, 6.00, 6.00},\n"));
    EXPECT_NE(h.find("/// note\n"), std::string::npos);
    EXPECT_THROW(header_of({}, {}, "X1", "table_x1", 132), std::exception);
}
TEST(TuneTable, SaysHowFarTheRuleIs) {
    const std::vector<WgmmaTuned> rows{{small, 128, 80, false, 1, 4, 9}, {small, 128, 80, false, 1, 4, 4}};
    const Distance d = distance_of(rows);
    EXPECT_EQ(d.worst, 2.25);
    EXPECT_DOUBLE_EQ(d.mean, 1.5);
    EXPECT_EQ(d.slower, 1);
}
TEST(TuneTable, IsWrittenAsAWholeOrNotAtAll) {
    const auto folder = std::filesystem::temp_directory_path() / ("tune_table." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder / "taken");
    write_atomically(folder / "t", "old");
    write_atomically(folder / "t", "new");
    std::ostringstream got;
    got << std::ifstream(folder / "t").rdbuf();
    EXPECT_EQ(got.str(), "new");
    EXPECT_THROW(write_atomically(folder / "none" / "t", "x"), std::exception);
    EXPECT_THROW(write_atomically(folder / "taken", "x"), std::exception);     // a folder
    EXPECT_FALSE(std::filesystem::exists(folder / "taken.next"));
    std::filesystem::remove_all(folder);
}

/// The shipped table, written anew from its times.
struct Shipped : testing::Test {
    const std::filesystem::path root = std::filesystem::path(inlay_test::tests_folder()).parent_path();
    Records records;
    Table table;

    Shipped() {
        std::vector<std::filesystem::path> files;
        for (const auto& f : std::filesystem::directory_iterator(root / "bench/results/h200"))
            if (const std::string n = f.path().filename().string(); n.starts_with("tune") && n.ends_with(".csv"))
                files.push_back(f.path());
        std::sort(files.begin(), files.end());
        records = read_files(files);
        table = table_of(records.all, wgmma_table_h200.units);
    }
};
TEST_F(Shipped, IsWhatItsTimesAndTheRuleMake) {
    std::ostringstream got;
    got << std::ifstream(root / "include/inlay/plan/gemm/wgmma_table_h200.hpp").rdbuf();
    EXPECT_EQ(got.str(), header_of(table.rows, records.notes, "H200", "wgmma_table_h200", 132))
        << "write it anew: tune_table bench/results/h200/tune*.csv --write include/inlay/plan/gemm/wgmma_table_h200.hpp";
}
TEST_F(Shipped, TheRuleIsNear) {
    const Distance d = distance_of(table.rows);
    EXPECT_LT(d.mean, 1.05);
    EXPECT_LT(d.worst, 1.25);
}

}  // namespace
