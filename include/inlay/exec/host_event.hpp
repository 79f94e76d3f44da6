// SPDX-License-Identifier: Apache-2.0
/// An event in the work of a target, for waiting and for measuring time.
#pragma once

#include <inlay/core/config.hpp>

#include <chrono>

namespace inlay::inline INLAY_ABI {

/// The event of a target whose work is done when the call returns.
class HostEvent {
public:
    /// True if work from before the event may still be under way.
    static constexpr bool ahead = false;

    template <class Target>
    explicit HostEvent(Target&) {}
    void set() { at_ = Clock::now(); }
    void wait() const {}
    double seconds_since(const HostEvent& earlier) const {
        return std::chrono::duration<double>(at_ - earlier.at_).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point at_;
};

}  // namespace inlay::inline INLAY_ABI
