// SPDX-License-Identifier: Apache-2.0
/// Checks of a kernel's tensors that do not depend on the kernel. Those of a plan may be null: they need memory only
/// when the kernel runs.
#pragma once

#include <inlay/exec/packed.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/print.hpp>
#include <inlay/expr/view/broadcast.hpp>

namespace inlay::inline INLAY_ABI::detail {

/// A tensor or packed weight whatever its type, so that one function checks all.
struct AnyOperand {
    int rank;
    index_t element_bytes;
    const void* memory;
    const index_t *extents, *strides;   ///< strides: null where packed

    template <Storage T, int R>
    AnyOperand(const Tensor<T, R>& t)
        : rank(R), element_bytes(sizeof(T)), memory(t.data), extents(t.extents.v), strides(t.strides.v) {}
    template <Storage T, int R>
    AnyOperand(const Packed<T, R>& t)
        : rank(R), element_bytes(sizeof(T)), memory(t.data), extents(t.extents.v), strides(nullptr) {}

    bool empty() const {
        for (int i = 0; i < rank; ++i)
            if (extents[i] == 0) return true;
        return false;
    }
    /// Elements; axes of extent 0 are left out, so that no product of some of the axes is more.
    index_t elements() const {
        index_t n = 1;
        for (int i = 0; i < rank; ++i)
            if (extents[i] != 0) n = checked_product(n, extents[i]);
        return n;
    }
    /// Bytes from the lowest element to the end of the highest.
    index_t span() const {
        if (empty()) return 0;
        if (!strides) return checked_product(elements(), element_bytes);
        index_t last = 1;
        for (int i = 0; i < rank; ++i) {
            const index_t s = strides[i], step = s >= 0 ? s : s == -too_many - 1 ? too_many : -s;
            last = checked_sum(last, checked_product(extents[i] - 1, step));
        }
        return checked_product(last, element_bytes);
    }
};

/// The i-th of a part of the arguments of `prepare`. Throws on a negative extent, and on more elements or bytes than
/// can be counted; where it is written, on a stride of 0 along an axis of several elements.
INLAY_OUTLINE void check_operand(const char* part, int i, bool written, const AnyOperand& o) {
    for (int a = 0; a < o.rank; ++a)
        if (o.extents[a] < 0) fail(part + decimal_text(i) + " has a negative extent: " + text(o.extents, o.rank));
    if (o.elements() > most_elements)
        fail(part + decimal_text(i) + " " + text(o.extents, o.rank) + " has extents that multiply to more than 2^54");
    if (o.span() > most_elements)
        fail(part + decimal_text(i) + " " + text(o.extents, o.rank) + " spans more than 2^54 bytes" +
             (o.strides ? " with the strides " + text(o.strides, o.rank) : Text()));
    for (int a = 0; written && !o.empty() && a < o.rank; ++a)
        if (o.extents[a] > 1 && o.strides[a] == 0)
            fail(part + decimal_text(i) + " " + text(o.extents, o.rank) + " has stride 0 along axis " +
                 decimal_text(a) + ", expected an address for each element");
}
template <class... T, int... I>
void check_operands([[maybe_unused]] const char* part, [[maybe_unused]] bool written, const pack<T...>& all,
                    std::integer_sequence<int, I...>) {
    (check_operand(part, I, written, get<I>(all)), ...);
}

/// Throws where an operand of a kernel has elements and no memory.
INLAY_OUTLINE void demand_memory(Text (*kernel)(), const char* part, int i, const AnyOperand& o) {
    if (!o.memory && !o.empty())
        fail(kernel() + ": " + part + decimal_text(i) + " " + text(o.extents, o.rank) + " is null");
}
template <class... T, int... I>
void demand_memory([[maybe_unused]] Text (*kernel)(), [[maybe_unused]] const char* part, const pack<T...>& all,
                   std::integer_sequence<int, I...>) {
    (demand_memory(kernel, part, I, get<I>(all)), ...);
}

inline Text data_of(int columns) {
    return columns == 0 ? Text("row by row") : "in panels of " + decimal_text(columns) + " columns";
}
/// Throws where a packed weight lies otherwise than a target reads it.
template <class W>
void demand_layout([[maybe_unused]] Text (*kernel)(), [[maybe_unused]] int i, [[maybe_unused]] int columns,
                   [[maybe_unused]] const W& w) {
    if constexpr (is_packed<W>)
        if (w.panel_columns != columns)
            fail(kernel() + ": weight " + decimal_text(i) + " " + text(w.extents) + " was packed " +
                 data_of(w.panel_columns) + ", this target reads it " + data_of(columns));
}
template <class... T, int... I>
void demand_layout([[maybe_unused]] Text (*kernel)(), [[maybe_unused]] int columns,
                   [[maybe_unused]] const pack<T...>& all, std::integer_sequence<int, I...>) {
    (demand_layout(kernel, I, columns, get<I>(all)), ...);
}

template <class P>
inline constexpr bool holds_double = false;
template <class... T>
inline constexpr bool holds_double<pack<T...>> = ((dtype_of<typename T::value_type> == DType::f64) || ...);

template <class N>
inline constexpr bool is_broadcast = false;
template <class E, class Like>
inline constexpr bool is_broadcast<Broadcast<E, Like>> = true;
/// True if a node is a Broadcast, which may read no more than the extents of a slot.
template <class... N>
constexpr bool broadcasts(types<N...>) {
    return (is_broadcast<N> || ...);
}

}  // namespace inlay::inline INLAY_ABI::detail
