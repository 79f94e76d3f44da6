// SPDX-License-Identifier: Apache-2.0
/// A launch of a kernel: its grid, its configuration, and a copy of its arguments that can be launched again.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/cuda/runtime/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

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

/// A kernel and how it is launched, without its arguments.
class LaunchConfig {
public:
    LaunchConfig() = default;
    /// `waits`: the kernel can wait for the one before it.
    LaunchConfig(const void* kernel, const Grid& g, bool waits) : kernel_(kernel) {
        require(g.blocks < (index_t(1) << 31), "a kernel of ", g.blocks, " blocks is too large to launch");
        config_.gridDim = dim3(static_cast<unsigned>(g.blocks));
        config_.blockDim = dim3(static_cast<unsigned>(g.threads));
        config_.dynamicSmemBytes = g.shared;
        if (g.cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
        if (g.cluster > 1)
            add(cudaLaunchAttributeClusterDimension).clusterDim = {static_cast<unsigned>(g.cluster), 1, 1};
        if (g.overlaps && waits)
            add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
    }
    /// arguments: the address of each of the kernel's parameters.
    void enqueue(cudaStream_t stream, void** arguments) {
        config_.stream = stream;
        config_.attrs = attributes_;
        check(cudaLaunchKernelExC(&config_, kernel_, arguments), "cudaLaunchKernelExC");
    }

private:
    cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
        cudaLaunchAttribute& a = attributes_[config_.numAttrs++];
        a.id = id;
        return a.val;
    }

    const void* kernel_ = nullptr;
    cudaLaunchConfig_t config_{};
    cudaLaunchAttribute attributes_[3] = {};
};

/// The arguments of a launch where the caller has them, of types that are copied byte by byte.
struct LaunchArguments {
    int count;
    void** values;
    const std::uint32_t *sizes, *alignments;    ///< alignments: at most that of their copy
    static constexpr std::size_t alignment = 128;
};

/// A launch with its own copy of the arguments.
class PlannedLaunch {
public:
    PlannedLaunch() = default;
    PlannedLaunch(const LaunchConfig& config, const LaunchArguments& a) : config_(config) {
        const auto each = [&](auto&& visit) {
            std::size_t end = sizeof(void*) * static_cast<std::size_t>(a.count);
            for (int i = 0; i < a.count; ++i) {
                const std::size_t at = (end + a.alignments[i] - 1) / a.alignments[i] * a.alignments[i];
                visit(i, at);
                end = at + a.sizes[i];
            }
            return end;
        };
        const std::size_t bytes = each([](int, std::size_t) {});
        arguments_ = static_cast<void**>(::operator new(bytes, std::align_val_t(LaunchArguments::alignment)));
        each([&](int i, std::size_t at) {
            arguments_[i] = reinterpret_cast<char*>(arguments_) + at;
            std::memcpy(arguments_[i], a.values[i], a.sizes[i]);
        });
    }
    PlannedLaunch(PlannedLaunch&& o) noexcept
        : config_(o.config_), arguments_(std::exchange(o.arguments_, nullptr)) {}
    PlannedLaunch& operator=(PlannedLaunch&& o) noexcept {
        std::swap(config_, o.config_);
        std::swap(arguments_, o.arguments_);
        return *this;
    }
    ~PlannedLaunch() { ::operator delete(arguments_, std::align_val_t(LaunchArguments::alignment)); }

    void enqueue(cudaStream_t stream) { config_.enqueue(stream, arguments_); }
    void* const* arguments() const { return arguments_; }

private:
    LaunchConfig config_;
    void** arguments_ = nullptr;    // their addresses, then what is there
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
