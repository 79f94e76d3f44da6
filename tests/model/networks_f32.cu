// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/graph.hpp>

#include "networks_on.hpp"

namespace inlay_test {

const bool networks_on_gpu = true;

std::unique_ptr<Networks> networks_f32(const inlay::io::Checkpoint& files, int which) {
    return std::make_unique<NetworksOn<float, inlay::Cuda>>(files, which);
}

std::vector<StepKernel> sd15_step() {
    inlay::Cuda cuda;
    return sd15_step_on(cuda);
}

}  // namespace inlay_test
