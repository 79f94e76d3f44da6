// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/block.hpp, emulated.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

#include <emulator/machine.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class I = int>
I thread_index() {
    return static_cast<I>(emulator::thread_number());
}
template <class I = int>
I block_threads() {
    return static_cast<I>(blockDim.x);
}
template <class I = int>
I block_index() {
    return static_cast<I>(blockIdx.x);
}
inline int blocks_of_grid() { return static_cast<int>(gridDim.x); }

inline void block_sync() { emulator::barrier("block_sync", 0, 0, false); }
inline bool block_sync_all(bool x) {
    const auto votes = emulator::barrier("block_sync_all", 0, 0, x);
    return votes.yes == votes.all;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
