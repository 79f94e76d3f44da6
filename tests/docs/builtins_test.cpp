// SPDX-License-Identifier: Apache-2.0
/// Vendors' built-ins stand in tile/cuda/isa/ and tile/hip/isa/ alone: variables, functions and inline assembly of
/// device code, and the width of a warp as a number.
#include "pages.hpp"

#include <regex>
#include <set>

namespace {

using namespace inlay_test;

/// Beside both isa/: single instructions behind the scalar functions, which core/ needs without tile/, and the tile
/// registers of the host, for which not every compiler has functions.
const std::set<std::string> exempt = {"core/config.hpp", "tile/host/amx.hpp"};

bool in_isa(const std::string& header) {
    return header.starts_with("tile/cuda/isa/") || header.starts_with("tile/hip/isa/");
}

/// The first built-in of a line, or "". A member (`config.gridDim`) is none, nor are a compiler's own on the host.
/// `width`: also 32 where it stands for the width of a warp.
std::string builtin_in(const std::string& line, bool width = true) {
    static const std::regex builtin(
        R"((^|[^.\w])(threadIdx|blockIdx|blockDim|gridDim|warpSize|asm|clock64|rsqrtf|atomic[A-Z]\w*|)"
        R"(cudaGridDependencySynchronize|cudaTriggerProgrammaticLaunchCompletion|)"
        R"(__builtin_(amdgcn|nontemporal)\w*|HIP_vector\w*|)"
        R"(__(?!builtin_|is_same|attribute__|launch_bounds__|align__)[a-z]\w*\s*\())");
    static const std::regex of_warp(R"((thread|lane|warp)\w*(\(\))?\s*[%/]\s*32\b)");
    const std::string code = code_of(line);
    std::smatch m;
    if (std::regex_search(code, m, builtin)) return m[2];
    return width && std::regex_search(code, m, of_warp) ? m.str() : "";
}

TEST(Builtins, StandInIsaAlone) {
    const auto root = project() / "include/inlay";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".hpp") continue;
        const std::string header = std::filesystem::relative(entry.path(), root).generic_string();
        if (in_isa(header) || exempt.contains(header)) continue;
        int number = 0;
        for (const std::string& line : lines_of(entry.path())) {
            ++number;
            EXPECT_EQ(builtin_in(line, header.starts_with("tile/")), "") << header << ":" << number << ": " << line;
        }
    }
}

/// A body that read its block's place could not run inside another kernel.
TEST(Builtins, SchedulersAloneReadABlocksPlace) {
    const auto root = project() / "include/inlay";
    static const std::regex place(R"(\b(block_index|blocks_of_grid)\b)");
    bool in_scheduler = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".hpp") continue;
        const std::string header = std::filesystem::relative(entry.path(), root).generic_string();
        if (in_isa(header)) continue;
        for (const std::string& line : lines_of(entry.path())) {
            const bool reads = std::regex_search(code_of(line), place);
            in_scheduler |= reads && header == "tile/gpu/scheduler.hpp";
            EXPECT_FALSE(reads && header != "tile/gpu/scheduler.hpp") << header << ": " << line;
        }
    }
    EXPECT_TRUE(in_scheduler);
}

TEST(Builtins, AreFound) {
    for (const char* line : {"const int t = threadIdx.x;", "  x += __shfl_xor_sync(~0u, x, 1);", "__syncthreads();",
                             "asm volatile(\"\" ::);", "atomicAdd(p, 1u);", "if (__popc (x))", "return rsqrtf(x);",
                             "const int warp = thread / 32;", "if (lane_index() % 32)", "x = __ldcg(p);",
                             "x = __builtin_amdgcn_readfirstlane(x);", "__hip_atomic_load(p, 0, 0);",
                             "return __ockl_wfany_i32(x);"})
        EXPECT_NE(builtin_in(line), "") << line;
    for (const char* line : {"config.gridDim = dim3(1);", "// atomicAdd(p, 1u)", "fail(\"asm\");", "column / 32",
                             "std::atomic<int> n;", "__builtin_memcpy(a, b, 4);", "__shared__ bool last;",
                             "__global__ void __launch_bounds__(64) k();", "extern __shared__ __align__(16) char m[];"})
        EXPECT_EQ(builtin_in(line), "") << line;
    EXPECT_EQ(builtin_in("x = __ldcg(p);"), "__ldcg(");
    EXPECT_EQ(builtin_in("threads / 32", false), "");
}

}  // namespace
