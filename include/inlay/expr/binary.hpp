// SPDX-License-Identifier: Apache-2.0
/// Pointwise operations of two operands, broadcast as in NumPy. A number in an expression
/// is spelled `constant<0.5>` or `param<I>`.
#pragma once

#include <inlay/core/vec.hpp>
#include <inlay/expr/leaf.hpp>
#include <inlay/expr/refused.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

template <class A, class B>
struct Add : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return a + b;
    }
};

template <class A, class B>
struct Sub : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return a - b;
    }
};

template <class A, class B>
struct Mul : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return a * b;
    }
};

template <class A, class B>
struct Div : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return a / b;
    }
};

/// 1 where a < b, else 0.
template <class A, class B>
struct Less : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::lt(a, b);
    }
};

template <class A, class B>
struct LessEqual : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::le(a, b);
    }
};

template <class A, class B>
struct Greater : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::gt(a, b);
    }
};

template <class A, class B>
struct GreaterEqual : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::ge(a, b);
    }
};

template <class A, class B>
struct Equal : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::eq(a, b);
    }
};

template <class A, class B>
struct NotEqual : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::ne(a, b);
    }
};

/// 1 where both are not 0.
template <class A, class B>
struct And : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::ne(a, T(0)) * math::ne(b, T(0));
    }
};

/// 1 where one is not 0.
template <class A, class B>
struct Or : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return (math::max)(math::ne(a, T(0)), math::ne(b, T(0)));
    }
};

/// NaN passes, as in PyTorch.
template <class A, class B>
struct Min : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return (math::min)(a, b);
    }
};

/// NaN passes, as in PyTorch.
template <class A, class B>
struct Max : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return (math::max)(a, b);
    }
};

template <class A, class B>
struct Pow : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::pow(a, b);
    }
};

/// a where a > 0, else a times the slope b.
template <class A, class B>
struct LeakyRelu : pointwise<A, B> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b) {
        return math::select(math::gt(a, T(0)), a, a * b);
    }
};

template <Expr A, Expr B>
INLAY_FN constexpr Add<A, B> operator+(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Sub<A, B> operator-(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Mul<A, B> operator*(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Div<A, B> operator/(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Less<A, B> operator<(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr LessEqual<A, B> operator<=(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Greater<A, B> operator>(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr GreaterEqual<A, B> operator>=(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Equal<A, B> operator==(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr NotEqual<A, B> operator!=(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr And<A, B> operator&&(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Or<A, B> operator||(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Min<A, B> (min)(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Max<A, B> (max)(A, B) {
    return {};
}
template <Expr A, Expr B>
INLAY_FN constexpr Pow<A, B> pow(A, B) {
    return {};
}
template <auto Slope = 0.01, Expr A>
INLAY_FN constexpr LeakyRelu<A, Const<Slope>> leaky_relu(A) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI

INLAY_STRICT_DEVICE_END
