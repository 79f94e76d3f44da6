// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/graph.hpp>
#include <inlay/exec/hip.hpp>

#include <model/networks_on.hpp>

namespace inlay_test {

std::unique_ptr<Networks> networks_f16(const inlay::io::Checkpoint& files, int which) {
    return std::make_unique<NetworksOn<inlay::fp16, inlay::Hip>>(files, which);
}
// Those of other types would cost as much again.
std::unique_ptr<Networks> networks_f32(const inlay::io::Checkpoint&, int) { return nullptr; }
std::unique_ptr<Networks> networks_bf16(const inlay::io::Checkpoint&, int) { return nullptr; }

}  // namespace inlay_test
