// SPDX-License-Identifier: Apache-2.0
/// A moment in the work given to a target: to wait for, and to measure the time from another one to it.
#pragma once

#include <inlay/core/config.hpp>

#include <chrono>

namespace inlay::inline INLAY_ABI {

/// On a target whose work is done when it was given.
class HostEvent {
public:
    /// Whether work given before the mark may still be under way.
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
