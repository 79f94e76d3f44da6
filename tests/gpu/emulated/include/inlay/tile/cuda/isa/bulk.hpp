// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/bulk.hpp, emulated as on sm_90.
#pragma once

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/lanes.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline constexpr int copy_arrivals = 1;

inline void fence_copy_barriers() {}
template <class To, class From>
void copy_rows(std::uint32_t bar, int rows, int bytes, const To& to, const From& from) {
    if (lane_index() == 0) barrier_expect(bar, static_cast<std::uint32_t>(rows * bytes));
    warp_sync();
    for (int r = lane_index(); r < rows; r += warp_size)
        emulator::copy_span(to(r), from(r), static_cast<std::uint32_t>(bytes), bar);
}
inline bool barrier_test(std::uint32_t bar, std::uint32_t parity) {
    return barrier_try_wait(bar, parity);
}
inline void fence_global_for_engines() {}
/// A thousand at each look, so that a wait that never ends is bounded here, too.
inline long long clocks() {
    static long long now = 0;
    return now += 1000;
}
inline void spend_clocks(long long) {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
