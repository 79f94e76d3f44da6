// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executors.hpp"

#include <inlay/exec/graph.hpp>

#include "generate.hpp"

template <inlay::Storage T>
std::filesystem::path generate_on_gpu(const Options& options) {
    inlay::DeviceTarget gpu(options.gpu);
    return Generator<T, inlay::DeviceTarget>(gpu, options).generate([&] {
        const inlay::on_gpu::MemoryUse use = inlay::on_gpu::memory_use(gpu.device());
        std::ostringstream s;
        s << ", workspace " << (gpu.workspace_bytes() >> 20) << " MB; in use on the device " << (use.used >> 20)
          << " of " << (use.total >> 20) << " MB";
        return s.str();
    });
}

inline std::vector<float> decode_f32_on_gpu(const Options& options, const std::vector<float>& latents) {
    inlay::DeviceTarget gpu(options.gpu);
    return decode<float>(gpu, options, latents);
}
