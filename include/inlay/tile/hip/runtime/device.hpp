// SPDX-License-Identifier: Apache-2.0
/// A device as its schedules see it.
#pragma once

#include <inlay/tile/hip/runtime/error.hpp>

#include <cstddef>
#include <cstring>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Device properties that schedules depend on.
struct Device {
    int index = 0;
    char architecture[16] = {};     ///< "gfx942", without what follows a colon
    int warp = 0;                   ///< lanes of a wave
    int multiprocessors = 0;        ///< compute units; on gfx11 HIP counts pairs of them
    int shared_bytes = 0;           ///< LDS of a block, at most
    std::size_t l2_bytes = 0;

    static Device of(int index) {
        hipDeviceProp_t p;
        check(hipGetDeviceProperties(&p, index), "hipGetDeviceProperties");
        Device d;
        d.index = index;
        const char* const name = p.gcnArchName;
        const std::size_t letters = std::strcspn(name, ":");
        require(letters > 0 && letters < sizeof d.architecture, "HIP device ", index,
                " has an architecture of no known name: '", Text(name), "'");
        std::memcpy(d.architecture, name, letters);
        d.warp = p.warpSize;
        d.multiprocessors = p.multiProcessorCount;
        d.shared_bytes = static_cast<int>(p.sharedMemPerBlock);
        d.l2_bytes = static_cast<std::size_t>(p.l2CacheSize);
        return d;
    }
    bool is(const char* name) const { return std::strcmp(architecture, name) == 0; }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
