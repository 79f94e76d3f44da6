// SPDX-License-Identifier: Apache-2.0
/// How kernels are launched: on one device and stream, with workspace that the launcher owns. A dry run of the same
/// code loads the kernels, sets their attributes and measures the workspace, so that a real one only launches.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/list.hpp>
#include <inlay/core/order.hpp>
#include <inlay/tile/cuda/runtime/memory.hpp>
#include <inlay/tile/gpu/kernel.hpp>

#include <cstdint>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

/// What of a device decides schedules.
struct Device {
    int index = 0;
    int major = 0, minor = 0;       ///< compute capability
    int multiprocessors = 0;
    int shared_bytes = 0;           ///< a block may ask for at most
    std::size_t l2_bytes = 0;

    static Device of(int index) {
        Device d;
        d.index = index;
        const auto get = [&](cudaDeviceAttr a) {
            int v = 0;
            check(cudaDeviceGetAttribute(&v, a, index), "cudaDeviceGetAttribute");
            return v;
        };
        d.major = get(cudaDevAttrComputeCapabilityMajor);
        d.minor = get(cudaDevAttrComputeCapabilityMinor);
        d.multiprocessors = get(cudaDevAttrMultiProcessorCount);
        d.shared_bytes = get(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        d.l2_bytes = static_cast<std::size_t>(get(cudaDevAttrL2CacheSize));
        return d;
    }
};

/// Makes a device the calling thread's current one for a scope.
class OnDevice {
public:
    explicit OnDevice(int index) {
        check(cudaGetDevice(&before_), "cudaGetDevice");
        if (before_ != index) check(cudaSetDevice(index), "cudaSetDevice");
        changed_ = before_ != index;
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() {
        if (changed_) cudaSetDevice(before_);
    }

private:
    int before_ = 0;
    bool changed_ = false;
};

struct Grid {
    index_t blocks = 1;             ///< along x; 0: nothing is launched
    int threads = 128;
    std::size_t shared = 0;         ///< dynamic shared memory, bytes
    bool cooperative = false;       ///< all blocks are resident at once, so that they may wait for each other
    int cluster = 1;                ///< blocks that run together on sm_90 and reach each other's memory, at most 8
    /// Its threads call `after_previous_kernel`: it may begin before that has ended. Small blocks then crowd on the
    /// multiprocessors that are idle, which costs more than it saves where each should have one of its own.
    bool overlaps = false;
};

/// Used by one host thread at a time. Memory of the workspace is reused by every launch: they are ordered by the
/// stream.
class Launcher {
public:
    Launcher(int device, cudaStream_t stream) : device_(Device::of(device)), stream_(stream) {}
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    const Device& device() const { return device_; }
    cudaStream_t stream() const { return stream_; }
    void stream(cudaStream_t s) { stream_ = s; }

    /// Between `begin_dry` and `end_dry`, launches only load and measure. `end_dry` grows the workspace to what was
    /// asked for, which waits for the device and must not happen inside a capture. What was there before stays until
    /// the launcher ends: graphs may use it.
    void begin_dry() { dry_ = true; }
    void end_dry() {
        dry_ = false;
        grow(workspace_, false);
        grow(semaphores_, true);
    }
    bool dry() const { return dry_; }

    /// A dry run while it lives, which measures what the caller has to lend.
    class Measuring {
    public:
        explicit Measuring(Launcher& l) : launcher_(l) { l.dry_ = l.measuring_ = true, l.measured_ = {}; }
        Measuring(const Measuring&) = delete;
        Measuring& operator=(const Measuring&) = delete;
        ~Measuring() { launcher_.dry_ = launcher_.measuring_ = false; }
        std::size_t bytes() const { return launcher_.measured_.workspace + launcher_.measured_.semaphores; }

    private:
        Launcher& launcher_;
    };
    /// While it lives, launches have memory of the caller's instead: scratch from its beginning on, counters at its
    /// end, which become 0 on the stream before the first kernel that needs them.
    class Lent {
    public:
        Lent(Launcher& l, void* memory, std::size_t bytes) : launcher_(l) {
            l.lent_ = {static_cast<char*>(memory), bytes / alignment * alignment, 0};
        }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        ~Lent() { launcher_.lent_ = {}; }

    private:
        Launcher& launcher_;
    };

    /// Scratch memory of one launch, uninitialised, 256-byte aligned; null in a dry run.
    void* workspace(std::size_t bytes) {
        bytes += held_;
        void* const p = measuring_     ? measure(measured_.workspace, bytes)
                        : lent_.memory ? lent_.memory
                                       : want(workspace_, bytes, "workspace");
        return p ? static_cast<char*>(p) + held_ : nullptr;
    }
    /// Keeps what the last launch has left in its workspace for the launches of a scope.
    class Hold {
    public:
        Hold(Launcher& l, std::size_t bytes) : l_(l), before_(l.held_) { l_.held_ += aligned(bytes); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ~Hold() { l_.held_ = before_; }

    private:
        Launcher& l_;
        std::size_t before_;
    };
    /// Counters that are 0 before every launch: a kernel leaves them 0.
    std::uint32_t* semaphores(std::size_t n) {
        const std::size_t bytes = n * sizeof(std::uint32_t);
        void* const counters = measuring_     ? measure(measured_.semaphores, bytes)
                               : lent_.memory ? lent_semaphores(bytes)
                                              : want(semaphores_, bytes, "semaphores");
        return static_cast<std::uint32_t*>(counters);
    }
    std::size_t workspace_bytes() const { return workspace_.bytes() + semaphores_.bytes(); }

    /// Blocks of a kernel that are resident on the device at once.
    template <class... P>
    int resident_blocks(void (*kernel)(P...), int threads, std::size_t shared) {
        const OnDevice here(device_.index);
        load(reinterpret_cast<const void*>(kernel), shared);
        int n = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        return n * device_.multiprocessors;
    }

    template <class... P, class... A>
    void launch(const Grid& g, void (*kernel)(P...), A&&... args) {
        static_assert((sizeof(P) + ... + 0) <= 4096, "inlay: the arguments of a kernel take more than 4096 bytes");
        if (g.blocks <= 0) return;
        const OnDevice here(device_.index);
        const bool waits = load(reinterpret_cast<const void*>(kernel), g.shared);
        if (dry_) return;
        require(g.blocks < (index_t(1) << 31), "a kernel of ", g.blocks, " blocks is too large to launch");
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(static_cast<unsigned>(g.blocks));
        config.blockDim = dim3(static_cast<unsigned>(g.threads));
        config.dynamicSmemBytes = g.shared;
        config.stream = stream_;
        cudaLaunchAttribute attribute[3];
        config.attrs = attribute;
        if (g.cooperative) {
            attribute[config.numAttrs].id = cudaLaunchAttributeCooperative;
            attribute[config.numAttrs++].val.cooperative = 1;
        }
        if (g.cluster > 1) {
            attribute[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
            attribute[config.numAttrs++].val.clusterDim = {static_cast<unsigned>(g.cluster), 1, 1};
        }
        if (g.overlaps && waits) {
            attribute[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attribute[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
        }
        check(cudaLaunchKernelEx(&config, kernel, static_cast<P>(std::forward<A>(args))...), "cudaLaunchKernelEx");
    }

    /// The kernel of a body.
    template <KernelBody Body>
    void launch(const Grid& g, const typename Body::Arguments& arguments) {
        launch(g, kernel<Body>, arguments);
    }

private:
    /// Whether the image that the driver chose can wait for a kernel before it: code for less than sm_90 cannot.
    bool load(const void* kernel, std::size_t shared) {
        const auto address = reinterpret_cast<std::uintptr_t>(kernel);
        int at = 0;
        for (int end = loaded_.size(); at < end;) {
            const int middle = (at + end) / 2;
            const Loaded& l = loaded_[middle];
            if (l.kernel == address) return l.waits;
            if (l.kernel < address) at = middle + 1;
            else end = middle;
        }
        cudaFuncAttributes attributes;
        check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
        const int most = device_.shared_bytes - static_cast<int>(attributes.sharedSizeBytes);
        require(shared <= static_cast<std::size_t>(most), "a kernel asks for ", shared,
                " bytes of shared memory, the device has ", most);
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
        const bool waits = device_.major >= 9 && attributes.ptxVersion >= 90;
        loaded_.insert(at, {address, waits});
        return waits;
    }
    struct Loaded {
        std::uintptr_t kernel = 0;
        bool waits = false;
    };
    static constexpr std::size_t alignment = 256;
    static std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
    static void* measure(std::size_t& most, std::size_t bytes) {
        most = larger(most, aligned(bytes));
        return nullptr;
    }
    void* lent_semaphores(std::size_t bytes) {
        const std::size_t all = aligned(bytes);
        char* const first = lent_.memory + lent_.bytes - all;
        if (all > lent_.zeroed) {
            const OnDevice here(device_.index);
            check(cudaMemsetAsync(first, 0, all - lent_.zeroed, stream_), "cudaMemsetAsync");
            lent_.zeroed = all;
        }
        return first;
    }
    struct Scratch {
        List<Allocation> memory;            ///< the last one is given out; graphs replay what was given others
        std::size_t wanted = 0;
        std::size_t bytes() const { return memory.empty() ? 0 : memory.back().size(); }
    };
    void* want(Scratch& s, std::size_t bytes, const char* what) {
        if (bytes > s.wanted) s.wanted = bytes;
        if (dry_) return nullptr;
        if (bytes > s.bytes()) {
            cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
            check(cudaStreamIsCapturing(stream_, &capture), "cudaStreamIsCapturing");
            require(capture == cudaStreamCaptureStatusNone, "the ", what, " of a kernel, ", bytes,
                    " bytes, was not reserved before the capture");
            end_dry();
        }
        return s.memory.empty() ? nullptr : s.memory.back().data();
    }
    void grow(Scratch& s, bool zero) {
        if (s.wanted <= s.bytes()) return;
        const OnDevice here(device_.index);
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        const std::size_t bytes = std::exchange(s.wanted, s.bytes());     // what is left when there is no memory
        s.memory.append(Allocation(bytes));
        s.wanted = bytes;
        if (zero) check(cudaMemsetAsync(s.memory.back().data(), 0, bytes, stream_), "cudaMemsetAsync");
    }

    Device device_;
    cudaStream_t stream_;
    bool dry_ = false;
    bool measuring_ = false;
    struct {
        std::size_t workspace = 0, semaphores = 0;
    } measured_;
    struct {
        char* memory = nullptr;
        std::size_t bytes = 0, zeroed = 0;      ///< zeroed: at the end
    } lent_;
    Scratch workspace_, semaphores_;
    std::size_t held_ = 0;   // bytes at the front of the workspace
    List<Loaded> loaded_;    // by address
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
