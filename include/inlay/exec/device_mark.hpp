// SPDX-License-Identifier: Apache-2.0
/// A moment in the work of a GPU's stream: `HostMark` for a target that works while the host goes on.
#pragma once

#include <inlay/tile/cuda/runtime/event.hpp>

namespace inlay::inline INLAY_ABI {

class DeviceMark {
public:
    static constexpr bool ahead = true;

    template <class Target>
    explicit DeviceMark(Target& target) : event_(target.device().index), stream_(target.stream()) {}
    void set() { event_.record(stream_); }
    void wait() const { event_.wait(); }
    /// Both were set and waited for.
    double seconds_since(const DeviceMark& earlier) const { return event_.seconds_since(earlier.event_); }

private:
    on_gpu::Event event_;
    cudaStream_t stream_;
};

}  // namespace inlay::inline INLAY_ABI
