// SPDX-License-Identifier: Apache-2.0
/// docs/errors.md has each case of tests/compile_fail that no header can speak of: what was written, the line of each
/// compiler, the right spelling; and quotes sentences that the headers have.
#include "pages.hpp"

#include <algorithm>
#include <regex>

namespace {

using namespace inlay_test;

/// The entry of the page for a case that has a right spelling.
std::string entry(const std::vector<std::string>& file) {
    std::string title = "### " + file[1].substr(3), right, wrong, lines;
    enum { outside, in_right, in_wrong } at = outside;
    for (const std::string& line : file) {
        static const std::regex compiler(R"(// (g\+\+|clang\+\+-19|nvcc): .*)");
        if (std::regex_match(line, compiler)) lines += "    " + line + "\n";
        if (line == "#ifdef RIGHT") at = in_right;
        else if (line == "#else") at = in_wrong;
        else if (line == "#endif") at = outside;
        else if (at != outside) (at == in_right ? right : wrong) += "    " + line.substr(line.find_first_not_of(' ')) + "\n";
    }
    return title + "\n\n" + wrong + lines + "    // Right:\n" + right;
}

TEST(Errors, ThePageHasWhatNoHeaderCanSay) {
    const std::string page = text_of(project() / "docs/errors.md");
    int cases = 0;
    for (const auto& file : std::filesystem::directory_iterator(project() / "tests/compile_fail")) {
        if (file.path().extension() != ".cpp") continue;
        const auto lines = lines_of(file.path());
        if (std::ranges::find(lines, "#ifdef RIGHT") == lines.end()) continue;
        EXPECT_NE(page.find(entry(lines)), page.npos) << "docs/errors.md has not:\n" << entry(lines);
        ++cases;
    }
    EXPECT_GE(cases, 30);
    const std::string heading = "\n### ";
    int entries = 0;
    for (auto at = page.find(heading); at != page.npos; at = page.find(heading, at + 1)) ++entries;
    EXPECT_EQ(entries, cases + 1) << "of cases, and of INLAY_FN, which tests/compile_fail/strict_device.cpp has";
}

/// The first column of the page's table: sentences of cases of tests/compile_fail, without their `inlay: `.
TEST(Errors, ThePageQuotesSentencesOfTheHeaders) {
    std::string expected;
    for (const auto& file : std::filesystem::directory_iterator(project() / "tests/compile_fail"))
        if (file.path().extension() == ".cpp")
            for (const std::string& line : lines_of(file.path()))
                if (line.starts_with("// expect: ")) expected += std::regex_replace(line, std::regex(R"(\\)"), "") + "\n";
    int rows = 0;
    static const std::regex row(R"(\| `([^`]*)` \| .*)");
    for (const std::string& line : lines_of(project() / "docs/errors.md"))
        if (std::smatch m; std::regex_match(line, m, row)) {
            EXPECT_NE(expected.find(m[1]), expected.npos) << "no case of tests/compile_fail expects: " << m[1];
            ++rows;
        }
    EXPECT_GE(rows, 8);
}

}  // namespace
