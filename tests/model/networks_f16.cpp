// SPDX-License-Identifier: Apache-2.0
#include "networks_on_host.hpp"

namespace inlay_test {

std::unique_ptr<Networks> networks_f16(const inlay::io::Checkpoint& files, int threads) {
    return std::make_unique<HostNetworks<inlay::half>>(files, threads);
}

}  // namespace inlay_test
