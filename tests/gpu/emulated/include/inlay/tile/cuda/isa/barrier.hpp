// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/barrier.hpp, emulated.
#pragma once

#include <inlay/tile/cuda/isa/block.hpp>
#include <inlay/tile/cuda/isa/copy.hpp>

#include <emulator/hopper.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline void barrier_init(std::uint32_t bar, int arrivals) { emulator::barrier_init(bar, arrivals); }
inline void fence_barriers() {}
inline void barrier_arrive(std::uint32_t bar) { emulator::barrier_arrive(bar, -1, 0); }
inline void barrier_expect(std::uint32_t bar, std::uint32_t bytes) { emulator::barrier_arrive(bar, -1, bytes); }
inline bool barrier_try_wait(std::uint32_t bar, std::uint32_t parity) { return emulator::barrier_test(bar, parity); }
inline void barrier_wait(std::uint32_t bar, std::uint32_t parity) {
    while (!barrier_try_wait(bar, parity)) {}
}

inline void fence_shared_for_engines() { emulator::fence_shared_for_engines(); }
inline void cluster_arrive() { emulator::cluster_arrive(); }
inline void cluster_wait() { emulator::cluster_wait(); }
inline void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}

template <int N>
void lower_registers() {
    static_assert(N % 8 == 0);
}
template <int N>
void raise_registers() {
    static_assert(N % 8 == 0);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
