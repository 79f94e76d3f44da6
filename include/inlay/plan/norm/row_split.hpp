// SPDX-License-Identifier: Apache-2.0
/// Threads and memory of whole rows, by each of the ways to hold one: in lanes of a warp as it is stored, in registers
/// as floats, in shared memory, or streamed.
#pragma once

#include <inlay/plan/device.hpp>
#include <inlay/plan/norm/problem.hpp>

namespace inlay::inline INLAY_ABI {

struct RowSplit {
    static constexpr int packed_chunks = 5, few_packed_chunks = 3;  ///< of a lane, at most: two kernels
    static constexpr int packed_threads = 64;       ///< of a block
    static constexpr int packed_resident = 512;     ///< threads of a multiprocessor, by the registers that they take
    static constexpr int register_elements = 32;    ///< of a row in the registers of a thread, at most
    static constexpr int register_threads = 256;    ///< of a row, at most
    static constexpr int shared_threads = 512;      ///< of a block, or half of them
    static constexpr int shared_chunks = 8;         ///< of each of half as many threads, at most, timed on an H200
    static constexpr int streamed_threads = 1024;   ///< of a block, or half of them

    int size = 0;           ///< threads of a row
    int each = 0;           ///< chunks of a thread, at most
    int threads = 0;        ///< of a block
    index_t blocks = 0;
    index_t kept = 0;       ///< chunks of a row in shared memory
    index_t shared = 0;     ///< bytes of shared memory of a block; of rows in registers, γ and β

    /// Blocks of `threads` threads.
    constexpr void share_out(index_t rows, int block) {
        threads = block;
        blocks = (rows * size + block - 1) / block;
    }
};

namespace detail {

constexpr index_t row_chunks(const NormProblem& p) { return (p.channels + p.rows.lanes - 1) / p.rows.lanes; }

/// As few chunks a lane as let all rows be under way at once, down to 3. Returns why rows are not held like this.
constexpr const char* split_packed_rows(const NormProblem& p, const TargetInfo& t, RowSplit& s) {
    if (p.rows.not_stored) return p.rows.not_stored;
    if (p.element != 2) return "its elements have not 16 bits";
    if (!p.rows.scales) return "its operation reads no gamma";
    const index_t chunks = row_chunks(p), fits = index_t(t.units) * RowSplit::packed_resident;
    int size = 1;
    while (size < narrowest_warp && size * RowSplit::packed_chunks < chunks) size *= 2;
    if (size * RowSplit::packed_chunks < chunks) return "rows are longer than 32 lanes hold";
    if (p.items * size > fits) return "rows are too many to be under way at once";
    constexpr int few = RowSplit::few_packed_chunks;
    while (size < narrowest_warp && size * few < chunks && p.items * size * 2 <= fits) size *= 2;
    s.size = size;
    s.each = chunks > size * few ? RowSplit::packed_chunks : few;
    s.share_out(p.items, RowSplit::packed_threads);
    return nullptr;
}

/// Up to a warp, or two of many rows, so that each thread has some 4 chunks, whose loads overlap; then as many threads
/// as hold a row, and more, up to 256, while the device is almost idle.
constexpr int threads_of_row(const TargetInfo& t, index_t rows, index_t chunks, int chunks_per_thread) {
    int size = 1;
    constexpr int warp = narrowest_warp;
    const int some = rows * warp > index_t(t.units) * 1024 ? 2 * warp : warp;
    while (size < some && size * 4 < chunks) size *= 2;
    while (size < RowSplit::register_threads && size * chunks_per_thread < chunks) size *= 2;
    while (size < RowSplit::register_threads && size < chunks && rows * size < index_t(t.units) * 64) size *= 2;
    return size;
}
constexpr const char* split_register_rows(const NormProblem& p, const TargetInfo& t, RowSplit& s) {
    const int most = RowSplit::register_elements / p.rows.lanes;
    const index_t chunks = row_chunks(p);
    if (chunks > RowSplit::register_threads * most) return "rows are longer than the registers of a block hold";
    s.size = threads_of_row(t, p.items, chunks, most);
    s.each = static_cast<int>((chunks + s.size - 1) / s.size);
    const bool one_wave = p.items * s.size <= index_t(t.units) * 1024;
    // Of many blocks small ones: one that ends makes room for the next at once.
    const int block = one_wave ? 128 : 64;
    s.share_out(p.items, s.size > block ? s.size : block);
    // Later rows find operands in the first-level cache; for long rows the copy takes most of the time.
    if (one_wave && p.channels <= 2048 && p.channels % p.rows.lanes == 0) s.shared = p.rows.operands;
    return nullptr;
}

constexpr const char* split_shared_rows(const NormProblem& p, const TargetInfo& t, RowSplit& s) {
    if (p.rows.not_stored) return p.rows.not_stored;
    const index_t chunks = row_chunks(p);
    if (chunks < RowSplit::shared_threads) return "rows have fewer chunks than a block has threads";
    if (chunks * 16 > t.shared_bytes - 1024) return "rows are larger than the shared memory of a block";
    // γ and β take room in the first-level cache: fewer rows at once, of more threads.
    constexpr int half = RowSplit::shared_threads / 2;
    s.size = p.rows.scales || chunks > RowSplit::shared_chunks * half ? RowSplit::shared_threads : half;
    s.each = static_cast<int>((chunks + s.size - 1) / s.size);
    s.share_out(p.items, s.size);
    s.kept = chunks;
    s.shared = chunks * 16;
    return nullptr;
}

constexpr void split_streamed_rows(const NormProblem& p, const TargetInfo& t, RowSplit& s) {
    const index_t chunks = row_chunks(p), chunk_bytes = index_t(p.rows.lanes) * p.rows.streamed;
    const index_t room = (t.shared_bytes - 4096) / chunk_bytes;  // the reductions need some of two blocks
    s.kept = room < chunks ? room : chunks;
    // Blocks of half the threads where the memory suffices for two: one reads while the other writes.
    s.size = s.kept <= room / 2 ? RowSplit::streamed_threads / 2 : RowSplit::streamed_threads;
    s.each = static_cast<int>((chunks + s.size - 1) / s.size);
    s.share_out(p.items, s.size);
    s.shared = s.kept * chunk_bytes;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
