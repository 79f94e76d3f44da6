// SPDX-License-Identifier: Apache-2.0
/// An event in a GPU's stream: `HostEvent` for a target that works while the host goes on.
#pragma once

#include <inlay/tile/gpu/runtime/event.hpp>

namespace inlay::inline INLAY_ABI {

class DeviceEvent {
public:
    static constexpr bool ahead = true;

    template <class Target>
    explicit DeviceEvent(Target& target) : event_(target.device().index), stream_(target.stream()) {}
    void set() { event_.record(stream_); }
    void wait() const { event_.wait(); }
    /// Both events must have been set and waited for.
    double seconds_since(const DeviceEvent& earlier) const { return event_.seconds_since(earlier.event_); }

private:
    on_gpu::Event event_;
    on_gpu::Stream stream_;
};

}  // namespace inlay::inline INLAY_ABI
