// SPDX-License-Identifier: Apache-2.0
#include "networks_on.hpp"

#include <inlay/exec/host.hpp>

namespace inlay_test {

const bool networks_on_gpu = false;

std::unique_ptr<Networks> networks_f32(const inlay::io::Checkpoint& files, int which) {
    return std::make_unique<NetworksOn<float, inlay::Host>>(files, which);
}

std::vector<StepKernel> sd15_step() {
    inlay::Host host(1);
    return sd15_step_on(host);
}

}  // namespace inlay_test
