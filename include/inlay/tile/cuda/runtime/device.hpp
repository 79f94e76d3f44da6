// SPDX-License-Identifier: Apache-2.0
/// A device as its schedules see it.
#pragma once

#include <inlay/tile/cuda/runtime/error.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Device properties that schedules depend on.
struct Device {
    int index = 0;
    int major = 0, minor = 0;       ///< compute capability
    int multiprocessors = 0;
    int shared_bytes = 0;           ///< of a block, at most
    std::size_t l2_bytes = 0;

    static Device of(int index) {
        Device d;
        d.index = index;
        const auto get = [&](cudaDeviceAttr a) {
            int v = 0;
            check(cudaDeviceGetAttribute(&v, a, index), "cudaDeviceGetAttribute");
            return v;
        };
        d.major = get(cudaDevAttrComputeCapabilityMajor);
        d.minor = get(cudaDevAttrComputeCapabilityMinor);
        d.multiprocessors = get(cudaDevAttrMultiProcessorCount);
        d.shared_bytes = get(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        d.l2_bytes = static_cast<std::size_t>(get(cudaDevAttrL2CacheSize));
        return d;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
