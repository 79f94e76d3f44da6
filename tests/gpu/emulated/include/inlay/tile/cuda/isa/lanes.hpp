// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/lanes.hpp, emulated.
#pragma once

#include <inlay/core/config.hpp>

#include <emulator/lanes.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline constexpr int warp_size = 32;
inline constexpr int narrowest_warp = 32;

namespace detail {
inline constexpr unsigned whole_warp = ~0u;
}

using LaneFlag = bool;
inline void keep_in_lanes(LaneFlag&) {}

inline int lane_index() { return emulator::lane(); }
inline int warp_index() { return emulator::thread_number() / warp_size; }

template <class T>
T shuffle(T x, int from) {
    return emulator::shuffle("shuffle", detail::whole_warp, x, from);
}
template <class T>
T shuffle_xor(T x, int by) {
    return emulator::shuffle("shuffle_xor", detail::whole_warp, x, emulator::lane() ^ by);
}
template <class T>
T warp_uniform(T x) {
    return emulator::uniform("warp_uniform", detail::whole_warp, x);
}

inline bool any_lane(bool x) { return emulator::combined<emulator::Or>("any_lane", detail::whole_warp, x) != 0; }
inline bool all_lanes(bool x) { return emulator::combined<emulator::And>("all_lanes", detail::whole_warp, x) != 0; }

inline int least_of_lanes(int x) {
    using Least = emulator::Least<int>;
    return static_cast<int>(
        emulator::combined<Least>("least_of_lanes", detail::whole_warp, static_cast<unsigned>(x)));
}
inline unsigned bits_of_lanes(unsigned x) {
    return emulator::combined<emulator::Or>("bits_of_lanes", detail::whole_warp, x);
}

inline void warp_sync() { emulator::combined<emulator::Or>("warp_sync", detail::whole_warp, 0); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
