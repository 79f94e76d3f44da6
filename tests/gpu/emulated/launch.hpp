// SPDX-License-Identifier: Apache-2.0
/// Grids on the emulated device: a host thread for each resident block, of which one runs at a time.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace emulator {

/// The device: small, so that grids are longer than what is resident, and blocks wait for blocks that have not begun.
struct DeviceFacts {
    static constexpr int multiprocessors = 4, threads = 2048, blocks = 2;   ///< of a multiprocessor
#if defined(__HIP__)
    /// LDS of a block at most, of a compute unit, of it for the runtime beside each block; a kernel that has not asked.
    static constexpr int shared_bytes = 64 << 10, shared_of_multiprocessor = 64 << 10, shared_beside = 0,
                         shared_unasked = 64 << 10;
#else
    static constexpr int shared_bytes = 227 << 10, shared_of_multiprocessor = 228 << 10, shared_beside = 1024,
                         shared_unasked = 48 << 10;
#endif
    static constexpr int major = 9, minor = 0;
    static constexpr int l2_bytes = 50 << 20;
};
int resident_blocks(int threads, std::size_t shared);

/// A grid that ran.
struct RanGrid {
    std::string kernel;
    unsigned blocks, threads, cluster;
};
/// Notes the grids that run while it lives, in their order. One at a time.
class GridRecord {
public:
    GridRecord();
    GridRecord(const GridRecord&) = delete;
    GridRecord& operator=(const GridRecord&) = delete;
    ~GridRecord();
    const std::vector<RanGrid>& grids() const { return grids_; }
    void add(RanGrid g) { grids_.push_back(std::move(g)); }

private:
    std::vector<RanGrid> grids_;
};

/// Runs a whole grid. Empty, or the sentence that says what is wrong.
std::string run_grid(const std::string& kernel, dim3 grid, dim3 block, std::size_t shared, unsigned cluster,
                     bool overlaps, const std::function<void()>& thread);

/// "GemmBody<…>", the body of a kernel at an address, or the name of one without.
std::string name_of_kernel(const void* kernel);

}  // namespace emulator
