// SPDX-License-Identifier: Apache-2.0
/// Short vectors: N lanes of float, double or int32. They have the operators of a scalar and live in `inlay::math` with
/// the functions of floats and doubles, so an operation written for a scalar `T` with unqualified calls works for a
/// vector unchanged. On the host they are the compiler's vectors; where device code is compiled too they are arrays,
/// whose lanes become registers.
#pragma once

#include <inlay/core/config.hpp>

#if INLAY_NATIVE_VECTORS
#include <inlay/core/vec_native.hpp>
#else
#include <inlay/core/vec_array.hpp>
#endif

namespace inlay::inline INLAY_ABI {

namespace math {
template <class T>
inline constexpr bool is_vec = false;
template <class T, int N>
inline constexpr bool is_vec<Vec<T, N>> = true;

/// Operations compare and choose lane by lane: `x > T(0) ? x : y`, refused in a sentence.
#define INLAY_REFUSE_COMPARISON(op)                                                                                  \
    template <class A, class B>                                                                                      \
        requires(is_vec<A> || is_vec<B>)                                                                             \
    constexpr bool operator op(const A&, const B&) {                                                                 \
        static_assert(!sizeof(A), "inlay: values of an operation may be vectors: math::gt(x, y) compares (lt, le, ge, " \
                                  "eq, ne) and math::select(c, x, y) chooses");                                      \
        return false;                                                                                                \
    }
INLAY_REFUSE_COMPARISON(<)
INLAY_REFUSE_COMPARISON(<=)
INLAY_REFUSE_COMPARISON(>)
INLAY_REFUSE_COMPARISON(>=)
INLAY_REFUSE_COMPARISON(==)
INLAY_REFUSE_COMPARISON(!=)
#undef INLAY_REFUSE_COMPARISON
}  // namespace math

using math::Vec;

/// The widest vector of this build of the host executor.
inline constexpr int host_lanes = host_vector_bytes / 4;
using fvec = Vec<float, host_lanes>;

}  // namespace inlay::inline INLAY_ABI
