// SPDX-License-Identifier: Apache-2.0
/// The words of the headers' comments: they begin with a noun or a verb, and use those of docs/glossary.md.
#include "pages.hpp"

#include <regex>
#include <set>

namespace {

using namespace inlay_test;

/// A comment of one line, or a line of a longer one.
struct Comment {
    std::string where, text;
    bool begins;
};

/// Position of the comment in a line of code, npos: there is none. Slashes in a string are none.
std::size_t comment_in(const std::string& line) {
    bool quoted = false;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        if (quoted && line[i] == '\\') ++i;
        else if (line[i] == '"') quoted = !quoted;
        else if (!quoted && line[i] == '/' && line[i + 1] == '/') return i;
    }
    return line.npos;
}

std::vector<Comment> comments_of(const std::vector<std::string>& lines, const std::string& file) {
    std::vector<Comment> all;
    std::size_t last = std::string::npos;  // column of a comment that the next line may go on with
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t at = comment_in(lines[i]);
        if (at == std::string::npos) {
            last = at;
            continue;
        }
        const std::size_t text = lines[i].find_first_not_of("/< ", at);
        const bool alone = lines[i].find_first_not_of(' ') == at;
        const bool ends = text == std::string::npos || lines[i].find("SPDX") != std::string::npos;
        if (!ends)
            all.push_back({file + ":" + std::to_string(i + 1), lines[i].substr(text), !alone || last != at});
        last = ends ? std::string::npos : at;
    }
    return all;
}

/// Words that a comment must not begin with: it would be half of a question.
bool begins_with_a_question(const std::string& text) {
    static const std::regex words("(What|Whether|Who|Which|Where|How)\\b.*", std::regex::icase);
    return std::regex_match(text, words);
}

/// The first word of a comment that the glossary has another one for, or that makes a person of a thread.
std::string banned(const std::string& text) {
    static const std::regex words("\\b(nobody|somebody|who|whom|whoever|told|tells|asks?|asked|asking|knows?|wants?|"
                                  "wanted|by turns|last resort|rungs?|raw tiles?|raw leaves|slabs?|Hopper)\\b",
                                  std::regex::icase);
    std::smatch m;
    return std::regex_search(text, m, words) ? m.str() : "";
}

std::vector<std::string> faults(const std::vector<Comment>& comments) {
    std::vector<std::string> all;
    for (const Comment& c : comments) {
        if (c.begins && begins_with_a_question(c.text)) all.push_back(c.where + " begins with a question: " + c.text);
        if (const std::string word = banned(c.text); !word.empty())
            all.push_back(c.where + " says \"" + word + "\": " + c.text);
    }
    return all;
}

TEST(Words, CommentsBeginWithANounOrAVerb) {
    const auto root = project() / "include/inlay";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".hpp") continue;
        const std::string file = std::filesystem::relative(entry.path(), root).generic_string();
        for (const std::string& fault : faults(comments_of(lines_of(entry.path()), file))) ADD_FAILURE() << fault;
    }
}

TEST(Words, CommentsOfTestsBeginSoToo) {
    for (const char* folder : {"tests", "bench", "examples"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(project() / folder)) {
            const std::string kind = entry.path().extension();
            if (kind != ".hpp" && kind != ".cpp" && kind != ".cu") continue;
            for (const Comment& c : comments_of(lines_of(entry.path()), entry.path().generic_string()))
                EXPECT_FALSE(c.begins && begins_with_a_question(c.text)) << c.where << ": " << c.text;
        }
}

TEST(Words, FaultsAreFound) {
    const std::vector<std::string> code = {
        "/// What a row does.",                      // begins with a question
        "int a;  ///< whether it is there",          // so does this one
        "/// A row, read by",                        //
        "/// which a warp is told its part.",        // goes on with a word, which is no fault, and says "told"
        "const char* url = \"http://where.it.is\";",  // no comment
        "int b;  // the last resort"};
    EXPECT_EQ(faults(comments_of(code, "x")).size(), 4u);
}

/// First cells of the tables of a page, and all of its rows.
struct Row {
    std::string word, lives;
};
std::vector<Row> rows_of(const std::filesystem::path& page) {
    std::vector<Row> all;
    static const std::regex row(R"(\| ([^|]+) \|.*\| ([^|]*) \|)");
    for (const std::string& line : lines_of(page))
        if (std::smatch m; std::regex_match(line, m, row) && m[1] != "word" && m[1] != "---")
            all.push_back({m[1], m[2]});
    return all;
}

TEST(Words, GlossaryHasEachWordOnceAndNamesFilesThatExist) {
    const std::vector<Row> rows = rows_of(project() / "docs/glossary.md");
    EXPECT_GT(rows.size(), 40u);
    std::set<std::string> seen;
    static const std::regex quoted("`([^`]+/[^`]*)`");
    for (const Row& r : rows) {
        EXPECT_TRUE(seen.insert(r.word).second) << r.word << " stands there twice";
        EXPECT_FALSE(r.lives.empty()) << r.word;
        for (std::sregex_iterator m(r.lives.begin(), r.lives.end(), quoted), end; m != end; ++m)
            EXPECT_TRUE(std::filesystem::exists(project() / "include/inlay" / (*m)[1].str()))
                << r.word << ": " << m->str();
    }
}

TEST(Words, ReadingNamesAtMostEightFilesThatExist) {
    static const std::regex item(R"((\d)\. `([^`]+)`: [^.]+.*)");
    int sections = 0, files = 0;
    std::string section;
    for (const std::string& line : lines_of(project() / "docs/reading.md")) {
        std::smatch m;
        if (line.starts_with("## ")) {
            EXPECT_TRUE(section.empty() || files > 2) << section << " has " << files << " files";
            section = line;
            ++sections;
            files = 0;
        } else if (std::regex_match(line, m, item)) {
            EXPECT_EQ(std::stoi(m[1]), ++files) << section;
            EXPECT_TRUE(files > 1 || m[2].str().starts_with("frame/")) << section << " begins with " << m[2];
            EXPECT_TRUE(std::filesystem::exists(project() / "include/inlay" / m[2].str())) << section << ": " << m[2];
        }
        EXPECT_LE(files, 8) << section;
    }
    EXPECT_GT(files, 2) << section;
    EXPECT_EQ(sections, 12) << "Linear, Conv2D, GroupNorm and Attention on host, mma and wgmma";
}

}  // namespace
