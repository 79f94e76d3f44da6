// SPDX-License-Identifier: Apache-2.0
/// A kernel as CUDA launches it: facts of the image that the driver loaded, and the configuration of a launch.
#pragma once

#include <inlay/tile/cuda/runtime/api.hpp>
#include <inlay/tile/cuda/runtime/device.hpp>
#include <inlay/tile/gpu/runtime/grid.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Bytes of a kernel's arguments, at most: more since CUDA 12.1, on drivers of it.
#if CUDART_VERSION >= 12010
inline constexpr std::size_t most_argument_bytes = 32764;
#else
inline constexpr std::size_t most_argument_bytes = 4096;
#endif
/// Facts of a kernel on the current device.
struct KernelFacts {
    int shared_bytes = 0;   ///< of its variables, beside dynamic shared memory
    bool waits = false;     ///< its code can wait for the kernel before: that for less than sm_90 cannot
};
template <class... P>
KernelFacts facts_of(void (*kernel)(P...), const Device& device) {
    cudaFuncAttributes a;
    check(cudaFuncGetAttributes(&a, kernel), "cudaFuncGetAttributes");
    return {static_cast<int>(a.sharedSizeBytes), device.major >= 9 && a.ptxVersion >= 90};
}
/// Allows a kernel so much dynamic shared memory.
inline void allow_shared(const void* kernel, int bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
}
/// Blocks of a kernel that a multiprocessor of the current device holds at once.
template <class... P>
int resident_blocks_of_unit(void (*kernel)(P...), int threads, std::size_t shared) {
    int n = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return n;
}

/// A kernel and how it is launched, without its arguments.
class LaunchConfig {
public:
    LaunchConfig() = default;
    /// `waits`: the kernel can wait for the one before it.
    LaunchConfig(const void* kernel, const Grid& g, bool waits) : kernel_(kernel) {
        require(g.blocks < (index_t(1) << 31), "a kernel of ", g.blocks, " blocks is too large to launch");
        config_.gridDim = dim3(static_cast<unsigned>(g.blocks));
        config_.blockDim = dim3(static_cast<unsigned>(g.threads));
        config_.dynamicSmemBytes = g.shared;
        if (g.cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
        if (g.cluster > 1)
            add(cudaLaunchAttributeClusterDimension).clusterDim = {static_cast<unsigned>(g.cluster), 1, 1};
        if (g.overlaps && waits)
            add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
    }
    /// arguments: the address of each of the kernel's parameters.
    void enqueue(Stream stream, void** arguments) {
        config_.stream = stream;
        config_.attrs = attributes_;
        check(cudaLaunchKernelExC(&config_, kernel_, arguments), "cudaLaunchKernelExC");
    }

private:
    cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
        cudaLaunchAttribute& a = attributes_[config_.numAttrs++];
        a.id = id;
        return a.val;
    }

    const void* kernel_ = nullptr;
    cudaLaunchConfig_t config_{};
    cudaLaunchAttribute attributes_[3] = {};
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
