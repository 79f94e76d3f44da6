// SPDX-License-Identifier: Apache-2.0
/// Ids of the pages of keys and values, on their way to shared memory while two blocks before are copied and multiplied:
/// a copy that reads its own waits for memory before it begins.
#pragma once

#include <inlay/tile/gpu/attention/loads/copies.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Ids of two blocks of keys in turn, [2][keys and values][Tile::keys]; each is read once, by one thread.
template <class Tile, class Keys, class Values, class K, class V>
struct PageIds {
    static constexpr bool any = Keys::ahead || Values::ahead;
    static constexpr int count = 2 * Tile::keys, each = (count + Tile::threads - 1) / Tile::threads;
    static constexpr int bytes = any ? 2 * count * static_cast<int>(sizeof(std::int32_t)) : 0;
    std::int32_t* in_shared;
    std::int32_t next[any ? each : 1] = {};

    __device__ explicit PageIds(std::byte* memory) : in_shared(reinterpret_cast<std::int32_t*>(memory)) {}

    /// Reads those of a block. 0 of rows that are not there, and of an operand without pages in memory.
    __device__ INLAY_INLINE void read(const K& k, const V& v, const KeyRows& rows) {
        each_id([&](int i, int row, bool of_values) {
            Extents<4> c;
            next[i] = 0;
            if (!rows.at(row, c)) return;
            if constexpr (Keys::ahead)
                if (!of_values && k.view.data) next[i] = *k.view.id(c[0], static_cast<unsigned>(c[2]));
            if constexpr (Values::ahead)
                if (of_values && v.view.data) next[i] = *v.view.id(c[0], static_cast<unsigned>(c[2]));
        });
    }
    /// Stores them as those of block `block` of the loop; visible after the next barrier.
    __device__ INLAY_INLINE void store(int block) {
        each_id([&](int i, int row, bool of_values) {
            in_shared[(block % 2 * 2 + of_values) * Tile::keys + row] = next[i];
        });
    }
    __device__ INLAY_INLINE const std::int32_t* of_keys(int block) const {
        return in_shared + block % 2 * count;
    }
    __device__ INLAY_INLINE const std::int32_t* of_values(int block) const { return of_keys(block) + Tile::keys; }

private:
    template <class F>
    __device__ INLAY_INLINE static void each_id(F&& f) {
        if constexpr (any) {
            INLAY_UNROLL
            for (int i = 0; i < each; ++i) {
                const int at = thread_index() + i * Tile::threads;
                if (count % Tile::threads == 0 || at < count) f(i, at % Tile::keys, at >= Tile::keys);
            }
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
