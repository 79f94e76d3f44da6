// SPDX-License-Identifier: Apache-2.0
#include "networks_on_host.hpp"

namespace inlay_test {

std::unique_ptr<Networks> networks_bf16(const inlay::io::Checkpoint& files, int threads) {
    return std::make_unique<HostNetworks<inlay::bf16>>(files, threads);
}

}  // namespace inlay_test
