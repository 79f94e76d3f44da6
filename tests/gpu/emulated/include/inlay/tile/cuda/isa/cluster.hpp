// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/cluster.hpp, emulated.
#pragma once

#include <inlay/core/config.hpp>

#include <emulator/hopper.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline void send_to_block(std::uint32_t to, std::uint64_t word, std::uint32_t bar, std::uint32_t rank) {
    emulator::send_to_block(to, &word, 8, bar, rank);
}
inline void send_to_block(std::uint32_t to, float x, float y, float z, float w, std::uint32_t bar, std::uint32_t rank) {
    const float words[] = {x, y, z, w};
    emulator::send_to_block(to, words, 16, bar, rank);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
