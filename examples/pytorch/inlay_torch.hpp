// SPDX-License-Identifier: Apache-2.0
/// From a kernel to an op of PyTorch. An op is a struct with
///
///     static constexpr const char* schema    the op's name and arguments, as PyTorch writes them
///     static at::Tensor result(arguments)    an empty result: of tensors that have memory, and of torch.compile's
///     template <class T>
///     static void run(Call<T>, at::Tensor& y, arguments)    launches kernels; T: float, at::Half or at::BFloat16
///
/// and `add<Op>` of a TORCH_LIBRARY registers it: a C++ compiler's unit for CPUs, nvcc's for CUDA.
#pragma once

#include <inlay/inlay.hpp>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#if defined(__CUDACC__)
#include <inlay/exec/cuda.hpp>

#include <ATen/cuda/EmptyTensor.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <utility>
#else
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#endif

template <> struct inlay::StoredAs<at::Half> { using type = inlay::fp16; };
template <> struct inlay::StoredAs<at::BFloat16> { using type = inlay::bf16; };

namespace inlay_torch {

/// The call of an op whose tensors all are of T and on one device.
template <class T>
struct Call {
    at::Device device;
};

inline void demand_rank(const at::Tensor& t, int rank, const char* name) {
    inlay::require(t.dim() == rank, name, " has rank ", t.dim(), ", expected ", rank);
}

/// A tensor of rank R as Inlay has it.
template <int R, class T>
auto bound(const at::Tensor& t, T* data) {
    const at::IntArrayRef sizes = t.sizes(), steps = t.strides();
    inlay::Extents<R> extents{}, strides{};
    for (int a = 0; a < R; ++a) extents[a] = sizes[a], strides[a] = steps[a];
    return inlay::Tensor<inlay::storage_type<T>, R>(data, extents, strides);
}

/// An empty result of the type and device of x. `at::empty` passes PyTorch's dispatcher twice, so memory comes from the
/// device's allocator, but for what is traced, which has none, or extents that are symbols, and where deterministic
/// algorithms are on, which fill it.
inline at::Tensor empty_result(c10::SymIntArrayRef extents, const at::Tensor& x,
                               at::MemoryFormat format = at::MemoryFormat::Contiguous) {
    const auto numbers = c10::asIntArrayRefSlowOpt(extents);
    if (numbers && !x.key_set().has(c10::DispatchKey::Python) && !at::globalContext().deterministicAlgorithms()) {
#if defined(__CUDACC__)
        if (x.is_cuda()) return at::Tensor(at::detail::empty_cuda(*numbers, x.scalar_type(), x.device(), format));
#else
        if (x.is_cpu()) return at::Tensor(at::detail::empty_cpu(*numbers, x.scalar_type(), false, format));
#endif
    }
    return at::empty_symint(extents, x.options(), format);
}

/// A tensor to write, with any strides.
template <int R, class T>
auto write(Call<T>, const at::Tensor& t) {
    return bound<R>(t, static_cast<T*>(t.mutable_data_ptr()));
}
/// A tensor to read, with any strides. Throws where it has another rank, type or device.
template <int R, class T>
auto read(Call<T> call, const at::Tensor& t, const char* name) {
    constexpr at::ScalarType type = c10::CppTypeToScalarType<T>::value;
    demand_rank(t, R, name);
    inlay::require(t.scalar_type() == type, name, " is of ", c10::toString(t.scalar_type()), ", expected ",
                   c10::toString(type), " as the others");
    if (t.device() != call.device)  // names of devices are made for the sentence alone
        inlay::fail(std::string(name) + " lies on " + t.device().str() + ", expected " + call.device.str());
    return bound<R>(t, static_cast<const T*>(t.const_data_ptr()));
}

/// Elements from `begin` on, `count` of them along an axis. PyTorch's own views go through its dispatcher, which costs
/// half a microsecond each.
template <class T, int R>
inlay::Tensor<T, R> narrow(inlay::Tensor<T, R> t, int axis, inlay::index_t begin, inlay::index_t count) {
    t.data += begin * t.strides[axis];
    t.extents[axis] = count;
    return t;
}
/// [B, C, H, W] as [B, H, W, C].
template <class T>
inlay::Tensor<T, 4> channels_last(inlay::Tensor<T, 4> t) {
    const auto turn = [](inlay::Extents<4>& e) { e = {{e[0], e[2], e[3], e[1]}}; };
    turn(t.extents);
    turn(t.strides);
    return t;
}

/// The kernel K of these arguments. A model calls an op with the same memory again and again, as PyTorch's allocator
/// returns it: that kernel is found again, with what a GPU has planned for it.
template <class K, class... A>
const auto& prepared(const A&... arguments) {
    static_assert(((std::is_trivially_copyable_v<A> && sizeof(A) % sizeof(std::uint64_t) == 0) && ...));
    struct Entry {
        std::array<std::uint64_t, (sizeof(A) + ...) / sizeof(std::uint64_t)> key;
        std::optional<decltype(inlay::prepare<K>(arguments...))> kernel;
    };
    constexpr std::size_t entries = 256;
    thread_local std::vector<Entry> known(entries);
    decltype(Entry::key) key;
    std::uint64_t *to = key.data(), hash = 0;
    ((std::memcpy(to, &arguments, sizeof(A)), to += sizeof(A) / sizeof(std::uint64_t)), ...);
    for (const std::uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
    Entry& entry = known[hash % entries];
    if (!entry.kernel || entry.key != key) {
        entry.kernel.reset();
        entry.kernel.emplace(inlay::prepare<K>(arguments...));
        entry.key = key;
    }
    return *entry.kernel;
}

#if defined(__CUDACC__)

/// PyTorch's current stream. The targets are not ended: at the end of a process the driver may be gone before them.
inline inlay::Cuda& target_of(at::Device device) {
    thread_local auto& targets = *new std::map<std::pair<int, cudaStream_t>, inlay::Cuda>;
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device.index());
    return targets.try_emplace({device.index(), stream}, device.index(), stream).first->second;
}
/// Launches K with scratch memory of PyTorch's allocator, which another op of the stream may have after it.
template <class K, class T, class... A>
void launch(Call<T> call, const A&... arguments) {
    const auto& kernel = prepared<K>(arguments...);
    inlay::Cuda& target = target_of(call.device);
    const std::size_t bytes = kernel.workspace_bytes(target);
    if (bytes == 0) return kernel.run(target);
    const at::Tensor scratch =
        at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions(call.device).dtype(at::kByte));
    kernel.run(target, {scratch.mutable_data_ptr(), bytes});
}

#else

/// Runs K. The host is not ended: a process that was forked would wait for threads that it does not have.
template <class K, class T, class... A>
void launch(Call<T>, const A&... arguments) {
    static inlay::Host& host = *new inlay::Host(at::get_num_threads());
    prepared<K>(arguments...).run(host);
}

#endif

inline std::string name_of(const std::string& schema) { return schema.substr(0, schema.find('(')); }

template <class Op, class Signature = decltype(Op::result)>
struct Functions;
template <class Op, class... A>
struct Functions<Op, at::Tensor(A...)> {
    static at::Tensor run(A... arguments) {
        at::Tensor y = Op::result(arguments...);
        switch (y.scalar_type()) {
            case at::kFloat: Op::run(Call<float>{y.device()}, y, arguments...); break;
            case at::kHalf: Op::run(Call<at::Half>{y.device()}, y, arguments...); break;
            case at::kBFloat16: Op::run(Call<at::BFloat16>{y.device()}, y, arguments...); break;
            default:
                inlay::fail(name_of(Op::schema) + " takes Float, Half and BFloat16, not " +
                            c10::toString(y.scalar_type()));
        }
        return y;
    }

#if !defined(__CUDACC__)
    static at::Tensor cast(at::ScalarType type, const at::Tensor& x, c10::DeviceType device) {
        return at::autocast::cached_cast(type, x, device);
    }
    template <class X>
    static X cast(at::ScalarType, X x, c10::DeviceType) {
        return x;
    }
    /// As torch.autocast has its products: tensors of fp32 become its type; weights are converted once.
    template <c10::DeviceType Device>
    static at::Tensor autocast(A... arguments) {
        static const auto op = c10::Dispatcher::singleton()
                                   .findSchemaOrThrow(name_of(Op::schema).c_str(), "")
                                   .template typed<at::Tensor(A...)>();
        const c10::impl::ExcludeDispatchKeyGuard off(c10::autocast_dispatch_keyset);
        const at::ScalarType type = at::autocast::get_autocast_dtype(Device);
        return op.call(cast(type, arguments, Device)...);
    }
#endif
};

/// Registers an op in a TORCH_LIBRARY_FRAGMENT: nvcc its kernels for CUDA, a C++ compiler all else.
template <class Op>
void add(torch::Library& library) {
    using F = Functions<Op>;
    const std::string name = name_of(Op::schema);
    const auto has = [&](c10::DispatchKey key, auto function) {
        library.impl(name.c_str(), torch::dispatch(key, torch::CppFunction(function)));
    };
#if defined(__CUDACC__)
    has(c10::DispatchKey::CUDA, &F::run);
#else
    library.def(Op::schema, {at::Tag::pt2_compliant_tag});
    has(c10::DispatchKey::CPU, &F::run);
    has(c10::DispatchKey::Meta, &Op::result);
    has(c10::DispatchKey::AutocastCPU, &F::template autocast<c10::kCPU>);
    has(c10::DispatchKey::AutocastCUDA, &F::template autocast<c10::kCUDA>);
    library.impl(name.c_str(),
                 torch::dispatch(c10::DispatchKey::Autograd, torch::autograd::autogradNotImplementedFallback()));
#endif
}

}  // namespace inlay_torch
