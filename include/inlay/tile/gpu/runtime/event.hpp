// SPDX-License-Identifier: Apache-2.0
/// An event: a point in a stream's work, for waiting and for measuring time.
#pragma once

#include <inlay/tile/gpu/runtime/on_device.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

class Event {
public:
    explicit Event(int device) {
        const OnDevice here(device);
        event_ = api::new_event();
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { api::end_event(event_); }

    void record(Stream stream) { api::record(event_, stream); }
    /// Waits until the work before the last `record` is done; returns at once if there was none.
    void wait() const { api::wait(event_); }
    /// Both must have been recorded and waited for.
    double seconds_since(const Event& earlier) const {
        return static_cast<double>(api::milliseconds(earlier.event_, event_)) * 1e-3;
    }
    EventHandle get() const { return event_; }

private:
    EventHandle event_ = nullptr;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
