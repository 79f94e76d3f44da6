// SPDX-License-Identifier: Apache-2.0
/// A GPU as the executor under test. Tensors of the host are copied to device memory before a kernel and back after it:
/// each is all of an allocation, so that memcheck and the emulator see every access beyond it; when a kernel runs
/// again, each lies between guards of NaN, so that without them what reads there shows in the result, and what writes
/// is found.
#pragma once

#include "array.hpp"

#include <inlay/exec/gpu/target.hpp>
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <tuple>
#include <vector>

namespace inlay_test {

inline inlay::DeviceTarget& executor(int = 0) {
    static inlay::DeviceTarget gpu(0);
    return gpu;
}
inline void wait() { executor().synchronize(); }

/// A copy of `bytes` bytes of the host in device memory, `before` bytes from the beginning of an allocation and
/// `behind` from its end.
class DeviceCopy {
public:
    DeviceCopy(void* host, std::size_t bytes, std::size_t before = 0, std::size_t behind = 0)
        : host_(host), bytes_(bytes), before_(before), whole_(before + bytes + behind),
          memory_(inlay::on_gpu::allocate(whole_)) {
        upload();
    }
    DeviceCopy(DeviceCopy&& o) noexcept
        : host_(o.host_), bytes_(o.bytes_), before_(o.before_), whole_(o.whole_),
          memory_(std::exchange(o.memory_, nullptr)) {}
    ~DeviceCopy() { inlay::on_gpu::api::end_memory(memory_); }

    void* data() const { return static_cast<char*>(memory_) + before_; }
    void upload() {
        std::vector<unsigned char> all(whole_, filler);
        if (bytes_) std::memcpy(all.data() + before_, host_, bytes_);
        // On the executor's stream, which the default stream does not wait for.
        inlay::on_gpu::api::copy_to_device(memory_, all.data(), whole_, executor().stream());
        wait();
    }
    /// Back to the host. The stream must have been waited for.
    void fetch() {
        std::vector<unsigned char> all(whole_);
        executor().download(all.data(), memory_, whole_);
        const auto untouched = [&](std::size_t first, std::size_t last) {
            return std::all_of(all.data() + first, all.data() + last, [](unsigned char b) { return b == filler; });
        };
        EXPECT_TRUE(untouched(0, before_)) << "a kernel wrote before a tensor of " << bytes_ << " bytes";
        EXPECT_TRUE(untouched(before_ + bytes_, whole_)) << "a kernel wrote behind a tensor of " << bytes_ << " bytes";
        if (bytes_) std::memcpy(host_, all.data() + before_, bytes_);
    }

private:
    static constexpr unsigned char filler = 0xff;  // NaN in every floating-point type
    void* host_;
    std::size_t bytes_, before_, whole_;
    void* memory_ = nullptr;
};

/// An array where the executor reads and writes it; `fetch` brings back what was written.
template <Storage T, int R>
class Placed {
public:
    explicit Placed(Array<T, R>& a) : copy_(a.v.data(), a.v.size() * sizeof(T)), extents_(a.extents) {}
    Tensor<T, R> operator*() { return {static_cast<T*>(copy_.data()), extents_}; }
    void upload() { copy_.upload(); }
    void fetch() {
        wait();
        copy_.fetch();
    }

private:
    DeviceCopy copy_;
    Extents<R> extents_;
};

namespace detail {

/// The place of the next kernels' tensors: as all of an allocation, between guards, or one element off their alignment.
enum class Placement { alone, guarded, off_alignment };
inline thread_local Placement placement = Placement::alone;
inline constexpr std::size_t guard = 512;
struct PlacedAs {
    explicit PlacedAs(Placement p) { placement = p; }
    ~PlacedAs() { placement = Placement::alone; }
};

/// Bytes of which an allocation is a multiple. memcheck takes a `cp.async` that reads fewer bytes than its width for one
/// that reads all: ptxas puts their number into the low bits of the address, which the tool cuts off. So on a GPU the
/// tensors of products, whose ragged ends are copied so, end with a chunk; the emulator counts to the byte.
inline thread_local std::size_t granule = 1;
template <class K>
constexpr std::size_t granule_of() {
#ifdef __NVCC__
    const std::string_view kind = K::kind;
    return kind == "linear" || kind == "conv2d" || kind == "attention" ? 16 : 1;
#else
    return 1;
#endif
}

/// An argument of `prepare` as it is: scalars, packed weights.
template <class A>
struct Argument {
    A value;
    explicit Argument(const A& a) : value(a) {}
    void fetch() {}
};
/// A tensor of the host, dense or not.
template <Storage T, int R>
struct Argument<Tensor<T, R>> {
    using Stored = std::remove_const_t<T>;
    DeviceCopy copy;
    Tensor<T, R> value;

    explicit Argument(const Tensor<T, R>& t)
        : copy(const_cast<Stored*>(t.data), span(t) * sizeof(T), before(), behind(before() + span(t) * sizeof(T))),
          value(static_cast<T*>(copy.data()), t.extents, t.strides) {}
    void fetch() {
        if constexpr (!std::is_const_v<T>) copy.fetch();
    }
    static std::size_t span(const Tensor<T, R>& t) {
        if (t.size() == 0) return 0;
        index_t last = 0;
        for (int i = 0; i < R; ++i) last += (t.extents[i] - 1) * t.strides[i];
        return static_cast<std::size_t>(last) + 1;
    }
    static std::size_t before() {
        return placement == Placement::guarded ? guard : placement == Placement::off_alignment ? sizeof(T) : 0;
    }
    static std::size_t behind(std::size_t end) {
        return placement == Placement::guarded ? guard : (granule - end % granule) % granule;
    }
};

template <class K, class... Args>
void run_on_device(inlay::DeviceTarget& gpu, const Args&... args) {
    granule = granule_of<K>();
    auto placed = std::make_tuple(Argument<Args>(args)...);
    std::apply([&](auto&... a) {
        inlay::prepare<K>(a.value...).run(gpu);
        gpu.synchronize();
        (a.fetch(), ...);
    }, placed);
}

}  // namespace detail

/// Runs K on copies of these tensors, and brings back those that are not const.
template <class K, class Target, class... Args>
void execute(Target& target, const Args&... args) {
    if constexpr (std::is_same_v<Target, inlay::DeviceTarget>) detail::run_on_device<K>(target, args...);
    else inlay::prepare<K>(args...).run(target);
}

/// True if matrix products take operands of the storage type, and not fp32 whatever that is.
template <class>
inline constexpr bool rounds_operands = true;
/// The errors of PyTorch's kernels on this device.
inline constexpr const char* torch_errors = "kernel_errors_cuda.json";

enum class Same { bits, accuracy };

/// f(target, what must be the same, how it runs) for each way to run a kernel besides that on `executor(1)`.
template <class F>
void every_other_way(F&& f) {
    {
        const detail::PlacedAs guarded(detail::Placement::guarded);
        f(executor(), Same::bits, "when run again");
    }
    const detail::PlacedAs off(detail::Placement::off_alignment);
    f(executor(), Same::accuracy, "on tensors that are not aligned");
}

}  // namespace inlay_test
