// SPDX-License-Identifier: Apache-2.0
/// Places of a persistent program's buffers: those whose values never live at one time share bytes.
#pragma once

#include <inlay/plan/persistent/check.hpp>

namespace inlay::inline INLAY_ABI::persistent {

struct Storage {
    int at[ProgramFacts::most_buffers] = {};  ///< bytes from the beginning; -1: kept, in memory of its own
    int bytes = 0;
};

/// First fit, in the order of the buffers' numbers, at multiples of `alignment` bytes.
constexpr Storage place_buffers(const ProgramFacts& f, const Order& o, int alignment = 128) {
    Storage s;
    const auto end = [&](int b) { return s.at[b] + (f.buffers[b].bytes + alignment - 1) / alignment * alignment; };
    for (int b = 0; b < f.buffer_count; ++b) {
        s.at[b] = -1;
        if (f.buffers[b].kept) continue;
        int at = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (int c = 0; c < b; ++c) {
                if (s.at[c] < 0 || at >= end(c) || at + f.buffers[b].bytes <= s.at[c] || may_share(f, o, b, c))
                    continue;
                at = end(c), moved = true;
            }
        }
        s.at[b] = at;
        if (end(b) > s.bytes) s.bytes = end(b);
    }
    return s;
}

/// Two buffers whose bytes overlap though their values may live at one time, as `phase` and `other`; no fault if there
/// are none.
constexpr Verdict check_storage(const ProgramFacts& f, const Order& o, const Storage& s) {
    for (int a = 0; a < f.buffer_count; ++a)
        for (int b = 0; b < a; ++b) {
            if (s.at[a] < 0 || s.at[b] < 0) continue;
            const bool apart = s.at[a] + f.buffers[a].bytes <= s.at[b] || s.at[b] + f.buffers[b].bytes <= s.at[a];
            if (!apart && !may_share(f, o, a, b)) return {Fault::lifetimes, -1, a, b};
        }
    return {};
}

/// The places of a checked program's buffers.
template <class P>
struct StorageOf {
    static constexpr Storage places = place_buffers(Checked<P>::facts, order_of(Checked<P>::facts));
    static_assert(check_storage(Checked<P>::facts, order_of(Checked<P>::facts), places).fault == Fault::none,
                  "inlay: two buffers of a persistent program overlap in storage while values of both live");
    /// Bytes from the beginning of the storage.
    template <class B>
    static constexpr int at = places.at[buffer_number<P, B>];
};

}  // namespace inlay::inline INLAY_ABI::persistent
