// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executors.hpp"

#include <inlay/exec/graph.hpp>

#include "generate.hpp"

template <inlay::Storage T>
std::filesystem::path generate_on_cuda(const Options& options) {
    inlay::Cuda cuda(options.cuda);
    return Generator<T, inlay::Cuda>(cuda, options).generate([&] {
        const inlay::on_gpu::MemoryUse use = inlay::on_gpu::memory_use(cuda.device());
        std::ostringstream s;
        s << ", workspace " << (cuda.workspace_bytes() >> 20) << " MB; in use on the device " << (use.used >> 20)
          << " of " << (use.total >> 20) << " MB";
        return s.str();
    });
}
