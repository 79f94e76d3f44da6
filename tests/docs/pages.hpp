// SPDX-License-Identifier: Apache-2.0
/// The pages of the documentation and the files they speak of, as lines.
#pragma once

#include <tests_folder.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace inlay_test {

inline std::filesystem::path project() {
    return std::filesystem::path(tests_folder()).parent_path();
}

inline std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    EXPECT_TRUE(in.good()) << file;
    std::ostringstream s;
    s << in.rdbuf();
    return s.str();
}
inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::istringstream in(text_of(file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// A line without its comment and what is in quotes.
inline std::string code_of(const std::string& line) {
    std::string code;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '\\') ++i;
        else if (line[i] == '"') quoted = !quoted, code += '"';
        else if (!quoted && line.compare(i, 2, "//") == 0) break;
        else if (!quoted) code += line[i];
    }
    return code;
}

/// README.md, CONTRIBUTING.md and all pages below docs/.
inline std::vector<std::filesystem::path> pages() {
    std::vector<std::filesystem::path> all = {project() / "README.md", project() / "CONTRIBUTING.md"};
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project() / "docs"))
        if (entry.path().extension() == ".md") all.push_back(entry.path());
    return all;
}

}  // namespace inlay_test
