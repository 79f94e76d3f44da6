// SPDX-License-Identifier: Apache-2.0
/// Rows that are computed from one tensor in fp8, as keys and their scales: its chunks are loaded all at once and wait
/// in registers; later each is converted, the rest of the expression evaluated on it, and stored to shared memory.
#pragma once

#include <inlay/tile/gpu/attention/loads/operand.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Reads 8 elements of every leaf, those of the tensor in fp8 from registers.
struct HeldReader {
    using scalar = float;
    using value = Vec<float, 8>;
    static constexpr bool coarse = true;
    uint2 held;

    __device__ INLAY_INLINE value load(const fp8*, index_t, index_t) const {
        value v;
        const std::uint32_t words[] = {held.x, held.y};
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i)
            on_gpu::detail::unpack_fp8(words[i / 2] >> (i % 2 * 16), v.v[2 * i], v.v[2 * i + 1]);
        return v;
    }
    template <class U>
    __device__ INLAY_INLINE value load(const U* p, index_t step, index_t) const {
        return load_lanes<8>(p, step, 0, 8);
    }
    __device__ INLAY_INLINE value iota(float start, float step) const {
        return on_gpu::detail::count_up<8>(start, step);
    }
};

/// Rows rows of an operand whose `view` has data, by all threads.
template <class Row, int Rows, int Threads>
struct HeldRows {
    using Share = RowShare<Row, Rows, Threads>;
    static constexpr int lanes = Share::lanes, at_once = Share::at_once, rows = Share::rows, columns = Share::columns;
    uint2 chunks[rows * columns];

    template <class T, class B, class Where, class Place>
    __device__ INLAY_INLINE void load(const Operand<T, B>& from, const Where& where,
                                      const RowPlaces<Share, Place>& places) {
        const int chunk0 = Share::first_chunk();
        const auto address = places.addresses(from.view, where);
        each(where, [&](int i, int j, bool there, const Extents<4>& c) {
            const fp8* p = address(i, c, chunk0 * 8) + j * lanes * 8;
            chunks[i * columns + j] = there ? *reinterpret_cast<const uint2*>(p) : uint2{0, 0};
        });
    }
    /// Stores them; visible after the next barrier.
    template <class T, class B, class Where>
    __device__ INLAY_INLINE void land(std::byte* to, const Operand<T, B>& from, const Where& where) const {
        const int chunk0 = Share::first_chunk(), row0 = Share::first_row();
        if constexpr (Operand<T, B>::scaled)
            if (from.one_of_keys) return land_scaled<T>(to, scale_of_keys(from, where));
        each(where, [&](int i, int j, bool there, Extents<4> c) {
            const int row = row0 + i * at_once, chunk = chunk0 + j * lanes;
            const HeldReader held{chunks[i * columns + j]};
            Vec<float, 8> v = 0.0f;
            if constexpr (Operand<T, B>::scaled) {
                const float scale = there ? scale_at<typename Operand<T, B>::Scale>(from.bound, c) : 0.0f;
                v = held.load(static_cast<const fp8*>(nullptr), 1, 0) * Vec<float, 8>(scale);
            } else if (there) {
                c[3] = chunk * 8;
                v = evaluated(from.bound, c, held);
            }
            if (row0 < at_once && row < Rows && chunk < Row::chunks)
                *reinterpret_cast<uint4*>(to + row * Row::pitch + chunk * 16) = packed_chunk<T>(v);
        });
    }

private:
    /// The scale of all rows, where they have one.
    template <class T, class B, class Where>
    __device__ INLAY_INLINE static float scale_of_keys(const Operand<T, B>& from, const Where& where) {
        Extents<4> first;
        where.at(0, first);
        return scale_at<typename Operand<T, B>::Scale>(from.bound, first);
    }
    /// Stores them times one scale. Rows that are not there are zeros already.
    template <class T>
    __device__ INLAY_INLINE void land_scaled(std::byte* to, float scale) const {
        const int chunk0 = Share::first_chunk(), row0 = Share::first_row();
        std::byte* const at = to + row0 * Row::pitch + chunk0 * 16;
        if (Threads % lanes != 0 && row0 >= at_once) return;
        INLAY_UNROLL
        for (int i = 0; i < rows; ++i)
            INLAY_UNROLL
            for (int j = 0; j < columns; ++j) {
                const HeldReader held{chunks[i * columns + j]};
                const Vec<float, 8> v = held.load(static_cast<const fp8*>(nullptr), 1, 0) * Vec<float, 8>(scale);
                if ((Rows % at_once == 0 || row0 + i * at_once < Rows) &&
                    (Row::chunks % lanes == 0 || chunk0 + j * lanes < Row::chunks))
                    *reinterpret_cast<uint4*>(at + i * at_once * Row::pitch + j * lanes * 16) = packed_chunk<T>(v);
            }
    }
    /// f(row, column, it is there, coordinate) for every chunk of this thread.
    template <class Where, class F>
    __device__ INLAY_INLINE static void each(const Where& where, F&& f) {
        const int chunk0 = Share::first_chunk(), row0 = Share::first_row();
        INLAY_UNROLL
        for (int i = 0; i < rows; ++i) {
            const int row = row0 + i * at_once;
            Extents<4> c;
            const bool ok = where.at(row, c) && row0 < at_once && row < Rows;
            INLAY_UNROLL
            for (int j = 0; j < columns; ++j) f(i, j, ok && chunk0 + j * lanes < Row::chunks, c);
        }
    }
    /// 8 values of an expression; from its leaves again where one run does not cover them.
    template <class B>
    __device__ INLAY_INLINE static Vec<float, 8> evaluated(const B& bound, const Extents<4>& c, const HeldReader& held) {
        CursorsOf<typename B::expression, B, Vec<float, 8>> cursors;
        Walk<4> w{c, 3, 8};
        cursors.place(bound, w, nullptr);
        return w.run == 8 ? cursors.eval(bound, held, 0) : read_chunk<8>(bound, c, 8);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
