// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executors.hpp"

#include <inlay/exec/graph.hpp>

#include "generate.hpp"

template <inlay::Storage T>
std::filesystem::path generate_on_gpu(const Options& options) {
    using Gpu = inlay::DeviceTarget;
    Gpu gpu(options.gpu);
    std::function<std::function<void(Gpu&, const void*, void*, std::size_t)>()> connect;
    if (options.splits_guidance())
        connect = [&] {
            return [exchange = options.executors->connect(*options.ranks, options.gpu)](
                       Gpu& target, const void* mine, void* others, std::size_t bytes) {
                exchange(target.stream(), mine, others, bytes);
            };
        };
    return Generator<T, Gpu>(gpu, options, connect).generate([&] {
        const inlay::on_gpu::MemoryUse use = inlay::on_gpu::memory_use(gpu.device());
        std::ostringstream s;
        s << ", workspace " << (gpu.workspace_bytes() >> 20) << " MB; in use on the device " << (use.used >> 20)
          << " of " << (use.total >> 20) << " MB";
        return s.str();
    });
}

inline std::vector<float> decode_f32_on_gpu(const Options& options, int images, const std::vector<float>& latents) {
    inlay::DeviceTarget gpu(options.gpu);
    return decode<float>(gpu, options, images, latents);
}
