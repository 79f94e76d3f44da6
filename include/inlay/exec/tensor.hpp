// SPDX-License-Identifier: Apache-2.0
/// A tensor: a pointer the caller owns, extents and strides of a static rank. Copying it copies no data.
#pragma once

#include <inlay/core/caller_types.hpp>
#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>

#include <initializer_list>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

/// T: storage type, const for a tensor that is only read. R: rank. Strides count elements.
template <Storage T, int R>
struct Tensor {
    using value_type = T;
    static constexpr int rank = R;

    T* data = nullptr;
    Extents<R> extents{};
    Extents<R> strides{};

    Tensor() = default;
    /// Dense, row-major.
    INLAY_FN constexpr Tensor(T* p, const Extents<R>& e) : data(p), extents(e), strides(row_major(e)) {}
    INLAY_FN constexpr Tensor(T* p, const Extents<R>& e, const Extents<R>& s) : data(p), extents(e), strides(s) {}
    template <Stored U>
        requires(!Storage<U> && std::is_convertible_v<storage_type<U>*, T*>)
    INLAY_FN constexpr Tensor(U* p, const Extents<R>& e) : Tensor(as_storage(p), e) {}
    template <Stored U>
        requires(!Storage<U> && std::is_convertible_v<storage_type<U>*, T*>)
    INLAY_FN constexpr Tensor(U* p, const Extents<R>& e, const Extents<R>& s)
        : Tensor(as_storage(p), e, s) {}
    /// A tensor to write is also one to read.
    template <class U>
        requires(std::is_same_v<const U, T> && !std::is_const_v<U>)
    INLAY_FN constexpr Tensor(const Tensor<U, R>& o) : data(o.data), extents(o.extents), strides(o.strides) {}

    INLAY_FN constexpr index_t size() const { return count(extents); }
    INLAY_FN constexpr bool contiguous() const {
        if (!has_elements(extents)) return true;
        index_t n = 1;
        for (int i = R - 1; i >= 0; --i) {
            if (extents[i] != 1 && strides[i] != n) return false;
            n *= extents[i];
        }
        return true;
    }
    INLAY_FN constexpr T& operator()(const Extents<R>& c) const {
        index_t o = 0;
        for (int i = 0; i < R; ++i) o += c[i] * strides[i];
        return data[o];
    }
};

/// Over memory of a type that is laid out as a storage type (`__half`, …).
template <Stored T, int R>
Tensor(T*, const Extents<R>&) -> Tensor<storage_type<T>, R>;
template <Stored T, int R>
Tensor(T*, const Extents<R>&, const Extents<R>&) -> Tensor<storage_type<T>, R>;

namespace detail {
template <class... I>
inline constexpr bool are_extents =
    ((std::is_convertible_v<I, index_t> && !std::is_floating_point_v<I> && !std::is_same_v<I, bool>) && ...);
}  // namespace detail

/// A dense tensor over `data`; the rank follows from the number of extents.
template <Stored T, class... I>
INLAY_FN constexpr auto tensor(T* data, I... extents) {
    static_assert(detail::are_extents<I...>,
                  "inlay: the extents of a tensor are integers, an argument for each axis: tensor(p, 64, 320)");
    constexpr int rank = static_cast<int>(sizeof...(I));
    return Tensor<storage_type<T>, rank>(as_storage(data), {{static_cast<index_t>(extents)...}});
}

/// Other arguments, refused in a sentence: pointers to what no tensor stores, what is no pointer, extents in braces.
template <class T, class... I>
    requires(!Stored<T>)
constexpr Tensor<float, sizeof...(I)> tensor(T*, const I&...) {
    static_assert(Stored<T>, "inlay: tensors store float, fp16, bf16, fp8, std::int32_t or, for the oracle, double: "
                             "tensor(p, extents...) takes a pointer to one of them, or to a type of the same layout");
    return {};
}
template <class P, class... I>
    requires(!std::is_pointer_v<std::decay_t<P>>)
constexpr Tensor<float, sizeof...(I)> tensor(const P&, const I&...) {
    static_assert(!sizeof(P), "inlay: tensor(p, extents...) takes a pointer first, as v.data() is of a vector");
    return {};
}
template <class T>
constexpr Tensor<float, 1> tensor(T*, std::initializer_list<index_t>) {
    static_assert(!sizeof(T), "inlay: the extents of a tensor are no list, but an argument for each axis: tensor(p, 64, "
                              "320)");
    return {};
}

/// The same elements of a dense tensor under other extents. Throws when the counts differ or the tensor is not dense.
template <Storage T, int R, class... I>
constexpr auto reshaped(const Tensor<T, R>& t, I... extents) {
    static_assert(detail::are_extents<I...>, "inlay: the extents of reshaped(t, extents...) are integers");
    Tensor<T, static_cast<int>(sizeof...(I))> r(t.data, {{static_cast<index_t>(extents)...}});
    require(t.contiguous(), "reshaped: the tensor ", text(t.extents), " is not dense");
    require(((extents >= 0) && ...), "reshaped: negative extents: ", text(r.extents));
    require(checked_count(r.extents) <= most_elements && r.size() == t.size(), "reshaped: ", text(t.extents),
            " does not hold as many elements as ", text(r.extents));
    return r;
}

/// Bytes of a dense tensor of T. Throws where they cannot be counted.
template <Storage T, int R>
constexpr std::size_t dense_bytes(const Extents<R>& e) {
    for (int i = 0; i < R; ++i) require(e[i] >= 0, "a tensor has a negative extent: ", text(e));
    require(checked_product(checked_count(e), sizeof(T)) <= most_elements, "a tensor ", text(e), " of ",
            name(dtype_of<T>), " has more than 2^54 bytes");
    return sizeof(T) * static_cast<std::size_t>(count(e));
}

template <class T>
inline constexpr bool is_tensor = false;
template <class T, int R>
inline constexpr bool is_tensor<Tensor<T, R>> = true;

}  // namespace inlay::inline INLAY_ABI
