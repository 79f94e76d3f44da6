// SPDX-License-Identifier: Apache-2.0
/// A kernel as HIP launches it: facts of the code object that the runtime loaded, and the configuration of a launch.
#pragma once

#include <inlay/tile/gpu/runtime/grid.hpp>
#include <inlay/tile/hip/runtime/api.hpp>
#include <inlay/tile/hip/runtime/device.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Bytes of a kernel's arguments, at most.
inline constexpr std::size_t most_argument_bytes = 4096;
/// Facts of a kernel on the current device.
struct KernelFacts {
    int shared_bytes = 0;   ///< of its variables, beside dynamic shared memory
    bool waits = false;     ///< its code can wait for the kernel before: no architecture of AMD can
};
template <class... P>
KernelFacts facts_of(void (*kernel)(P...), const Device&) {
    hipFuncAttributes a;
    // A runtime that keeps the types of a kernel's parameters has an overload for them; HIP's takes the address.
    if constexpr (requires { hipFuncGetAttributes(&a, kernel); })
        check(hipFuncGetAttributes(&a, kernel), "hipFuncGetAttributes");
    else check(hipFuncGetAttributes(&a, reinterpret_cast<const void*>(kernel)), "hipFuncGetAttributes");
    return {static_cast<int>(a.sharedSizeBytes), false};
}
/// A kernel may take all LDS of a block without a word: there is nothing to allow.
inline void allow_shared(const void*, int) {}
/// Blocks of a kernel that a compute unit of the current device holds at once.
template <class... P>
int resident_blocks_of_unit(void (*kernel)(P...), int threads, std::size_t shared) {
    int n = 0;
    check(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared),
          "hipOccupancyMaxActiveBlocksPerMultiprocessor");
    return n;
}

/// A kernel and how it is launched, without its arguments. HIP has neither clusters nor launches that overlap.
class LaunchConfig {
public:
    LaunchConfig() = default;
    LaunchConfig(const void* kernel, const Grid& g, bool)
        : kernel_(kernel), blocks_(static_cast<unsigned>(g.blocks)), threads_(static_cast<unsigned>(g.threads)),
          shared_(static_cast<unsigned>(g.shared)), cooperative_(g.cooperative) {
        require(g.blocks < (index_t(1) << 32) / g.threads, "a kernel of ", g.blocks, " blocks of ", g.threads,
                " threads is too large to launch: HIP counts threads in 32 bits");
    }
    /// arguments: the address of each of the kernel's parameters. In a capture a cooperative launch is a plain one:
    /// runtimes of ROCm (6.2) capture no other, which would run at once and be missing in the graph. Its blocks fit on
    /// the device, but two graphs of such kernels must not run at the same time.
    void enqueue(Stream stream, void** arguments) {
        if (cooperative_ && !api::captures(stream))
            check(hipLaunchCooperativeKernel(kernel_, dim3(blocks_), dim3(threads_), arguments, shared_, stream),
                  "hipLaunchCooperativeKernel");
        else
            check(hipLaunchKernel(kernel_, dim3(blocks_), dim3(threads_), arguments, shared_, stream),
                  "hipLaunchKernel");
    }

private:
    const void* kernel_ = nullptr;
    unsigned blocks_ = 0, threads_ = 0, shared_ = 0;
    bool cooperative_ = false;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
