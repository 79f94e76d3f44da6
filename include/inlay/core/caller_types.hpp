// SPDX-License-Identifier: Apache-2.0
/// The types that programs have for numbers of 16 and 8 bits: pointers to them are taken wherever one to a storage type is.
#pragma once

#include <inlay/core/dtype.hpp>

// Declared as their headers do: cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, hip_fp16.h, hip_bf16.h, hip_fp8.h; hip_bfloat16
// is in config.hpp. What gfx942 multiplies is another fp8 (__hip_fp8_e4m3_fnuz).
struct __half;
struct __nv_bfloat16;
struct __hip_bfloat16;
struct __nv_fp8_e4m3;
struct __hip_fp8_e4m3;

namespace inlay::inline INLAY_ABI {

/// The storage type that T is laid out as. A program declares a type of its own in one line, at namespace scope:
///
///     template <> struct inlay::StoredAs<at::Half> { using type = inlay::fp16; };
template <class T>
struct StoredAs {};

template <Storage T> struct StoredAs<T> { using type = T; };
template <> struct StoredAs<__half> { using type = fp16; };
template <> struct StoredAs<__nv_bfloat16> { using type = bf16; };
template <> struct StoredAs<__hip_bfloat16> { using type = bf16; };
template <> struct StoredAs<__nv_fp8_e4m3> { using type = fp8; };
template <> struct StoredAs<__hip_fp8_e4m3> { using type = fp8; };
#if INLAY_HAS_HIP_BFLOAT16
template <> struct StoredAs<hip_bfloat16> { using type = bf16; };
#endif
// In C++23 std::float16_t and std::bfloat16_t are these two.
#if INLAY_HAS_FLOAT16
template <> struct StoredAs<_Float16> { using type = fp16; };
#endif
#if INLAY_HAS_BFLOAT16
template <> struct StoredAs<__bf16> { using type = bf16; };
#endif

/// A storage type, or a type that is laid out as one.
template <class T>
concept Stored = requires { requires Storage<typename StoredAs<std::remove_const_t<T>>::type>; };

/// The storage type behind T, const as T is.
template <Stored T>
using storage_type = std::conditional_t<std::is_const_v<T>, const typename StoredAs<std::remove_const_t<T>>::type,
                                        typename StoredAs<std::remove_const_t<T>>::type>;

/// The same memory as elements of a storage type.
template <Stored T>
INLAY_FN constexpr storage_type<T>* as_storage(T* p) {
    if constexpr (Storage<T>) return p;
    else {
        if constexpr (requires { sizeof(T); })  // declared above, a vendor's type may lack its definition here
            static_assert(sizeof(T) == sizeof(storage_type<T>) && alignof(T) >= alignof(storage_type<T>),
                          "inlay: StoredAs names a storage type of another size or a stricter alignment");
        return reinterpret_cast<storage_type<T>*>(p);
    }
}

}  // namespace inlay::inline INLAY_ABI
