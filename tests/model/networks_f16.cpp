// SPDX-License-Identifier: Apache-2.0
#include "networks_on.hpp"

#include <inlay/exec/host.hpp>

namespace inlay_test {

std::unique_ptr<Networks> networks_f16(const inlay::io::Checkpoint& files, int which) {
    return std::make_unique<NetworksOn<inlay::fp16, inlay::Host>>(files, which);
}

}  // namespace inlay_test
