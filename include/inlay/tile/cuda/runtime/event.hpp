// SPDX-License-Identifier: Apache-2.0
/// An event: a point in a stream's work, for waiting and for measuring time.
#pragma once

#include <inlay/tile/cuda/runtime/device.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

class Event {
public:
    explicit Event(int device) {
        const OnDevice here(device);
        check(cudaEventCreate(&event_), "cudaEventCreate");
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { cudaEventDestroy(event_); }

    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
    /// Waits until the work before the last `record` is done; returns at once if there was none.
    void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
    /// Both must have been recorded and waited for.
    double seconds_since(const Event& earlier) const {
        float ms = 0;
        check(cudaEventElapsedTime(&ms, earlier.event_, event_), "cudaEventElapsedTime");
        return static_cast<double>(ms) * 1e-3;
    }
    cudaEvent_t get() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
