// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/tma.hpp, emulated.
#pragma once

#include <inlay/tile/cuda/isa/copy.hpp>

#include <emulator/hopper.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

using TensorMap = CUtensorMap;

inline bool elect_thread() { return threadIdx.x % 32 == 0; }
inline void prefetch_map(const TensorMap&) {}
inline void copy_box(std::uint32_t to, const TensorMap& map, std::uint32_t bar, int c0, int c1, int c2, int c3) {
    emulator::copy_box(to, map, bar, 4, {c0, c1, c2, c3, 0}, nullptr);
}
inline void copy_box(std::uint32_t to, const TensorMap& map, std::uint32_t bar, int c0, int c1, int c2, int c3,
                     int c4) {
    emulator::copy_box(to, map, bar, 5, {c0, c1, c2, c3, c4}, nullptr);
}
inline void copy_pixels(std::uint32_t to, const TensorMap& map, std::uint32_t bar, int channel, int x, int y, int image,
                        std::uint16_t right, std::uint16_t down) {
    const std::uint16_t offsets[] = {right, down};
    emulator::copy_box(to, map, bar, 4, {channel, x, y, image, 0}, offsets);
}
inline void copy_to_block(std::uint32_t to, std::uint32_t from, std::uint32_t bytes, std::uint32_t bar,
                          std::uint32_t rank) {
    emulator::copy_to_block(to, from, bytes, bar, rank);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
