// SPDX-License-Identifier: Apache-2.0
/// The order of the folders as docs/design.md tells it: each header includes what its folder's row allows, and rows
/// allow what stands above them.
#include "pages.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace {

using namespace inlay_test;

using Names = std::vector<std::string>;

/// Headers of plain data that folders above their own may include.
const std::set<std::string> data = {"tile/shapes.hpp", "exec/tensor.hpp", "exec/packed.hpp"};

/// The ways from code of any vendor to the vendor's, and the folders that each leads to.
const std::map<std::string, Names> doors = {{"tile/gpu/isa.hpp", {"tile/cuda/isa/", "tile/hip/isa/"}},
                                            {"tile/gpu/runtime.hpp", {"tile/cuda/runtime/", "tile/hip/runtime/"}},
                                            {"tile/gpu/matrix.hpp",
                                             {"tile/cuda/mma/", "tile/hip/mfma/", "tile/hip/wmma/"}}};
/// True if an include of a door leads to one of its vendors.
bool is_door(const std::string& header, const std::string& name) {
    const auto door = doors.find(header);
    return door != doors.end() &&
           std::ranges::any_of(door->second, [&](const std::string& folder) { return name.starts_with(folder); });
}

/// "tile/gpu/" of what lies below it, of all others the first folder.
std::string folder_of(const std::string& header) {
    const std::size_t first = header.find('/') + 1;
    return header.substr(0, header.starts_with("tile/") ? header.find('/', first) + 1 : first);
}

/// All that is in backticks.
Names quoted(const std::string& text) {
    Names names;
    static const std::regex quotes("`([^`]*)`");
    for (std::sregex_iterator m(text.begin(), text.end(), quotes), end; m != end; ++m) names.push_back((*m)[1]);
    return names;
}

struct Row {
    std::string folder;
    Names includes;
};

/// The first two columns of the page's table.
std::vector<Row> rows() {
    std::vector<Row> all;
    static const std::regex row(R"(\| `([\w/]+/)` \|([^|]*)\|.*)");
    for (const std::string& line : lines_of(project() / "docs/design.md"))
        if (std::smatch m; std::regex_match(line, m, row)) all.push_back({m[1], quoted(m[2])});
    return all;
}

/// "expr/leaf.hpp" and what it includes of Inlay.
std::map<std::string, Names> headers() {
    std::map<std::string, Names> all;
    const auto root = project() / "include/inlay";
    static const std::regex include(R"(\s*#\s*include\s*[<"]inlay/(.*)[>"].*)");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".hpp") continue;
        Names& names = all[std::filesystem::relative(entry.path(), root).generic_string()];
        for (const std::string& line : lines_of(entry.path()))
            if (std::smatch m; std::regex_match(line, m, include)) names.push_back(m[1]);
    }
    return all;
}

TEST(Folders, RowsAllowWhatStandsAboveThem) {
    std::set<std::string> above;
    for (const Row& r : rows()) {
        for (const std::string& name : r.includes)
            EXPECT_TRUE(above.contains(folder_of(name)) || data.contains(name)) << r.folder << " includes " << name;
        above.insert(r.folder);
    }
    std::set<std::string> folders;
    for (const auto& [header, includes] : headers())
        if (header.find('/') != header.npos && !data.contains(header)) folders.insert(folder_of(header));
    EXPECT_EQ(above, folders);
}

TEST(Folders, HeadersIncludeWhatTheirRowAllows) {
    std::map<std::string, Names> allowed;
    for (const Row& r : rows()) allowed[r.folder] = r.includes;
    std::map<std::string, std::set<std::string>> used;
    for (const auto& [header, includes] : headers()) {
        if (header.find('/') == header.npos || data.contains(header)) continue;  // inlay.hpp, version.hpp
        const std::string folder = folder_of(header);
        for (const std::string& name : includes) {
            if (folder_of(name) == folder || is_door(header, name)) continue;
            const Names& row = allowed[folder];
            const bool by_name = std::count(row.begin(), row.end(), name) > 0;
            const bool by_folder = std::count(row.begin(), row.end(), folder_of(name)) > 0;
            EXPECT_TRUE(by_name || by_folder) << header << " includes " << name;
            used[folder].insert(by_name ? name : folder_of(name));
        }
    }
    for (const auto& [folder, row] : allowed)
        for (const std::string& name : row)
            EXPECT_TRUE(name == "core/" || used[folder].contains(name)) << folder << " needs no " << name;
}

TEST(Folders, DataIsData) {
    for (const auto& [header, includes] : headers())
        for (const std::string& name : includes) {
            EXPECT_TRUE(!data.contains(header) || folder_of(name) == "core/" || data.contains(name))
                << header << " includes " << name;
        }
}

/// A folder is small enough to be read as a list, and a file's name does not repeat its folder's.
TEST(Folders, AreSmall) {
    std::map<std::string, int> files;
    for (const auto& [header, includes] : headers()) {
        const std::filesystem::path path(header);
        const std::string folder = path.parent_path().filename(), file = path.stem();
        ++files[path.parent_path()];
        EXPECT_FALSE(!folder.empty() && (file == folder || file.starts_with(folder + "_"))) << header;
    }
    EXPECT_GT(files.size(), 30u);
    for (const auto& [folder, count] : files) EXPECT_LE(count, 20) << folder;
}

/// A door that leads nowhere, or a second one behind it, is none.
TEST(Folders, DoorsLeadToTheVendors) {
    const auto all = headers();
    for (const auto& [door, folders] : doors) {
        ASSERT_TRUE(all.contains(door)) << door;
        const Names& includes = all.at(door);
        for (const std::string& name : includes) EXPECT_TRUE(is_door(door, name)) << door << " includes " << name;
        for (const std::string& folder : folders)
            EXPECT_TRUE(std::ranges::any_of(includes, [&](const auto& name) { return name.starts_with(folder); }))
                << door << " does not lead to " << folder;
    }
}

}  // namespace
