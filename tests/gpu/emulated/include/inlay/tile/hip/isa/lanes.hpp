// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/lanes.hpp, emulated. The lanes that come together are those that the
/// block has: a shuffle may not read others. `least_of_lanes` would take those for 0.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

#include <emulator/lanes.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline constexpr int warp_size = emulator::warp_lanes;
inline constexpr int narrowest_warp = 32;

using LaneFlag = int;
inline void keep_in_lanes(LaneFlag&) {}

inline int lane_index() { return emulator::lane(); }
inline int warp_index() { return emulator::thread_number() / warp_size; }

template <class T>
T shuffle(T x, int from) {
    return emulator::shuffle("shuffle", emulator::lanes_there(), x, from);
}
template <class T>
T shuffle_xor(T x, int by) {
    return emulator::shuffle("shuffle_xor", emulator::lanes_there(), x, emulator::lane() ^ by);
}
template <class T>
T warp_uniform(T x) {
    return emulator::uniform("warp_uniform", emulator::lanes_there(), x);
}

inline bool any_lane(bool x) { return emulator::combined<emulator::Or>("any_lane", emulator::lanes_there(), x) != 0; }
inline bool all_lanes(bool x) {
    return emulator::combined<emulator::And>("all_lanes", emulator::lanes_there(), x) != 0;
}

inline int least_of_lanes(int x) {
    using Least = emulator::Least<int>;
    return static_cast<int>(
        emulator::combined<Least>("least_of_lanes", emulator::whole_warp, static_cast<unsigned>(x)));
}
inline unsigned bits_of_lanes(unsigned x) {
    return emulator::combined<emulator::Or>("bits_of_lanes", emulator::lanes_there(), x);
}

inline void warp_sync() { emulator::combined<emulator::Or>("warp_sync", emulator::lanes_there(), 0); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
