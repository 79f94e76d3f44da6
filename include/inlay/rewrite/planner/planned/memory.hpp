// SPDX-License-Identifier: Apache-2.0
/// Offsets of the tensors that a plan's kernels leave for one another, from their lifetimes: a tensor lives from the
/// kernel that stores it to the last one of its phase that reads it, and results and what later phases read to the end.
/// Tensors that live at once do not overlap. Constants for the shape of a plan, and a function of other extents.
#pragma once

#include <inlay/rewrite/planner/phase.hpp>
#include <inlay/rewrite/planner/planned/kernel_list.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// Boundary on which tensors begin, that of `Arena`.
inline constexpr std::int64_t memory_alignment = 256;

struct Memory {
    int tensors = 0;
    std::int64_t bytes = 0;             ///< from the start to the end of the last one
    std::int64_t live = 0;              ///< that live at once, at most: no placement takes less
    std::int64_t offset[most_values];   ///< of each value's tensor; −1: it has none in this phase
};

namespace detail {

/// Tensors of one phase, in the order in which kernels store them.
struct Lifetimes {
    int count = 0;
    int value[most_values] = {}, first[most_values] = {}, last[most_values] = {};
    std::int64_t bytes[most_values] = {};

    constexpr bool meet(int i, int j) const { return first[i] <= last[j] && first[j] <= last[i]; }
};

template <class Bytes>
constexpr Lifetimes lifetimes_of(const KernelList& list, Phase phase, const Bytes& bytes_of) {
    Lifetimes l;
    const int in_phase = static_cast<int>(phase);
    for (int k = 0; k < list.count; ++k)
        for (int o = 0; o < list.kernel[k].outputs && list.kernel[k].phase == in_phase; ++o) {
            const int v = list.kernel[k].output[o], last = list.last_use[v];
            l.value[l.count] = v;
            l.first[l.count] = k;
            l.last[l.count] = last >= 0 && list.kernel[last].phase == in_phase ? last : most_kernels;
            const std::int64_t bytes = bytes_of(v), lines = (bytes + memory_alignment - 1) / memory_alignment;
            l.bytes[l.count++] = larger(lines, std::int64_t(1)) * memory_alignment;
        }
    return l;
}

/// Places tensors one by one, each at the lowest offset that is free over its lifetime.
struct FirstFit {
    const Lifetimes& lives;
    std::int64_t offset[most_values] = {};
    bool placed[most_values] = {};
    std::int64_t bytes = 0;

    constexpr void add(int i) {
        std::int64_t at = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (int j = 0; j < lives.count; ++j)
                if (placed[j] && lives.meet(i, j) && at < offset[j] + lives.bytes[j] && offset[j] < at + lives.bytes[i])
                    at = offset[j] + lives.bytes[j], moved = true;
        }
        offset[i] = at;
        placed[i] = true;
        bytes = larger(bytes, at + lives.bytes[i]);
    }
    /// As an arena does, in the order in which kernels store them.
    constexpr void in_order_of_kernels() {
        for (int i = 0; i < lives.count; ++i) add(i);
    }
    /// The greatest first.
    constexpr void by_size() {
        for (int n = 0; n < lives.count; ++n) {
            int next = -1;
            for (int i = 0; i < lives.count; ++i)
                if (!placed[i] && (next < 0 || lives.bytes[i] > lives.bytes[next])) next = i;
            add(next);
        }
    }
};

/// The better one of both orders, so never more than an arena takes.
constexpr Memory place(const Lifetimes& lives) {
    Memory m;
    for (int v = 0; v < most_values; ++v) m.offset[v] = -1;
    m.tensors = lives.count;
    for (int i = 0; i < lives.count; ++i) {
        std::int64_t live = 0;
        for (int j = 0; j < lives.count; ++j)
            if (lives.first[j] <= lives.first[i] && lives.first[i] <= lives.last[j]) live += lives.bytes[j];
        m.live = larger(m.live, live);
    }
    FirstFit in_order{lives}, by_size{lives};
    in_order.in_order_of_kernels();
    if (in_order.bytes > m.live) by_size.by_size();
    const FirstFit& best = in_order.bytes > m.live && by_size.bytes < in_order.bytes ? by_size : in_order;
    m.bytes = best.bytes;
    for (int i = 0; i < lives.count; ++i) m.offset[lives.value[i]] = best.offset[i];
    return m;
}

}  // namespace detail

/// The placement of what kernels of a phase store. `bytes_of(value)`: bytes of its tensor.
template <class Bytes>
constexpr Memory place(const detail::KernelList& list, Phase phase, const Bytes& bytes_of) {
    return detail::place(detail::lifetimes_of(list, phase, bytes_of));
}
/// The same for the shape of the layer's facts.
constexpr Memory place(const Facts& facts, const detail::KernelList& list, Phase phase) {
    return place(list, phase, [&](int v) { return facts.value[v].count() * facts.value[v].bytes; });
}

}  // namespace inlay::inline INLAY_ABI::planner
