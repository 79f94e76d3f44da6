// SPDX-License-Identifier: Apache-2.0
/// Code in the documentation is code that CI compiles: each C++ block names the file it is from, `<!-- from FILE -->`
/// on the line before, and stands there line for line, give or take its indentation; so does any other block that names
/// one. Links lead somewhere.
#include "pages.hpp"

#include <regex>

namespace {

using namespace inlay_test;

/// The line without n leading spaces; false when it has fewer.
bool outdented(const std::string& line, std::size_t n, std::string& to) {
    if (line.find_first_not_of(' ') == line.npos) return to.clear(), true;
    if (line.find_first_not_of(' ') < n) return false;
    to = line.substr(n);
    return true;
}

bool stands_in(const std::vector<std::string>& block, const std::vector<std::string>& file) {
    for (std::size_t at = 0; at + block.size() <= file.size(); ++at) {
        const auto begin = file[at].find(block[0]);
        if (begin == std::string::npos || file[at].find_first_not_of(' ') < begin) continue;
        bool same = true;
        std::string line;
        for (std::size_t i = 0; same && i < block.size(); ++i)
            same = outdented(file[at + i], begin, line) && line == block[i];
        if (same) return true;
    }
    return false;
}

TEST(Documentation, CodeStandsInCompiledFiles) {
    int blocks = 0;
    for (const auto& page : pages()) {
        const auto lines = lines_of(page);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!lines[i].starts_with("```")) continue;
            const std::string where = page.filename().string() + ":" + std::to_string(i + 1);
            std::smatch m;
            static const std::regex from("<!-- from (.*) -->");
            const bool named = i > 0 && std::regex_match(lines[i - 1], m, from);
            if (!named && lines[i] != "```cpp") {
                while (++i < lines.size() && lines[i] != "```") {}
                continue;
            }
            EXPECT_TRUE(named) << where << ": the block does not say which file it is from";
            std::vector<std::string> block;
            for (++i; i < lines.size() && lines[i] != "```"; ++i) block.push_back(lines[i]);
            if (!named || block.empty()) continue;
            EXPECT_TRUE(stands_in(block, lines_of(project() / m[1].str())))
                << where << ": the block does not stand in " << m[1];
            ++blocks;
        }
    }
    EXPECT_GE(blocks, 5);
}

TEST(Documentation, LinksLeadSomewhere) {
    static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
    for (const auto& page : pages()) {
        bool code = false;
        for (const std::string& line : lines_of(page)) {
            if (line.starts_with("```")) code = !code;
            if (code) continue;
            for (std::sregex_iterator m(line.begin(), line.end(), link), end; m != end; ++m)
                EXPECT_TRUE(std::filesystem::exists(page.parent_path() / (*m)[1].str()))
                    << page.filename() << " links to " << (*m)[1];
        }
    }
}

}  // namespace
