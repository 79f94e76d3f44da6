// SPDX-License-Identifier: Apache-2.0
/// Pointwise operations of one operand.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/vec.hpp>
#include <inlay/expr/node.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

/// SiLU: x·σ(x).
template <class E>
struct Silu : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::quotient(x, T(1) + math::quick_exp(-x));
    }
    template <class T>
    INLAY_FN static T apply_coarsely(const T& x) {
        return coarsely_of_half(T(0.5) * x);
    }
    template <class T>
    INLAY_FN static T coarsely_of_half(const T& half) {
        return half + half * math::coarse_tanh(half);
    }
};

/// GELU, exact: x·Φ(x) with the error function.
template <class E>
struct Gelu : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return T(0.5) * x * (T(1) + math::erf(x * T(0.70710678118654752440)));
    }
    template <class T>
    INLAY_FN static T apply_coarsely(const T& x) {
        return (math::max)(x, T(0)) - math::coarse_tail(x);
    }
};

/// GELU's tanh approximation.
template <class E>
struct GeluTanh : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return T(0.5) * x * (T(1) + math::tanh(T(0.79788456080286535588) * (x + T(0.044715) * x * x * x)));
    }
    template <class T>
    INLAY_FN static T apply_coarsely(const T& x) {
        const T half = T(0.5) * x;
        return half + half * math::coarse_tanh(x * (T(0.79788456080286535588) + T(0.035677408136300125) * (x * x)));
    }
};

/// QuickGELU: x·σ(1.702 x), as CLIP uses it.
template <class E>
struct QuickGelu : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::quotient(x, T(1) + math::quick_exp(T(-1.702) * x));
    }
    template <class T>
    INLAY_FN static T apply_coarsely(const T& x) {
        const T half = T(0.5) * x;
        return half + half * math::coarse_tanh(T(0.851) * x);
    }
};

/// σ(x).
template <class E>
struct Sigmoid : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::quotient(T(1), T(1) + math::quick_exp(-x));
    }
};

template <class E>
struct Tanh : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::tanh(x);
    }
};

/// max(x, 0); NaN passes.
template <class E>
struct Relu : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return (math::max)(x, T(0));
    }
};

template <class E>
struct Exp : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::exp(x);
    }
};

template <class E>
struct Exp2 : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::exp2(x);
    }
};

/// Natural logarithm.
template <class E>
struct Log : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::log(x);
    }
};

template <class E>
struct Sqrt : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::sqrt(x);
    }
};

/// 1/√x.
template <class E>
struct Rsqrt : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::rsqrt(x);
    }
};

template <class E>
struct Sin : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::sin(x);
    }
};

template <class E>
struct Cos : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::cos(x);
    }
};

template <class E>
struct Erf : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::erf(x);
    }
};

template <class E>
struct Neg : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return -x;
    }
};

template <class E>
struct Abs : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::abs(x);
    }
};

template <class E>
struct Floor : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::floor(x);
    }
};

template <class E>
struct Ceil : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::ceil(x);
    }
};

/// 1 where x is 0, else 0.
template <class E>
struct Not : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::eq(x, T(0));
    }
};

/// x rounded to the storage type D and read back; integers truncate towards zero.
template <class E, Storage D>
struct Cast : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        if constexpr (std::is_floating_point_v<T>) {
            return from_storage<T>(to_storage<D>(x));
        } else {
            T y = x;
            for (int i = 0; i < T::lanes; ++i) y.set(i, from_storage<typename T::value_type>(to_storage<D>(x[i])));
            return y;
        }
    }
};

/// x, with the promise that it does not decrease along the last axis on which it varies, so that a condition of it can
/// be searched for its bounds. Document ids of packed sequences are like this. Where the promise is broken, keys that a
/// condition makes visible may be left out.
template <class E>
struct Ascending : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return x;
    }
};

template <Expr E>
INLAY_FN constexpr Silu<E> silu(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Gelu<E> gelu(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr GeluTanh<E> gelu_tanh(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr QuickGelu<E> quick_gelu(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Sigmoid<E> sigmoid(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Tanh<E> tanh(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Relu<E> relu(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Exp<E> exp(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Exp2<E> exp2(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Log<E> log(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Sqrt<E> sqrt(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Rsqrt<E> rsqrt(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Sin<E> sin(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Cos<E> cos(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Erf<E> erf(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Neg<E> neg(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Abs<E> abs(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Floor<E> floor(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Ceil<E> ceil(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Ascending<E> ascending(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Not<E> logical_not(E) {
    return {};
}
template <Storage D, Expr E>
INLAY_FN constexpr Cast<E, D> cast(E) {
    return {};
}

template <Expr E>
INLAY_FN constexpr Neg<E> operator-(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Not<E> operator!(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI

INLAY_STRICT_DEVICE_END
