// SPDX-License-Identifier: Apache-2.0
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/isa/grid.hpp>
#include <inlay/tile/cuda/isa/memory.hpp>

namespace emulator_test {

/// Threads from `late` on do not wait for the kernel before.
__global__ void overlaps(char* to, int late, bool writes_first) {
    if (writes_first) store_global(to, 1, 2, 3, 4);
    if (static_cast<int>(threadIdx.x) < late) after_previous_kernel();
}
TEST(Grid, WhoOverlapsWaitsForTheKernelBefore) {
    const Floats x(counting(64));
    char* const p = reinterpret_cast<char*>(x.p);
    const Grid ordered{.blocks = 2, .threads = 32}, early{.blocks = 2, .threads = 32, .overlaps = true};
    EXPECT_EQ(error_of(ordered, overlaps, p, 0, true), "");
    EXPECT_EQ(error_of(early, overlaps, p, 32, false), "");
    EXPECT_SAYS(error_of(early, overlaps, p, 32, true), "st.global before after_previous_kernel");
    EXPECT_SAYS(error_of(early, overlaps, p, 31, false), "returning before after_previous_kernel");
}

/// Waiting alone is enough to touch memory and to return.
__global__ void waits(char* to) {
    wait_for_previous_kernel();
    store_global(to, 1, 2, 3, 4);
    let_next_kernel_begin();
}
TEST(Grid, TheNextKernelMayBeginLater) {
    const Floats x(counting(64));
    EXPECT_EQ(error_of({.blocks = 2, .threads = 1, .overlaps = true}, waits, reinterpret_cast<char*>(x.p)), "");
}

/// Constants may be loaded before, and nothing else touched.
__global__ void reads_early(char* to, const char* constants, bool says_so, bool writes) {
    if (says_so) reads_constants();
    const uint4 q = load_streamed(constants);
    if (writes) store_global(to, q.x, q.y, q.z, q.w);
    wait_for_previous_kernel();
    store_global(to, q.x, q.y, q.z, q.w);
}
TEST(Grid, ConstantsAreReadBefore) {
    const Floats x(counting(64));
    char* const p = reinterpret_cast<char*>(x.p);
    const Grid early{.blocks = 1, .threads = 1, .overlaps = true};
    EXPECT_EQ(error_of(early, reads_early, p, p + 16, true, false), "");
    EXPECT_SAYS(error_of(early, reads_early, p, p + 16, false, false), "ld.global before after_previous_kernel");
    EXPECT_SAYS(error_of(early, reads_early, p, p + 16, true, true), "st.global before after_previous_kernel");
}

}  // namespace emulator_test
