// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/graph.hpp>

#include "networks_on.hpp"

namespace inlay_test {

std::unique_ptr<Networks> networks_f16(const inlay::io::Checkpoint& files, int which) {
    return std::make_unique<NetworksOn<inlay::fp16, inlay::Cuda>>(files, which);
}

}  // namespace inlay_test
