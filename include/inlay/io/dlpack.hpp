// SPDX-License-Identifier: Apache-2.0
/// Tensors of NumPy, PyTorch, JAX, CuPy and others by DLPack: taken with `from_dlpack`, given with `to_dlpack`, without
/// a copy. Of its header any version is taken; since 1.0 a tensor can be one that is only read (`..._versioned`).
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/exec/tensor.hpp>

#if !defined(DLPACK_DLPACK_H_)  // else a copy of it is there, such as PyTorch's ATen/dlpack.h
#include <dlpack/dlpack.h>      // Debian: libdlpack-dev
#endif

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace inlay::inline INLAY_ABI::io {

inline constexpr DLDevice dlpack_cpu{kDLCPU, 0};

namespace detail {

/// DLPack's code for storage types. 10, e4m3fn, is not in headers before 1.1.
template <Storage T>
constexpr DLDataType dlpack_type() {
    constexpr DType t = dtype_of<T>;
    constexpr int code = t == DType::i32 ? kDLInt : t == DType::bf16 ? kDLBfloat : t == DType::f8 ? 10 : kDLFloat;
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * bytes(t)), 1};
}

/// Named as Inlay names its own: fp32, bf16, int32.
inline Text text(DLDataType t) {
    const char* kind = nullptr;
    switch (t.code) {
        case kDLInt: kind = "int"; break;
        case kDLUInt: kind = "uint"; break;
        case kDLFloat: kind = "fp"; break;
        case kDLBfloat: kind = "bf"; break;
        case 5: kind = "complex"; break;
        case 6: kind = "bool"; break;
        default: break;
    }
    Text s = kind ? kind + decimal_text(t.bits)
                  : "type " + decimal_text(t.code) + " of " + decimal_text(t.bits) + " bits";
    if (t.lanes != 1) s = decimal_text(t.lanes) + " lanes of " + s;
    return s;
}

inline Text text(DLDevice d) {
    switch (d.device_type) {
        case kDLCPU: return "the CPU";
        case kDLCUDA: return "CUDA device " + decimal_text(d.device_id);
        case kDLROCM: return "ROCm device " + decimal_text(d.device_id);
        default:
            return "device " + decimal_text(d.device_id) + " of type " + decimal_text(int{d.device_type});
    }
}

/// True if code on `device` reads memory of `other`: its own, memory that the host pinned for it, or managed memory.
inline bool reads(DLDevice device, DLDevice other) {
    if (device.device_type == kDLCPU)
        return other.device_type == kDLCPU || other.device_type == kDLCUDAHost || other.device_type == kDLROCMHost;
    return (other.device_type == device.device_type && other.device_id == device.device_id) ||
           (device.device_type == kDLCUDA && other.device_type == kDLCUDAManaged);
}

/// Throws where a tensor is none of this type and rank on the device.
INLAY_OUTLINE void check_dlpack(const DLTensor& t, Letters name, DLDevice device, DLDataType type, int rank) {
    require(t.ndim >= 0 && (t.ndim == 0 || t.shape), name, " has no shape");
    const Text whole = name + (" " + inlay::text(t.shape, t.ndim));
    require(reads(device, t.device), whole, " lies on ", text(t.device), ", expected ", text(device));
    require(t.dtype.code == type.code && t.dtype.bits == type.bits && t.dtype.lanes == 1, whole, " is ", text(t.dtype),
            ", expected ", text(type));
    require(t.ndim == rank, whole, " has rank ", t.ndim, ", expected ", rank);
    for (int a = 0; t.strides && a < rank; ++a)
        require(t.strides[a] >= 0, whole, " has the stride ", t.strides[a], " along axis ", a,
                ", expected none below 0: a copy has none");
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(t.data) + t.byte_offset;
    require(address % (type.bits / 8u) == 0, whole, " begins at an address that is no multiple of its ", type.bits / 8,
            " bytes");
}

/// A lent tensor until its deleter is called, with the owner of its memory, its extents and strides.
template <class Managed, int R, class Owner>
struct Lent {
    Managed managed{};
    std::int64_t extents[room_for<R>], strides[room_for<R>];
    Owner owner;

    explicit Lent(Owner&& o) : owner(std::move(o)) {}

    template <Storage T>
    static Managed* of(const Tensor<T, R>& t, Owner&& owner, DLDevice device) {
        auto lent = std::make_unique<Lent>(std::move(owner));
        for (int a = 0; a < R; ++a) lent->extents[a] = t.extents[a], lent->strides[a] = t.strides[a];
        DLTensor& d = lent->managed.dl_tensor;
        d.data = const_cast<std::remove_const_t<T>*>(t.data);
        d.device = device;
        d.ndim = R;
        d.dtype = dlpack_type<T>();
        d.shape = lent->extents;
        d.strides = lent->strides;
        d.byte_offset = 0;
        lent->managed.manager_ctx = lent.get();
        lent->managed.deleter = [](Managed* m) { delete static_cast<Lent*>(m->manager_ctx); };
        return &lent.release()->managed;
    }
};

}  // namespace detail

/// The memory of a DLPack tensor as a tensor of type T and rank R, valid as long as its owner keeps it. Throws where it
/// is of another type or rank, on another device than `device`, has a stride below 0 or an address that T cannot have;
/// `name` opens the sentence.
template <Storage T, int R>
Tensor<T, R> from_dlpack(const DLTensor& t, Letters name = "the tensor", DLDevice device = dlpack_cpu) {
    detail::check_dlpack(t, name, device, detail::dlpack_type<T>(), R);
    Extents<R> extents{}, strides{};
    for (int a = 0; a < R; ++a) extents[a] = t.shape[a];
    strides = row_major(extents);
    for (int a = 0; t.strides && a < R; ++a) strides[a] = t.strides[a];
    return {reinterpret_cast<T*>(static_cast<char*>(t.data) + t.byte_offset), extents, strides};
}

/// A tensor that came by DLPack, and the duty to give it back: its deleter is called at the end.
template <Storage T, int R, class Managed>
class Borrowed {
public:
    Borrowed(Managed* m, const Tensor<T, R>& t) : managed_(m), tensor_(t) {}
    const Tensor<T, R>& operator*() const { return tensor_; }
    const Tensor<T, R>* operator->() const { return &tensor_; }

private:
    struct GiveBack {
        void operator()(Managed* m) const {
            if (m->deleter) m->deleter(m);
        }
    };
    std::unique_ptr<Managed, GiveBack> managed_;
    Tensor<T, R> tensor_;
};

/// The tensor of a capsule "dltensor", whose name then has to become "used_dltensor". A call that throws has taken
/// nothing: the tensor is still the capsule's.
template <Storage T, int R>
Borrowed<T, R, DLManagedTensor> from_dlpack(DLManagedTensor* m, Letters name = "the tensor",
                                            DLDevice device = dlpack_cpu) {
    return {m, from_dlpack<T, R>(m->dl_tensor, name, device)};
}

/// Lends a tensor: what is returned goes into a capsule "dltensor", and `owner`, which holds the memory (a vector, a
/// shared pointer), ends when its deleter is called.
template <Storage T, int R, class Owner>
DLManagedTensor* to_dlpack(const Tensor<T, R>& t, Owner owner, DLDevice device = dlpack_cpu) {
    static_assert(!std::is_const_v<T>, "inlay: to_dlpack gives tensors that others may write: of a const type it is "
                                       "to_dlpack_versioned, whose tensors say that they are only read");
    return detail::Lent<DLManagedTensor, R, Owner>::of(t, std::move(owner), device);
}

#if defined(DLPACK_MAJOR_VERSION)

/// The tensor of a capsule "dltensor_versioned". Throws also where it is of another major version of DLPack, and where
/// it is only read and T is not const.
template <Storage T, int R>
Borrowed<T, R, DLManagedTensorVersioned> from_dlpack(DLManagedTensorVersioned* m, Letters name = "the tensor",
                                                     DLDevice device = dlpack_cpu) {
    require(m->version.major == DLPACK_MAJOR_VERSION, name, " is of DLPack ", m->version.major, ", expected ",
            DLPACK_MAJOR_VERSION);
    require(std::is_const_v<T> || !(m->flags & DLPACK_FLAG_BITMASK_READ_ONLY), name,
            " is only to be read, expected one to write");
    return {m, from_dlpack<T, R>(m->dl_tensor, name, device)};
}

/// As `to_dlpack`, for a capsule "dltensor_versioned". Of a const type the tensor says that it is only read.
template <Storage T, int R, class Owner>
DLManagedTensorVersioned* to_dlpack_versioned(const Tensor<T, R>& t, Owner owner, DLDevice device = dlpack_cpu) {
    auto* const m = detail::Lent<DLManagedTensorVersioned, R, Owner>::of(t, std::move(owner), device);
    m->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    m->flags = std::is_const_v<T> ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    return m;
}

#endif

}  // namespace inlay::inline INLAY_ABI::io
