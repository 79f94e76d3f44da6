// SPDX-License-Identifier: Apache-2.0
/// A prepared kernel whatever its type, for targets that plan it: they keep what they planned by its identity.
#pragma once

#include <inlay/core/config.hpp>

#include <atomic>
#include <cstdint>

namespace inlay::inline INLAY_ABI::detail {

/// A number that this has given to nothing else; from any thread.
INLAY_OUTLINE std::uint64_t new_identity() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// A kernel and the target that it is to be launched on. `frame` runs it there as on a target that plans nothing.
struct AnyPrepared {
    std::uint64_t identity;
    const void* kernel;
    void* target;
    void (*frame)(const void* kernel, void* target);
    void operator()() const { frame(kernel, target); }
};

}  // namespace inlay::inline INLAY_ABI::detail
