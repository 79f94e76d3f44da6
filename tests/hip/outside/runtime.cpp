// SPDX-License-Identifier: Apache-2.0
/// HIP's runtime for the outside check: one device whose memory is the host's, and whose launches go to a function that
/// the driver script sets. Linked into the cases instead of libamdhip64. By itself it is a device of the architecture
/// that the variable INLAY_HIP_DEVICE names, on which nothing can be launched.
#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

using Launch = int (*)(const void* image, const char* kernel, const unsigned* grid, const unsigned* block, void** args,
                       std::size_t shared);
Launch launch = nullptr;
std::string architecture = std::getenv("INLAY_HIP_DEVICE") ? std::getenv("INLAY_HIP_DEVICE") : "";

int units = 4;

struct Function {
    const void* image = nullptr;
    std::string name;
};
std::map<const void*, Function>& functions() {
    static std::map<const void*, Function> all;
    return all;
}

struct Configuration {
    dim3 grid, block;
    std::size_t shared = 0;
    hipStream_t stream = nullptr;
};
Configuration pushed;

bool wide() { return architecture.compare(0, 4, "gfx9") == 0; }

}  // namespace

extern "C" {

void outside_begin(Launch f, const char* name) {
    launch = f;
    architecture = name;
}

/// Compute units of the device: blocks of a norm that meet are as many.
void outside_units(int n) { units = n; }

struct Wrapper {
    unsigned magic, version;
    const void* image;
    void* unused;
};
void** __hipRegisterFatBinary(const void* wrapper) {
    return const_cast<void**>(static_cast<const void* const*>(&static_cast<const Wrapper*>(wrapper)->image));
}
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void** image, const void* stub, char*, const char* name, unsigned, void*, void*, dim3*,
                           dim3*, int*) {
    functions()[stub] = {*image, name};
}
void __hipRegisterVar(void**, void*, char*, char*, int, std::size_t, int, int) {}
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, hipStream_t stream) {
    pushed = {grid, block, shared, stream};
    return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, hipStream_t* stream) {
    *grid = pushed.grid, *block = pushed.block, *shared = pushed.shared, *stream = pushed.stream;
    return hipSuccess;
}

hipError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** args, std::size_t shared, hipStream_t) {
    const auto found = functions().find(stub);
    if (!launch || found == functions().end()) return hipErrorInvalidDeviceFunction;
    const unsigned blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
    const Function& f = found->second;
    return launch(f.image, f.name.c_str(), blocks, threads, args, shared) ? hipErrorLaunchFailure : hipSuccess;
}
hipError_t hipFuncGetAttributes(hipFuncAttributes* a, const void* stub) {
    std::memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = 1024;
    return functions().count(stub) ? hipSuccess : hipErrorInvalidDeviceFunction;
}
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void*, int, std::size_t) {
    *n = 1;
    return hipSuccess;
}

hipError_t hipGetDeviceCount(int* n) {
    *n = 1;
    return hipSuccess;
}
hipError_t hipGetDevice(int* d) {
    *d = 0;
    return hipSuccess;
}
hipError_t hipSetDevice(int) { return hipSuccess; }
hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int) {
    std::memset(static_cast<void*>(p), 0, sizeof *p);
    std::strcpy(p->name, "outside check");
    std::strcpy(p->gcnArchName, architecture.c_str());
    p->totalGlobalMem = std::size_t{1} << 34;
    p->sharedMemPerBlock = p->maxSharedMemoryPerMultiProcessor = 65536;
    p->warpSize = wide() ? 64 : 32;
    p->maxThreadsPerBlock = 1024;
    p->multiProcessorCount = units;
    p->l2CacheSize = 1 << 22;
    return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t what, int) {
    switch (what) {
        case hipDeviceAttributeWarpSize: *value = wide() ? 64 : 32; break;
        case hipDeviceAttributeMultiprocessorCount: *value = units; break;
        case hipDeviceAttributeMaxSharedMemoryPerBlock: *value = 65536; break;
        case hipDeviceAttributeL2CacheSize: *value = 1 << 22; break;
        case hipDeviceAttributeMaxThreadsPerBlock: *value = 1024; break;
        default: *value = 0;
    }
    return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int* v) {
    *v = 50200000;
    return hipSuccess;
}
hipError_t hipDriverGetVersion(int* v) { return hipRuntimeGetVersion(v); }
const char* hipGetErrorString(hipError_t) { return "an error of the outside check"; }
const char* hipGetErrorName(hipError_t) { return "hipError"; }
hipError_t hipGetLastError() { return hipSuccess; }
hipError_t hipPeekAtLastError() { return hipSuccess; }

hipError_t hipMalloc(void** p, std::size_t bytes) {
    *p = std::aligned_alloc(256, (bytes + 511) / 256 * 256);
    return *p ? hipSuccess : hipErrorOutOfMemory;
}
hipError_t hipFree(void* p) {
    std::free(p);
    return hipSuccess;
}
hipError_t hipHostMalloc(void** p, std::size_t bytes, unsigned) { return hipMalloc(p, bytes); }
hipError_t hipHostFree(void* p) { return hipFree(p); }
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind) {
    std::memcpy(to, from, bytes);
    return hipSuccess;
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t) {
    return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemset(void* p, int value, std::size_t bytes) {
    std::memset(p, value, bytes);
    return hipSuccess;
}
hipError_t hipMemsetAsync(void* p, int value, std::size_t bytes, hipStream_t) { return hipMemset(p, value, bytes); }
hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
    *free = *total = std::size_t{1} << 34;
    return hipSuccess;
}

hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned) {
    *s = nullptr;
    return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t) { return hipSuccess; }
hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
hipError_t hipDeviceSynchronize() { return hipSuccess; }
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus* status) {
    *status = hipStreamCaptureStatusNone;
    return hipSuccess;
}


// Work is done when it is enqueued: an event is always past, and takes no time.
hipError_t hipEventCreate(hipEvent_t* e) {
    *e = nullptr;
    return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t) { return hipSuccess; }
hipError_t hipEventRecord(hipEvent_t, hipStream_t) { return hipSuccess; }
hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
hipError_t hipEventElapsedTime(float* ms, hipEvent_t, hipEvent_t) {
    *ms = 0;
    return hipSuccess;
}

// The emulator runs blocks one after another.
hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, unsigned, hipStream_t) {
    return hipErrorNotSupported;
}

}  // extern "C"
