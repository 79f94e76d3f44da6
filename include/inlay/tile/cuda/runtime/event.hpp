// SPDX-License-Identifier: Apache-2.0
/// A point in a stream's work: to wait for, and to measure the time from another one to it.
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
    /// Until the work before the last `record` is done; at once where there was none.
    void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
    /// Both were recorded and waited for.
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
