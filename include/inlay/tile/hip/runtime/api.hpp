// SPDX-License-Identifier: Apache-2.0
/// HIP's runtime under the names that `tile/gpu/runtime/` uses of a vendor: handles, and calls that are checked.
#pragma once

#include <inlay/tile/hip/runtime/error.hpp>

#include <cstddef>
#include <vector>

namespace inlay::inline INLAY_ABI::on_gpu {

using Stream = hipStream_t;
using EventHandle = hipEvent_t;
using GraphHandle = hipGraph_t;
using GraphExecHandle = hipGraphExec_t;

}  // namespace inlay::inline INLAY_ABI::on_gpu

/// Calls named `end_…` report nothing: destructors make them.
namespace inlay::inline INLAY_ABI::on_gpu::api {

inline constexpr char vendor[] = "HIP";

inline int current_device() {
    int index = 0;
    check(hipGetDevice(&index), "hipGetDevice");
    return index;
}
inline void make_current(int device) { check(hipSetDevice(device), "hipSetDevice"); }
inline void end_current(int device_before) { static_cast<void>(hipSetDevice(device_before)); }

/// Null where the device has too little memory.
inline void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    const hipError_t code = hipMalloc(&memory, bytes);
    if (code == hipErrorOutOfMemory) {
        forget_error();
        return nullptr;
    }
    check(code, "hipMalloc");
    return memory;
}
inline void end_memory(void* memory) { static_cast<void>(hipFree(memory)); }
/// Of the host, for copies that do not wait.
inline void* allocate_pinned(std::size_t bytes) {
    void* memory = nullptr;
    check(hipHostMalloc(&memory, bytes, hipHostMallocDefault), "hipHostMalloc");
    return memory;
}
inline void end_pinned(void* memory) { static_cast<void>(hipHostFree(memory)); }
/// Bytes of the current device's memory.
struct MemorySize {
    std::size_t free = 0, total = 0;
};
inline MemorySize memory_size() {
    MemorySize s;
    check(hipMemGetInfo(&s.free, &s.total), "hipMemGetInfo");
    return s;
}

inline void zero(void* to, std::size_t bytes, Stream stream) {
    check(hipMemsetAsync(to, 0, bytes, stream), "hipMemsetAsync");
}
inline void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream), "hipMemcpyAsync");
}
inline void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, stream), "hipMemcpyAsync");
}
inline void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream), "hipMemcpyAsync");
}
/// From memory of the host or of a device.
inline void copy_from_any(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, stream), "hipMemcpyAsync");
}

/// One that does not wait for the default stream.
inline Stream new_stream() {
    Stream stream = nullptr;
    check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "hipStreamCreateWithFlags");
    return stream;
}
inline void end_stream(Stream stream) { static_cast<void>(hipStreamDestroy(stream)); }
inline void synchronize(Stream stream) { check(hipStreamSynchronize(stream), "hipStreamSynchronize"); }

inline EventHandle new_event() {
    EventHandle event = nullptr;
    check(hipEventCreate(&event), "hipEventCreate");
    return event;
}
inline void end_event(EventHandle event) { static_cast<void>(hipEventDestroy(event)); }
inline void record(EventHandle event, Stream stream) { check(hipEventRecord(event, stream), "hipEventRecord"); }
inline void wait(EventHandle event) { check(hipEventSynchronize(event), "hipEventSynchronize"); }
inline void end_wait(EventHandle event) { static_cast<void>(hipEventSynchronize(event)); }
inline float milliseconds(EventHandle from, EventHandle to) {
    float ms = 0;
    check(hipEventElapsedTime(&ms, from, to), "hipEventElapsedTime");
    return ms;
}

inline bool captures(Stream stream) {
    hipStreamCaptureStatus capture = hipStreamCaptureStatusNone;
    check(hipStreamIsCapturing(stream, &capture), "hipStreamIsCapturing");
    return capture != hipStreamCaptureStatusNone;
}
/// Records all that the calling thread launches on the stream from here on.
inline void begin_capture(Stream stream) {
    check(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), "hipStreamBeginCapture");
}
inline GraphHandle captured(Stream stream) {
    GraphHandle graph = nullptr;
    check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
    return graph;
}
/// Leaves the stream as it was before the capture.
inline void end_capture(Stream stream) {
    GraphHandle graph = nullptr;
    static_cast<void>(hipStreamEndCapture(stream, &graph));
    if (graph) static_cast<void>(hipGraphDestroy(graph));
    forget_error();
}
inline std::size_t kernels_of(GraphHandle graph) {
    std::size_t n = 0;
    check(hipGraphGetNodes(graph, nullptr, &n), "hipGraphGetNodes");
    std::vector<hipGraphNode_t> nodes(n);
    if (n > 0) check(hipGraphGetNodes(graph, nodes.data(), &n), "hipGraphGetNodes");
    std::size_t kernels = 0;
    for (const hipGraphNode_t node : nodes) {
        hipGraphNodeType type;
        check(hipGraphNodeGetType(node, &type), "hipGraphNodeGetType");
        kernels += type == hipGraphNodeTypeKernel;
    }
    return kernels;
}
inline GraphExecHandle instantiate(GraphHandle graph) {
    GraphExecHandle exec = nullptr;
    check(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), "hipGraphInstantiate");
    return exec;
}
/// Makes the first launch as short as the next, where the runtime can: HIP 5.2 has no such call.
inline void upload([[maybe_unused]] GraphExecHandle exec, [[maybe_unused]] Stream stream) {
#if HIP_VERSION >= 60000000
    check(hipGraphUpload(exec, stream), "hipGraphUpload");
#endif
}
inline void launch(GraphExecHandle exec, Stream stream) { check(hipGraphLaunch(exec, stream), "hipGraphLaunch"); }
inline void end_graph(GraphHandle graph) { static_cast<void>(hipGraphDestroy(graph)); }
inline void end_graph(GraphExecHandle exec) { static_cast<void>(hipGraphExecDestroy(exec)); }

}  // namespace inlay::inline INLAY_ABI::on_gpu::api
