// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/ptx/cluster.hpp, emulated.
#pragma once

#include <inlay/core/config.hpp>

#include <emulator/hopper.hpp>

namespace inlay::inline INLAY_ABI::cuda {

inline void send_to_block(std::uint32_t to, std::uint64_t word, std::uint32_t bar, std::uint32_t rank) {
    emulator::send_to_block(to, word, bar, rank);
}

}  // namespace inlay::inline INLAY_ABI::cuda
