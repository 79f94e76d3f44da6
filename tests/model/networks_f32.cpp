// SPDX-License-Identifier: Apache-2.0
#include "networks_on_host.hpp"

namespace inlay_test {

std::unique_ptr<Networks> networks_f32(const inlay::io::Checkpoint& files, int threads) {
    return std::make_unique<HostNetworks<float>>(files, threads);
}

std::vector<StepKernel> sd15_step() {
    inlay::Host host(1);
    const inlay::io::Weights* const none = nullptr;
    const inlay::model::Networks<float, inlay::Host> networks(host, {}, none, none, none);
    inlay::model::RunOptions options;
    options.schedule.steps.resize(1);
    const inlay::model::Pipeline<float, inlay::Host> pipeline(host, networks, options);
    std::vector<StepKernel> kernels;
    for (const auto& l : pipeline.step_program().launches()) kernels.push_back({l.layer, l.frame});
    return kernels;
}

}  // namespace inlay_test
