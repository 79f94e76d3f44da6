// SPDX-License-Identifier: Apache-2.0
/// Rows that a persistent block reads once, weights and cached keys, in a ring of shared memory: one warp copies them
/// in the order of the program, as far ahead as there is room, whatever the other warps wait for. So memory streams
/// while phases hand over their results.
#pragma once

#include <inlay/tile/cuda/isa/bulk.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/persistent/words.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Pieces of rows that are handed over together, and the bytes of their barriers, first slots and sizes.
inline constexpr int ring_pieces = 16, ring_control_bytes = ring_pieces * (8 + 8 + 4 + 4);
/// Rows of a piece, at most: of fp32, whose rows are twice as long, as many as one of 128 blocks or more has columns of
/// `Up` in GPT-2 124M.
template <class T>
inline constexpr int ring_piece_rows = sizeof(T) == 2 ? 32 : 24;
/// Clocks after which a wait for rows, or for room, ends the kernel with an error: seconds.
inline constexpr long long most_clocks = 1ll << 34;

/// Rows of `RowBytes` bytes, which lie 64 bytes apart modulo 128, so that two of them are read without bank conflicts.
/// A piece is at most `PieceRows` rows. Shared memory begins with the control, and has the rows from byte `RowsAt` on.
template <int RowBytes, int RowsAt, int PieceRows>
struct RowRing {
    static constexpr int row_bytes = RowBytes, rows_at = RowsAt, pitch = (RowBytes + 127) / 128 * 128 + 64;
    static constexpr int pieces = ring_pieces, most_rows = PieceRows;
    static_assert(RowBytes % 16 == 0 && RowsAt % 16 == 0);

    char* memory;
    int slots;      ///< rows that have room
    int piece = 0;  ///< of the producer or of a consumer: its next one

    /// By one thread, before a barrier of the block.
    __device__ INLAY_INLINE void init() const {
        for (int i = 0; i < pieces; ++i) barrier_init(full(i), copy_arrivals), barrier_init(empty(i), 1);
        fence_copy_barriers();
    }
    /// Bounded by clocks: a test of a barrier may take a while itself.
    __device__ INLAY_INLINE static void wait(std::uint32_t bar, int phase) {
        const auto parity = static_cast<std::uint32_t>(phase & 1);
        if (barrier_test(bar, parity)) return;
        for (const long long begin = clocks(); !barrier_test(bar, parity);)
            if (clocks() - begin > most_clocks) stop_kernel();
    }
    __device__ INLAY_INLINE std::uint32_t full(int i) const {
        return shared_address(memory) + static_cast<std::uint32_t>(i * 8);
    }
    __device__ INLAY_INLINE std::uint32_t empty(int i) const { return full(pieces + i); }
    __device__ INLAY_INLINE int* begins() const { return reinterpret_cast<int*>(memory + pieces * 16); }
    __device__ INLAY_INLINE int* sizes() const { return begins() + pieces; }

    /// Of a consumer: the slot of the next piece's first row, once its rows are there.
    __device__ INLAY_INLINE int receive_rows() {
        const int i = piece % pieces;
        wait(full(i), piece / pieces);
        return begins()[i];
    }
    /// Of one consumer, when all have read the piece.
    __device__ INLAY_INLINE void release(bool one) {
        if (one) barrier_arrive(empty(piece % pieces));
        ++piece;
    }
    /// The address of byte `at` of a row, counted from a piece's first slot.
    __device__ INLAY_INLINE const char* at(int first, int row, int byte) const {
        int slot = first + row;
        if (slot >= slots) slot -= slots;
        return memory + (RowsAt + slot * pitch + byte);
    }
};

/// The warp that copies.
template <class Ring>
struct RowProducer {
    Ring ring;
    int head = 0;              ///< the slot of the next row
    int used = 0, oldest = 0;  ///< slots that are not released, and the first piece of them

    /// Copies a piece from `from(row)` as soon as there is room. All lanes call it.
    template <class From>
    __device__ INLAY_INLINE void copy(int rows, const From& from) {
        while (ring.piece - oldest == Ring::pieces || used + rows > ring.slots) {
            const int i = oldest % Ring::pieces;
            Ring::wait(ring.empty(i), oldest / Ring::pieces);
            used -= ring.sizes()[i], ++oldest;
        }
        const int i = ring.piece % Ring::pieces, first = head;
        warp_sync();
        if (lane_index() == 0) ring.begins()[i] = first, ring.sizes()[i] = rows;
        warp_sync();
        copy_rows(
            ring.full(i), rows, Ring::row_bytes, [&](int r) { return shared_address(ring.at(first, r, 0)); }, from);
        used += rows, ++ring.piece;
        head = first + rows < ring.slots ? first + rows : first + rows - ring.slots;
    }
};

/// Of `FedRows`, in shared memory: the next piece, its slot, what is not released, and if there are more pieces.
struct FedState {
    int next, head, used, oldest;
    bool all;
};
/// The warp that copies where none does only that: in products of the width's length it has no part of the sum in 16
/// bits, and a short one in fp32.
inline constexpr int feeding_warp = 15;

/// The same without a warp of its own: one of the warps that compute copies what has room, at first and whenever all
/// have read a piece.
template <class Ring>
struct FedRows {
    using State = FedState;
    Ring ring;
    State& s;
    int count = 0;  ///< pieces that the producer's code has come to

    static __device__ INLAY_INLINE bool feeds() { return warp_index() == feeding_warp; }
    /// A piece of the producer's code, which runs anew each time: those that were copied and those behind one without
    /// room are skipped.
    template <class From>
    __device__ INLAY_INLINE void copy(int rows, const From& from) {
        if (count++ != s.next || s.next - s.oldest == Ring::pieces || s.used + rows > ring.slots) return;
        const int i = s.next % Ring::pieces, first = s.head;
        warp_sync();
        if (lane_index() == 0) {
            ring.begins()[i] = first, ring.sizes()[i] = rows;
            s.used += rows, ++s.next;
            s.head = first + rows < ring.slots ? first + rows : first + rows - ring.slots;
        }
        warp_sync();
        copy_rows(
            ring.full(i), rows, Ring::row_bytes, [&](int r) { return shared_address(ring.at(first, r, 0)); }, from);
    }
};

/// A ring as consumers see it whose pieces are followed by others as soon as they are released, by `feed()`.
template <class Ring, class Feed>
struct FedRing : Ring {
    typename FedRows<Ring>::State& s;
    Feed feed;

    __device__ INLAY_INLINE void release(bool) {
        if (FedRows<Ring>::feeds()) {
            warp_sync();
            if (lane_index() == 0) s.used -= this->sizes()[this->piece % Ring::pieces], ++s.oldest;
            warp_sync();
            feed();
        }
        ++this->piece;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
