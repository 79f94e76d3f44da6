// SPDX-License-Identifier: Apache-2.0
/// The part of HIP's runtime that Inlay uses: the emulator has one runtime, and these are its calls under HIP's names.
#pragma once

#include <cuda_runtime_api.h>

#define HIP_VERSION 60000000

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipGraphNode_t = cudaGraphNode_t;
using hipGraphNodeType = cudaGraphNodeType;
using hipMemcpyKind = cudaMemcpyKind;
using hipStreamCaptureStatus = cudaStreamCaptureStatus;
using hipStreamCaptureMode = cudaStreamCaptureMode;

inline constexpr hipError_t hipSuccess = cudaSuccess, hipErrorInvalidValue = cudaErrorInvalidValue,
                            hipErrorOutOfMemory = cudaErrorMemoryAllocation,
                            hipErrorInsufficientDriver = cudaErrorInsufficientDriver,
                            hipErrorInvalidDeviceFunction = cudaErrorInvalidDeviceFunction,
                            hipErrorNoDevice = cudaErrorNoDevice, hipErrorInvalidDevice = cudaErrorInvalidDevice,
                            hipErrorInvalidImage = static_cast<hipError_t>(200),
                            hipErrorNoBinaryForGpu = cudaErrorNoKernelImageForDevice,
                            hipErrorLaunchFailure = cudaErrorLaunchFailure,
                            hipErrorCooperativeLaunchTooLarge = cudaErrorCooperativeLaunchTooLarge,
                            hipErrorStreamCaptureUnsupported = cudaErrorStreamCaptureUnsupported,
                            hipErrorStreamCaptureInvalidated = cudaErrorStreamCaptureInvalidated;
inline constexpr hipMemcpyKind hipMemcpyHostToHost = cudaMemcpyHostToHost,
                               hipMemcpyHostToDevice = cudaMemcpyHostToDevice,
                               hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost,
                               hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice,
                               hipMemcpyDefault = cudaMemcpyDefault;
inline constexpr hipStreamCaptureStatus hipStreamCaptureStatusNone = cudaStreamCaptureStatusNone,
                                        hipStreamCaptureStatusActive = cudaStreamCaptureStatusActive,
                                        hipStreamCaptureStatusInvalidated = cudaStreamCaptureStatusInvalidated;
inline constexpr hipStreamCaptureMode hipStreamCaptureModeGlobal = cudaStreamCaptureModeGlobal,
                                      hipStreamCaptureModeThreadLocal = cudaStreamCaptureModeThreadLocal,
                                      hipStreamCaptureModeRelaxed = cudaStreamCaptureModeRelaxed;
inline constexpr hipGraphNodeType hipGraphNodeTypeKernel = cudaGraphNodeTypeKernel,
                                  hipGraphNodeTypeMemcpy = cudaGraphNodeTypeMemcpy,
                                  hipGraphNodeTypeMemset = cudaGraphNodeTypeMemset;
inline constexpr unsigned hipStreamNonBlocking = cudaStreamNonBlocking, hipHostMallocDefault = 0;

struct hipDeviceProp_t {
    char name[256], gcnArchName[256];
    int multiProcessorCount, warpSize, l2CacheSize;
    std::size_t sharedMemPerBlock;
};
struct hipFuncAttributes {
    std::size_t sharedSizeBytes;
    int maxThreadsPerBlock, numRegs, binaryVersion;
};
/// The device of the build: an MI300X or a Radeon RX 7900 XTX, but small.
hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int device);

inline const char* hipGetErrorString(hipError_t e) { return cudaGetErrorString(e); }
inline const char* hipGetErrorName(hipError_t e) { return cudaGetErrorName(e); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline hipError_t hipGetDevice(int* d) { return cudaGetDevice(d); }
inline hipError_t hipSetDevice(int d) { return cudaSetDevice(d); }
inline hipError_t hipGetDeviceCount(int* n) { return cudaGetDeviceCount(n); }
inline hipError_t hipDriverGetVersion(int* v) { return *v = HIP_VERSION, hipSuccess; }
inline hipError_t hipRuntimeGetVersion(int* v) { return *v = HIP_VERSION, hipSuccess; }
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }

inline hipError_t hipMalloc(void** p, std::size_t n) { return cudaMalloc(p, n); }
template <class T>
hipError_t hipMalloc(T** p, std::size_t n) {
    return cudaMalloc(reinterpret_cast<void**>(p), n);
}
inline hipError_t hipFree(void* p) { return cudaFree(p); }
inline hipError_t hipHostMalloc(void** p, std::size_t n, unsigned = 0) { return cudaMallocHost(p, n); }
inline hipError_t hipHostFree(void* p) { return cudaFreeHost(p); }
inline hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) { return cudaMemGetInfo(free, total); }
inline hipError_t hipMemcpy(void* to, const void* from, std::size_t n, hipMemcpyKind k) {
    return cudaMemcpy(to, from, n, k);
}
inline hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t n, hipMemcpyKind k, hipStream_t s = nullptr) {
    return cudaMemcpyAsync(to, from, n, k, s);
}
inline hipError_t hipMemset(void* p, int value, std::size_t n) { return cudaMemset(p, value, n); }
inline hipError_t hipMemsetAsync(void* p, int value, std::size_t n, hipStream_t s = nullptr) {
    return cudaMemsetAsync(p, value, n, s);
}

inline hipError_t hipStreamCreate(hipStream_t* s) { return cudaStreamCreate(s); }
inline hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned f) { return cudaStreamCreateWithFlags(s, f); }
inline hipError_t hipStreamDestroy(hipStream_t s) { return cudaStreamDestroy(s); }
inline hipError_t hipStreamSynchronize(hipStream_t s) { return cudaStreamSynchronize(s); }
inline hipError_t hipStreamIsCapturing(hipStream_t s, hipStreamCaptureStatus* c) { return cudaStreamIsCapturing(s, c); }
inline hipError_t hipStreamBeginCapture(hipStream_t s, hipStreamCaptureMode m) { return cudaStreamBeginCapture(s, m); }
inline hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t* g) { return cudaStreamEndCapture(s, g); }
inline hipError_t hipGraphGetNodes(hipGraph_t g, hipGraphNode_t* n, std::size_t* count) {
    return cudaGraphGetNodes(g, n, count);
}
inline hipError_t hipGraphNodeGetType(hipGraphNode_t n, hipGraphNodeType* t) { return cudaGraphNodeGetType(n, t); }
inline hipError_t hipGraphInstantiate(hipGraphExec_t* e, hipGraph_t g, hipGraphNode_t*, char*, std::size_t) {
    return cudaGraphInstantiate(e, g, 0);
}
inline hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* e, hipGraph_t g, unsigned long long f) {
    return cudaGraphInstantiate(e, g, f);
}
inline hipError_t hipGraphUpload(hipGraphExec_t e, hipStream_t s) { return cudaGraphUpload(e, s); }
inline hipError_t hipGraphLaunch(hipGraphExec_t e, hipStream_t s) { return cudaGraphLaunch(e, s); }
inline hipError_t hipGraphDestroy(hipGraph_t g) { return cudaGraphDestroy(g); }
inline hipError_t hipGraphExecDestroy(hipGraphExec_t e) { return cudaGraphExecDestroy(e); }
inline hipError_t hipEventCreate(hipEvent_t* e) { return cudaEventCreate(e); }
inline hipError_t hipEventDestroy(hipEvent_t e) { return cudaEventDestroy(e); }
inline hipError_t hipEventRecord(hipEvent_t e, hipStream_t s = nullptr) { return cudaEventRecord(e, s); }
inline hipError_t hipEventSynchronize(hipEvent_t e) { return cudaEventSynchronize(e); }
inline hipError_t hipEventElapsedTime(float* ms, hipEvent_t a, hipEvent_t b) { return cudaEventElapsedTime(ms, a, b); }

inline hipError_t hipFuncGetAttributes(hipFuncAttributes* a, const void*) { return *a = {0, 1024, 32, 0}, hipSuccess; }
/// HIP has no such overload: the emulator keeps the types of the kernel's parameters, which its address does not say.
template <class... P>
hipError_t hipFuncGetAttributes(hipFuncAttributes* a, void (*kernel)(P...)) {
    const auto address = reinterpret_cast<const void*>(kernel);
    emulator::add_kernel(address, emulator::bind_arguments<P...>);
    return hipFuncGetAttributes(a, address);
}
template <class F>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* n, F* kernel, int threads, std::size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, reinterpret_cast<const void*>(kernel), threads, shared);
}
/// Of a kernel whose attributes were asked for.
inline hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                  hipStream_t s) {
    const cudaLaunchConfig_t config{grid, block, shared, s, nullptr, 0};
    return cudaLaunchKernelExC(&config, kernel, arguments);
}
/// An error in a capture, where runtimes of ROCm (6.2) run the kernel at once.
inline hipError_t hipLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                             unsigned shared, hipStream_t s) {
    cudaStreamCaptureStatus capture{};
    if (cudaStreamIsCapturing(s, &capture); capture != cudaStreamCaptureStatusNone)
        return cudaErrorStreamCaptureUnsupported;
    cudaLaunchAttribute cooperative{cudaLaunchAttributeCooperative, {1}};
    const cudaLaunchConfig_t config{grid, block, shared, s, &cooperative, 1};
    return cudaLaunchKernelExC(&config, kernel, arguments);
}
