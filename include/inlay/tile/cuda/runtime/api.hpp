// SPDX-License-Identifier: Apache-2.0
/// CUDA's runtime under the names that `tile/gpu/runtime/` uses of a vendor: handles, and calls that are checked.
#pragma once

#include <inlay/tile/cuda/runtime/error.hpp>

#include <cstddef>
#include <vector>

namespace inlay::inline INLAY_ABI::on_gpu {

using Stream = cudaStream_t;
using EventHandle = cudaEvent_t;
using GraphHandle = cudaGraph_t;
using GraphExecHandle = cudaGraphExec_t;

}  // namespace inlay::inline INLAY_ABI::on_gpu

/// Calls named `end_…` report nothing: destructors make them.
namespace inlay::inline INLAY_ABI::on_gpu::api {

inline constexpr char vendor[] = "CUDA";

inline int current_device() {
    int index = 0;
    check(cudaGetDevice(&index), "cudaGetDevice");
    return index;
}
inline void make_current(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }
inline void end_current(int device_before) { cudaSetDevice(device_before); }

/// Null where the device has too little memory.
inline void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return nullptr;
    }
    check(code, "cudaMalloc");
    return memory;
}
inline void end_memory(void* memory) { cudaFree(memory); }
/// Of the host, for copies that do not wait.
inline void* allocate_pinned(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
    return memory;
}
inline void end_pinned(void* memory) { cudaFreeHost(memory); }
/// Bytes of the current device's memory.
struct MemorySize {
    std::size_t free = 0, total = 0;
};
inline MemorySize memory_size() {
    MemorySize s;
    check(cudaMemGetInfo(&s.free, &s.total), "cudaMemGetInfo");
    return s;
}

inline void zero(void* to, std::size_t bytes, Stream stream) {
    check(cudaMemsetAsync(to, 0, bytes, stream), "cudaMemsetAsync");
}
inline void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
}
inline void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
}
inline void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
}
/// From memory of the host or of a device.
inline void copy_from_any(void* to, const void* from, std::size_t bytes, Stream stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

/// One that does not wait for the default stream.
inline Stream new_stream() {
    Stream stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return stream;
}
inline void end_stream(Stream stream) { cudaStreamDestroy(stream); }
inline void synchronize(Stream stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

inline EventHandle new_event() {
    EventHandle event = nullptr;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return event;
}
inline void end_event(EventHandle event) { cudaEventDestroy(event); }
inline void record(EventHandle event, Stream stream) { check(cudaEventRecord(event, stream), "cudaEventRecord"); }
inline void wait(EventHandle event) { check(cudaEventSynchronize(event), "cudaEventSynchronize"); }
inline void end_wait(EventHandle event) { cudaEventSynchronize(event); }
inline float milliseconds(EventHandle from, EventHandle to) {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, from, to), "cudaEventElapsedTime");
    return ms;
}

inline bool captures(Stream stream) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream, &capture), "cudaStreamIsCapturing");
    return capture != cudaStreamCaptureStatusNone;
}
/// Records all that the calling thread launches on the stream from here on.
inline void begin_capture(Stream stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}
inline GraphHandle captured(Stream stream) {
    GraphHandle graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    return graph;
}
/// Leaves the stream as it was before the capture.
inline void end_capture(Stream stream) {
    GraphHandle graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
}
inline std::size_t kernels_of(GraphHandle graph) {
    std::size_t n = 0;
    check(cudaGraphGetNodes(graph, nullptr, &n), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(n);
    if (n > 0) check(cudaGraphGetNodes(graph, nodes.data(), &n), "cudaGraphGetNodes");
    std::size_t kernels = 0;
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
        kernels += type == cudaGraphNodeTypeKernel;
    }
    return kernels;
}
inline GraphExecHandle instantiate(GraphHandle graph) {
    GraphExecHandle exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
    return exec;
}
/// Makes the first launch as short as the next.
inline void upload(GraphExecHandle exec, Stream stream) { check(cudaGraphUpload(exec, stream), "cudaGraphUpload"); }
inline void launch(GraphExecHandle exec, Stream stream) { check(cudaGraphLaunch(exec, stream), "cudaGraphLaunch"); }
inline void end_graph(GraphHandle graph) { cudaGraphDestroy(graph); }
inline void end_graph(GraphExecHandle exec) { cudaGraphExecDestroy(exec); }

}  // namespace inlay::inline INLAY_ABI::on_gpu::api
