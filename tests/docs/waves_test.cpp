// SPDX-License-Identifier: Apache-2.0
/// A wave's width is `warp_size`, `narrowest_warp`, an atom's or a target's: outside both isa/ no mask of 32 lanes, no
/// shift by its logarithm, and in code of any vendor or of HIP no 32 that has not been looked at.
#include "pages.hpp"

#include <map>
#include <regex>
#include <set>

namespace {

using namespace inlay_test;

/// Code in which 32 is something else: of each header, what stands around it.
const std::map<std::string, std::set<std::string>> reviewed = {
    {"tile/gpu/epilogue/generic.hpp", {"column / 16 * 32 + column % 16",    // columns of values and gates, 16 each
                                       "Tile::n % 32 == 0"}},
    {"tile/gpu/rows/dispatch.hpp", {"? 24 : 32)"}},              // warps, said to be of 32 threads
    {"tile/gpu/reduce/columns.hpp", {"32 / N"}},                            // floats of a thread
    {"tile/gpu/block/arrival.hpp", {"high << 32 | ", "bits >> 32"}},        // halves of a word
    {"tile/gpu/persistent/words.hpp", {"(tag) << 32 | ", "(w[i] >> 32)"}},  // the same
    {"tile/gpu/persistent/sums.hpp", {"sum >> 32", "(halves[2 * i + 1]) << 32"}},
    {"tile/gpu/index/unravel.hpp", {"std::uint32_t(1) << 31", "(31 + shift)"}},     // bits of a multiplier
    {"tile/hip/runtime/launch.hpp", {"(index_t(1) << 32)"}},
    {"tile/hip/wmma/map.hpp", {"lanes = 32, m = 16"}},                      // the atom's
    {"tile/hip/mfma/map.hpp", {"MfmaMap<32, 8, 2>"}},                       // rows of C
};

/// A mask of 32 lanes, or a number of a thread shifted to that of its warp, or "".
std::string mask_or_shift_in(const std::string& code) {
    static const std::regex found(R"(0x[fF]{8}(?![0-9a-fA-F])\w*|(>>|<<)\s*5\b|)"
                                  R"((thread|lane)\w*(\(\))?\s*&\s*(31|0x1f)\b)");
    std::smatch m;
    return std::regex_search(code, m, found) ? m.str() : "";
}
std::string width_in(const std::string& code) {
    static const std::regex found(R"((^|[^\w.])(32u?|31u?)(?![\w.]))");
    std::smatch m;
    return std::regex_search(code, m, found) ? m[2].str() : "";
}

TEST(Waves, HaveNoWidthOutsideIsa) {
    const auto root = project() / "include/inlay";
    std::map<std::string, std::set<std::string>> used;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".hpp") continue;
        const std::string header = std::filesystem::relative(entry.path(), root).generic_string();
        if (header.starts_with("tile/cuda/isa/") || header.starts_with("tile/hip/isa/")) continue;
        const bool device = header.starts_with("tile/gpu/") || header.starts_with("tile/hip/");
        if (!device && !header.starts_with("tile/cuda/") && !header.starts_with("exec/")) continue;
        int number = 0;
        for (const std::string& line : lines_of(entry.path())) {
            ++number;
            std::string code = code_of(line);
            EXPECT_EQ(mask_or_shift_in(code), "") << header << ":" << number << ": " << line;
            if (!device) continue;
            if (const auto known = reviewed.find(header); known != reviewed.end())
                for (const std::string& part : known->second)
                    if (const auto at = code.find(part); at != code.npos) {
                        code.erase(at, part.size());
                        used[header].insert(part);
                    }
            EXPECT_EQ(width_in(code), "") << header << ":" << number << ": " << line;
        }
    }
    EXPECT_EQ(used, reviewed) << "what was reviewed is no longer there";
}

TEST(Waves, AreFound) {
    for (const char* line : {"shfl(0xffffffffu, x)", "int warp = thread >> 5;", "x = 1 << 5;", "lane_index() & 31"})
        EXPECT_NE(mask_or_shift_in(code_of(line)), "") << line;
    for (const char* line : {"0xffffffff00u", "x >> 50", "// thread >> 5", "\">> 5\"", "x & 31"})
        EXPECT_EQ(mask_or_shift_in(code_of(line)), "") << line;
    for (const char* line : {"for (int by = 32; by > 0; by /= 2)", "apart = 32u;", "const int lane = id & 31;"})
        EXPECT_NE(width_in(code_of(line)), "") << line;
    for (const char* line : {"std::uint32_t x", "mma_m32(x)", "3.32f", "x[132]", "// 32 lanes"})
        EXPECT_EQ(width_in(code_of(line)), "") << line;
}

}  // namespace
