// SPDX-License-Identifier: Apache-2.0
#include "executors.hpp"

#include <inlay/tile/cuda/runtime/devices.hpp>

std::string cuda_fault(int device) {
    try {
        inlay::on_gpu::usable_device(device);
        return "";
    } catch (const inlay::Error& e) {
        const std::string what = e.what();
        return what.starts_with("inlay: ") ? what.substr(7) : what;
    }
}

std::string cuda_name(int device) {
    const inlay::on_gpu::Device d = inlay::on_gpu::usable_device(device);
    const bool hopper = inlay::on_gpu::engine(d) == inlay::on_gpu::Engine::sm90a;
    return inlay::on_gpu::name_of(d) + " (sm_" + std::to_string(10 * d.major + d.minor) + "), " +
           (hopper ? "wgmma and mma.sync, from sm_90a code" : "mma.sync (portable), no sm_90a code in this binary");
}

std::string cuda_target(int device) {
    const inlay::on_gpu::Device d = inlay::on_gpu::usable_device(device);
    return d.major < 9 ? "sm_80" : inlay::on_gpu::engine(d) == inlay::on_gpu::Engine::sm90a ? "sm_90a" : "sm_90";
}
