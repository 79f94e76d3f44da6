// SPDX-License-Identifier: Apache-2.0
/// The calls of the runtime. Work of a stream is done when the call returns, unless the stream captures.
#include "launch.hpp"
#include "memory.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

struct CUgraphNode_st {
    cudaGraphNodeType type;
    std::function<cudaError_t()> work;
};
struct CUgraph_st {
    std::vector<CUgraphNode_st> nodes;
};
struct CUgraphExec_st {
    std::vector<CUgraphNode_st> nodes;
};
struct CUstream_st {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CUgraph_st graph;
};
struct CUevent_st {
    std::chrono::steady_clock::time_point at;
};

namespace {

thread_local std::string sentence;
thread_local cudaError_t last = cudaSuccess;

cudaError_t say(cudaError_t code) {
    if (code != cudaSuccess) last = code;
    return code;
}
/// Does it, or keeps it for the graph.
cudaError_t enqueue(cudaStream_t s, cudaGraphNodeType type, std::function<cudaError_t()> work) {
    if (!s || s->status == cudaStreamCaptureStatusNone) return say(work());
    if (s->status == cudaStreamCaptureStatusInvalidated) return say(cudaErrorStreamCaptureInvalidated);
    s->graph.nodes.push_back({type, std::move(work)});
    return cudaSuccess;
}
/// Refuses calls that must not happen while a stream captures.
cudaError_t outside_of_capture(cudaStream_t s) {
    if (!s || s->status == cudaStreamCaptureStatusNone) return cudaSuccess;
    s->status = cudaStreamCaptureStatusInvalidated;
    return say(cudaErrorStreamCaptureUnsupported);
}

std::mutex attributes_mutex;
std::unordered_map<const void*, std::size_t> dynamic_limits;  // of kernels that may have more than all

std::unordered_map<const void*, emulator::BindArguments> kernels;

std::size_t dynamic_limit(const void* kernel) {
    const std::lock_guard lock(attributes_mutex);
    const auto i = dynamic_limits.find(kernel);
    return i == dynamic_limits.end() ? emulator::DeviceFacts::shared_unasked : i->second;
}

constinit bool sm90a = false;

bool on_device(const void* p, std::size_t bytes) { return bytes == 0 || emulator::is_allocated(p, bytes); }

}  // namespace

#if defined(__HIP__)
#define EMULATOR_ERROR(cuda, hip) \
    case cuda: return #hip
#else
#define EMULATOR_ERROR(cuda, hip) \
    case cuda: return #cuda
#endif
const char* cudaGetErrorName(cudaError_t e) {
    switch (e) {
        EMULATOR_ERROR(cudaSuccess, hipSuccess);
        EMULATOR_ERROR(cudaErrorMemoryAllocation, hipErrorOutOfMemory);
        EMULATOR_ERROR(cudaErrorInvalidDevice, hipErrorInvalidDevice);
        EMULATOR_ERROR(cudaErrorLaunchFailure, hipErrorLaunchFailure);
        EMULATOR_ERROR(cudaErrorCooperativeLaunchTooLarge, hipErrorCooperativeLaunchTooLarge);
        EMULATOR_ERROR(cudaErrorStreamCaptureUnsupported, hipErrorStreamCaptureUnsupported);
        EMULATOR_ERROR(cudaErrorStreamCaptureInvalidated, hipErrorStreamCaptureInvalidated);
        EMULATOR_ERROR(cudaErrorInvalidDeviceFunction, hipErrorInvalidDeviceFunction);
        EMULATOR_ERROR(cudaErrorInvalidValue, hipErrorInvalidValue);
        default: return "an error of another name";
    }
}
#undef EMULATOR_ERROR
const char* cudaGetErrorString(cudaError_t e) {
    return e == cudaErrorLaunchFailure ? sentence.c_str() : cudaGetErrorName(e);
}
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
cudaError_t cudaGetDevice(int* d) { return *d = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int d) { return say(d == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaGetDeviceCount(int* n) { return *n = 1, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* v) { return *v = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* v) { return *v = 13000, cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* v, cudaDeviceAttr a, int device) {
    using F = emulator::DeviceFacts;
    if (device != 0) return say(cudaErrorInvalidDevice);
    switch (a) {
        case cudaDevAttrMultiProcessorCount: *v = F::multiprocessors; break;
        case cudaDevAttrL2CacheSize: *v = F::l2_bytes; break;
        case cudaDevAttrComputeCapabilityMajor: *v = F::major; break;
        case cudaDevAttrComputeCapabilityMinor: *v = F::minor; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = F::shared_bytes; break;
    }
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
    std::strcpy(p->name, "emulator");
    return cudaSuccess;
}

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
    *p = bytes ? emulator::allocate(bytes) : nullptr;
    return say(*p || !bytes ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* p) { return say(!p || emulator::release(p) ? cudaSuccess : cudaErrorInvalidValue); }
cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
    *p = std::malloc(bytes);
    return say(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* p) { return std::free(p), cudaSuccess; }
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *total = emulator::device_bytes;
    *free = *total - emulator::allocated_bytes();
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t s) {
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return enqueue(s, cudaGraphNodeTypeMemcpy, [=] {
        if ((to_device && !on_device(to, bytes)) || (from_device && !on_device(from, bytes)))
            return cudaErrorInvalidValue;
        if (bytes) std::memmove(to, from, bytes);
        return cudaSuccess;
    });
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t s) {
    return enqueue(s, cudaGraphNodeTypeMemset, [=] {
        if (!on_device(p, bytes)) return cudaErrorInvalidValue;
        if (bytes) std::memset(p, value, bytes);
        return cudaSuccess;
    });
}
cudaError_t cudaMemset(void* p, int value, std::size_t bytes) { return cudaMemsetAsync(p, value, bytes, nullptr); }

cudaError_t cudaStreamCreate(cudaStream_t* s) { return *s = new CUstream_st, cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) { return cudaStreamCreate(s); }
cudaError_t cudaStreamDestroy(cudaStream_t s) { return delete s, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t s) { return outside_of_capture(s); }
cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
    return *status = s ? s->status : cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
    if (!s || s->status != cudaStreamCaptureStatusNone) return say(cudaErrorStreamCaptureUnsupported);
    s->status = cudaStreamCaptureStatusActive;
    s->graph.nodes.clear();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* graph) {
    const auto before = std::exchange(s->status, cudaStreamCaptureStatusNone);
    *graph = nullptr;
    if (before != cudaStreamCaptureStatusActive) return say(cudaErrorStreamCaptureInvalidated);
    *graph = new CUgraph_st(std::move(s->graph));
    s->graph = {};
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t* nodes, std::size_t* n) {
    if (nodes)
        for (std::size_t i = 0; i < *n && i < g->nodes.size(); ++i) nodes[i] = &g->nodes[i];
    return *n = g->nodes.size(), cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return *type = node->type, cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* e, cudaGraph_t g, unsigned long long) {
    return *e = new CUgraphExec_st{g->nodes}, cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s) {
    if (const cudaError_t bad = outside_of_capture(s)) return bad;
    for (const auto& node : e->nodes)
        if (const cudaError_t bad = node.work()) return say(bad);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) { return delete g, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { return delete e, cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* e) { return *e = new CUevent_st, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t e) { return delete e, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) {
    return e->at = std::chrono::steady_clock::now(), cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
    return *ms = std::chrono::duration<float, std::milli>(b->at - a->at).count(), cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void*) {
    // Threads of `engine_probe`; no other kernel's are read.
    return *a = {0, sm90a ? 64 : 1024, 32, 90}, cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int bytes) {
    if (bytes < 0 || bytes > emulator::DeviceFacts::shared_bytes) return say(cudaErrorInvalidValue);
    const std::lock_guard lock(attributes_mutex);
    dynamic_limits[kernel] = static_cast<std::size_t>(bytes);
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void*, int threads, std::size_t shared) {
    return *n = emulator::resident_blocks(threads, shared), cudaSuccess;
}

void emulator::add_kernel(const void* kernel, BindArguments bind) {
    const std::lock_guard lock(attributes_mutex);
    kernels.insert({kernel, bind});
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
    emulator::BindArguments bind = nullptr;
    {
        const std::lock_guard lock(attributes_mutex);
        const auto found = kernels.find(kernel);
        if (found == kernels.end()) return say(cudaErrorInvalidDeviceFunction);
        bind = found->second;
    }
    return emulator::launch(*config, kernel, bind(kernel, arguments));
}

void emulator::image_is_sm90a() { sm90a = true; }

cudaError_t emulator::launch(const cudaLaunchConfig_t& c, const void* kernel, std::function<void()> thread) {
    const unsigned threads = c.blockDim.x * c.blockDim.y * c.blockDim.z,
                   blocks = c.gridDim.x * c.gridDim.y * c.gridDim.z;
    if (threads == 0 || threads > 1024 || blocks == 0 || c.dynamicSmemBytes > dynamic_limit(kernel))
        return say(cudaErrorInvalidValue);
    unsigned cluster = 1;
    bool overlaps = false;
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        const auto& a = c.attrs[i];
        if (a.id == cudaLaunchAttributeClusterDimension) {
            cluster = a.val.clusterDim.x;  // along x alone
            if (cluster == 0 || cluster > 8 || c.gridDim.x % cluster || a.val.clusterDim.y * a.val.clusterDim.z != 1)
                return say(cudaErrorInvalidValue);
        }
        if (a.id == cudaLaunchAttributeProgrammaticStreamSerialization)
            overlaps = a.val.programmaticStreamSerializationAllowed != 0;
        if (a.id == cudaLaunchAttributeCooperative && a.val.cooperative &&
            static_cast<int>(blocks) >
                DeviceFacts::multiprocessors * resident_blocks(static_cast<int>(threads), c.dynamicSmemBytes))
            return say(cudaErrorCooperativeLaunchTooLarge);
    }
    return enqueue(c.stream, cudaGraphNodeTypeKernel,
                   [=, grid = c.gridDim, block = c.blockDim, shared = c.dynamicSmemBytes] {
                       sentence = run_grid(name_of_kernel(kernel), grid, block, shared, cluster, overlaps, thread);
                       return sentence.empty() ? cudaSuccess : cudaErrorLaunchFailure;
                   });
}
