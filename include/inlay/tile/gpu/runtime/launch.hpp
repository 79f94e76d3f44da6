// SPDX-License-Identifier: Apache-2.0
/// A launch of a kernel: its configuration, and a copy of its arguments that can be launched again.
#pragma once

#include <inlay/tile/gpu/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

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

    void enqueue(Stream stream) { config_.enqueue(stream, arguments_); }
    void* const* arguments() const { return arguments_; }

private:
    LaunchConfig config_;
    void** arguments_ = nullptr;    // their addresses, then what is there
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
