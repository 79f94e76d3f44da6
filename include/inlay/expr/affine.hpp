// SPDX-License-Identifier: Apache-2.0
/// An expression of views alone as what it is in memory: one pointer and a stride per axis. Copy engines read nothing
/// else. The types decide at compile time if it is possible; a reshape may still be refused once extents are bound.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/view/broadcast.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/expr/view/slice.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

/// Element c lies at data + Σ c[i] · strides[i]. Null where an expression is not of this form.
template <class T, int R>
struct AffineView {
    const T* data = nullptr;
    Extents<R> strides{};
};

/// The same as numbers, also of a tensor that has no memory yet: element c is number start + Σ c[i] · strides[i] of
/// `tensor`.
template <class T, int R>
struct AffineMap {
    const T* tensor = nullptr;
    index_t start = 0;
    Extents<R> strides{};
    bool exists = true;     ///< false: extents and strides do not allow this form

    /// As an address; of a tensor without memory, as if that began at 0, a multiple of all.
    std::uintptr_t address() const {
        return reinterpret_cast<std::uintptr_t>(tensor) + static_cast<std::uintptr_t>(start) * sizeof(T);
    }
};

namespace detail {

/// The strides of `to`, the same elements as `from` in row-major order; false where an axis of `to` crosses a gap. Axes
/// of `from` that lie densely in each other count as one, of which the axes of `to` are the factors.
template <int R, int Q>
constexpr bool reshape_strides(const Extents<R>& from, const Extents<R>& strides, const Extents<Q>& to,
                               Extents<Q>& out) {
    static_assert(R >= 1);
    int q = Q - 1;
    index_t step = strides[R - 1], merged = 1, taken = 1;
    for (int i = R - 1; i >= 0; --i) {
        merged *= from[i];
        if (i > 0 && (from[i - 1] == 1 || strides[i - 1] == merged * step)) continue;
        for (; q >= 0 && (taken < merged || to[q] == 1); --q) {
            out[q] = taken * step;
            taken *= to[q];
        }
        if (taken != merged) return false;
        if (i > 0) step = strides[i - 1];
        merged = taken = 1;
    }
    return q < 0;
}

template <class E>
inline constexpr bool is_affine = false;
template <int I>
inline constexpr bool is_affine<Buf<I>> = true;
template <class E, auto A, auto B, auto N>
inline constexpr bool is_affine<node::Slice<E, A, B, N>> = is_affine<E>;
template <class E, index_t... P>
inline constexpr bool is_affine<node::Permute<E, P...>> = is_affine<E>;
template <class E, index_t A, index_t B>
inline constexpr bool is_affine<node::Transpose<E, A, B>> = is_affine<E>;
template <class E, class L>
inline constexpr bool is_affine<node::Broadcast<E, L>> = is_affine<E>;
template <class E, auto... D>
inline constexpr bool is_affine<node::Reshape<E, D...>> = is_affine<E>;

/// Builds the view by structure, from the buffer up.
template <class B>
struct AffineOf {
    const B& b;

    template <int I>
    auto of(Buf<I>) const {
        const auto& t = b.env.template tensor<I>();
        using Tensor = std::remove_cvref_t<decltype(t)>;
        return AffineMap<std::remove_const_t<typename Tensor::value_type>, Tensor::rank>{t.data, 0, t.strides};
    }
    template <class E, auto A, auto Start, auto N>
    auto of(node::Slice<E, A, Start, N> v) const {
        auto s = of(E{});
        const auto& state = state_of(v).state;
        s.start += state.start * s.strides[state.axis];
        return s;
    }
    template <class E, index_t... P>
    auto of(node::Permute<E, P...>) const {
        auto s = of(E{});
        s.strides = {{s.strides[static_cast<int>(P)]...}};
        return s;
    }
    template <class E, index_t X, index_t Y>
    auto of(node::Transpose<E, X, Y>) const {
        auto s = of(E{});
        constexpr int R = decltype(s.strides)::rank;
        std::swap(s.strides[axis_of<X, R>()], s.strides[axis_of<Y, R>()]);
        return s;
    }
    template <class E, class L>
    auto of(node::Broadcast<E, L> v) const {
        const auto s = of(E{});
        const auto from = extents_of<E>(b.env);
        constexpr int R = decltype(from)::rank, Q = std::remove_cvref_t<decltype(state_of(v).extents)>::rank;
        AffineMap<element<decltype(s)>, Q> r{s.tensor, s.start, {}, s.exists};
        for (int i = 0; i < R; ++i) r.strides[Q - R + i] = from[i] == 1 ? 0 : s.strides[i];
        return r;
    }
    template <class E, auto... D>
    auto of(node::Reshape<E, D...> v) const {
        const auto s = of(E{});
        const auto& view = state_of(v);
        AffineMap<element<decltype(s)>, static_cast<int>(sizeof...(D))> r{s.tensor, s.start};
        r.exists = s.exists && reshape_strides(view.state.in, s.strides, view.extents, r.strides);
        return r;
    }

private:
    template <class S>
    using element = std::remove_cvref_t<decltype(*std::declval<S>().tensor)>;
    template <class V>
    const auto& state_of(V) const {
        return b.template state_of<V>();
    }
};

}  // namespace detail

/// True if the types of an expression allow an AffineView.
template <class E>
inline constexpr bool is_affine = detail::is_affine<E>;

/// A bound expression as a tensor and strides.
template <class B>
auto affine_map(const B& bound) {
    static_assert(is_affine<typename B::expression>);
    return detail::AffineOf<B>{bound}.of(typename B::expression{});
}

/// A bound expression as pointer and strides; its data is null where extents and strides do not allow it, and of a
/// tensor without memory.
template <class B>
auto affine_view(const B& bound) {
    const auto view = [&]<class T, int R>(const AffineMap<T, R>& m) {
        return AffineView<T, R>{m.exists && m.tensor ? m.tensor + m.start : nullptr, m.strides};
    };
    return view(affine_map(bound));
}

}  // namespace inlay::inline INLAY_ABI
