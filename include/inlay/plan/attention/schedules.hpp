// SPDX-License-Identifier: Apache-2.0
/// Schedules of attention on the portable engine: a table for each length of a row of Q, and the choice by extents. The
/// launch and `explain` call the same function.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/order.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI {

/// A block of threads takes rows() queries, tiles of 16, against `keys` keys at a time. `key_warps` warps of the
/// same queries share out the keys; in a wide schedule, for long heads, also the columns of V.
struct AttentionSchedule {
    int m_tiles = 0, row_warps = 0, key_warps = 0, keys = 0;
    int stages = 2;         ///< of K and V under way
    int blocks = 1;         ///< resident on a multiprocessor at once
    bool wide = false;
    bool tight = false;     ///< of wide ones: half the queries of a tile of 16, and one buffer for K and V

    constexpr int tile_rows() const { return 16 * m_tiles * row_warps; }
    constexpr int rows() const { return tight ? tile_rows() / 2 : tile_rows(); }
    constexpr int warps() const { return row_warps * key_warps; }
};

/// Schedules for many queries first, for few last.
struct AttentionSchedules {
    AttentionSchedule at[3];
    int size = 3;
    const char* found = "measured on an H200";
};

/// The facts that determine a schedule of attention.
struct AttentionWork {
    AttentionShape shape;
    int d = 0;              ///< elements of a head; 0: no attention
    int element_bytes = 0;  ///< of Q, K and V as they are multiplied: 2, or 4 where they are fp32 or differ
    bool binary = false;    ///< scores are exponents of 2 as they are
    int dv = 0;             ///< elements of a row of V and of the result; 0: d
    int vectors = 1;        ///< sums with V that a row keeps

    constexpr int value_columns() const { return dv > 0 ? dv : d; }
};

struct AttentionChoice {
    int index;              ///< in its table
    int splits;             ///< blocks of threads that share the keys of a tile of queries
};

namespace detail {

/// Bytes of a row of D elements in shared memory: `tile/gpu/attention/tile.hpp` has the reason.
constexpr int attention_pitch(int element_bytes, int d) { return ((d + 7) / 8 * 8 * element_bytes / 16 | 1) * 16; }
constexpr index_t ceiling(index_t a, index_t b) { return (a + b - 1) / b; }

}  // namespace detail

/// `d` elements of `element_bytes` bytes make a row of Q and K, `dv` one of V, 0 as many. Longer rows need more registers
/// for the output: tiles get smaller.
constexpr AttentionSchedules attention_schedules(int element_bytes, int d, int dv = 0) {
    const int columns = (larger(d, dv) + 7) / 8 * 8;
    const char* const not_measured = "by rule, not measured";
    if (element_bytes == 2) {
        if (columns > 160 && columns <= 256 && dv > 0 && dv <= 128)
            return {{{1, 4, 1, 64, 2, 2}, {1, 2, 2, 64}, {1, 1, 4, 64, 2, 2}}, 3, not_measured};
        if (columns <= 40) return {{{2, 4, 1, 96, 2, 2}, {1, 2, 2, 64, 2, 2}, {1, 1, 4, 128, 2, 2}}};
        if (columns <= 80) return {{{2, 4, 1, 64, 2, 2}, {2, 4, 2, 128}, {1, 1, 4, 128, 2, 2}}};
        if (columns <= 128) return {{{2, 4, 1, 48, 2, 2}, {1, 4, 1, 64, 2, 2}, {1, 1, 4, 64, 2, 2}}};
        if (columns <= 160) return {{{1, 4, 1, 64, 2, 2}, {1, 2, 2, 64, 3}, {1, 1, 4, 64, 2, 2}}};
        if (columns <= 256) return {{{1, 4, 1, 32}, {1, 2, 1, 32}, {1, 1, 2, 32}}, 3, not_measured};
        return {{{2, 2, 4, 64, 1, 1, true}, {1, 1, 4, 32, 1, 1, true}}, 2};
    }
    if (columns <= 96) return {{{1, 4, 1, 32}, {1, 2, 2, 32}, {1, 1, 2, 32}}};
    if (columns <= 160) return {{{1, 4, 1, 16}, {1, 2, 2, 32}, {1, 1, 2, 32}}};
    if (columns <= 256) return {{{1, 4, 1, 16}, {1, 2, 1, 16}, {1, 1, 1, 16}}, 3, not_measured};
    return {{{1, 2, 4, 32, 1, 1, true}, {1, 1, 4, 16, 1, 1, true}}, 2};
}

/// The schedule of few queries over K and V in fp8, which stay so in shared memory: rows of `d` and `dv` elements are
/// whole chunks of 16 bytes and no longer than the registers of a warp hold of Q. Of size 0: there is none.
constexpr AttentionSchedules fp8_attention_schedules(int d, int dv = 0) {
    const int of_values = dv > 0 ? dv : d;
    if (d % 16 != 0 || of_values % 16 != 0 || larger(d, of_values) > 160) return {{}, 0};
    return {{{1, 1, 4, 64, 4, 2}}, 1, d == 128 && of_values == 128 ? "measured on an H200" : "by rule, not measured"};
}

/// The schedules of few queries whose keys are shared out among blocks, four steps of 64 to each and more: three stages,
/// in blocks of 64 keys, or of 128, a block a multiprocessor. They take the shared memory of sm_90. Of size 0: there are
/// none.
constexpr AttentionSchedules long_attention_schedules(int element_bytes, int d, int dv = 0) {
    if (element_bytes != 2 || d != 128 || (dv > 0 && dv != d)) return {{}, 0};
    return {{{1, 1, 4, 64, 3, 2}, {1, 1, 4, 128, 3}}, 2};
}
/// Keys from which on the second one is faster, timed on an H200.
inline constexpr index_t long_keys = 32768;

/// The schedules of the same where the copy engine of sm_90 brings keys and values in boxes. Of size 0: there are none.
constexpr AttentionSchedules boxed_attention_schedules(int element_bytes, int d, int dv = 0) {
    return long_attention_schedules(element_bytes, d, dv);
}
/// Keys from which on their second one is faster, timed on an H200.
inline constexpr index_t long_boxed_keys = 4096;
/// Keys from which on warps that copy rows themselves are faster, in the schedule of few queries, a block a
/// multiprocessor.
inline constexpr index_t most_boxed_keys = 65536;

/// Bytes of shared memory of a block of threads: Q, stages of K and V, where wide also probabilities and the maxima
/// that warps exchange; after the last key instead the output in fp32, with maxima and sums.
/// `tile_columns`: of the atom's result, 8 or 16, to which the output is rounded up. `dv` as above. `cache_bytes`: of an
/// element of K and V, where these are not as long as those of Q.
constexpr int attention_shared_bytes(const AttentionSchedule& s, int element_bytes, int d, int tile_columns = 8,
                                     int dv = 0, int cache_bytes = 0) {
    const int cached = cache_bytes > 0 ? cache_bytes : element_bytes;
    const int of_values = dv > 0 ? dv : d;
    const int tiles = ((of_values + 7) / 8 * 8 + tile_columns - 1) / tile_columns, columns = tiles * tile_columns;
    const int pitch = detail::attention_pitch(element_bytes, d);
    const int key_pitch = detail::attention_pitch(cached, d), value_pitch = detail::attention_pitch(cached, of_values);
    const int output = 4 * s.tile_rows() * (columns + (columns % 16 == 8 ? 0 : 8) + 2 * (s.wide ? 1 : s.key_warps));
    const int over = larger((s.wide ? (tiles + s.key_warps - 1) / s.key_warps * s.key_warps : tiles) * tile_columns *
                                    cached - value_pitch, 0);
    const int keys = s.keys * key_pitch, values = s.keys * value_pitch + over;
    int loop = s.rows() * pitch + (s.tight ? larger(keys, values) : s.stages * (keys + values - over) + over);
    if (s.wide)
        loop += s.tile_rows() * detail::attention_pitch(element_bytes, s.keys) + 4 * s.tile_rows() * s.key_warps;
    return larger(loop, output);
}

/// Blocks of threads, before keys are split. Queries of the heads that share a key head are rows of one tile.
constexpr index_t attention_blocks(const AttentionSchedule& s, const AttentionShape& a) {
    if (a.queries == 0 || a.heads == 0) return 0;
    return a.batch * (a.heads / a.group) * detail::ceiling(a.group * a.queries, s.rows());
}

/// True if a third block of few queries on each multiprocessor is faster than two: it leaves no more of them idle in
/// the last round, or there are many rounds. Timed on an H200.
constexpr bool third_block_pays(index_t blocks, int units) {
    const auto rounds_of = [&](int resident) { return resident * detail::ceiling(blocks, index_t(resident) * units); };
    return rounds_of(3) <= rounds_of(2) || blocks >= index_t(12) * units;
}
/// Shared memory of a block of which a multiprocessor has two, though registers are there for three.
inline constexpr int shared_bytes_of_two = 80 * 1024;

/// Shares of the keys whose merge is under way at once.
inline constexpr int shares_at_once = 8;

/// As many blocks share the keys as the device has room for, 64 at most, as the last one merges the shares of all: up to 8
/// where each has two steps of keys, 32 where each has four, more where each has eight. 16 of two steps of 64 keys in
/// two stages, or three of boxes, are faster still: timed on an H200, with heads of 128 elements. No share is merged
/// alone behind many.
constexpr int attention_splits(const AttentionSchedule& s, const AttentionShape& a, int units) {
    const index_t room = units * s.blocks / larger<index_t>(attention_blocks(s, a), 1);
    const index_t steps = detail::ceiling(a.keys, s.keys);
    const index_t of_two = s.keys == 64 && s.stages <= 3 && !s.wide ? 16 : 8;
    const index_t worth = larger(larger(smaller(steps / 2, of_two), smaller<index_t>(steps / 4, 32)), steps / 8);
    const auto splits = static_cast<int>(smaller<index_t>(larger<index_t>(smaller(room, worth), 1), 64));
    return splits > 2 * shares_at_once && splits % shares_at_once == 1 ? splits - 1 : splits;
}

/// The first schedule that fits into shared memory, whose tiles the queries fill by half at least, and whose blocks
/// fill three quarters of the device; else the last one, as with several sums with V, which take the registers and
/// the memory of one each. `tile_columns` as in `attention_shared_bytes`.
constexpr AttentionChoice choose_attention(const AttentionSchedules& table, int units, int shared_bytes,
                                           const AttentionWork& w, int tile_columns = 8) {
    int i = 0;
    for (; i + 1 < table.size; ++i) {
        const AttentionSchedule& s = table.at[i];
        const bool fits =
            w.vectors == 1 && attention_shared_bytes(s, w.element_bytes, w.d, tile_columns, w.dv) <= shared_bytes;
        const bool filled = 2 * w.shape.group * w.shape.queries > s.rows();
        const bool fills = s.wide || 4 * attention_blocks(s, w.shape) >= 3 * units * s.blocks;
        if (fits && filled && fills) break;
    }
    return {i, attention_splits(table.at[i], w.shape, units)};
}
/// Among the schedules of `mma.sync`.
constexpr AttentionChoice choose_attention(int units, int shared_bytes, const AttentionWork& w) {
    return choose_attention(attention_schedules(w.element_bytes, w.d, w.dv), units, shared_bytes, w);
}

/// The choice for attention that another engine has refused.
constexpr AttentionChoice last_attention(int units, const AttentionWork& w) {
    const AttentionSchedules table = attention_schedules(w.element_bytes, w.d, w.dv);
    return {table.size - 1, attention_splits(table.at[table.size - 1], w.shape, units)};
}

inline Text text(const AttentionSchedules& table, const AttentionChoice& c) {
    const AttentionSchedule& s = table.at[c.index];
    Text t = decimal_text(s.rows()) + "x" + decimal_text(s.keys);
    if (s.stages > 1) t += ", " + decimal_text(s.stages) + " stages";
    t += ", " + decimal_text(s.warps()) + " warps";
    if (s.key_warps > 1) t += " in " + decimal_text(s.key_warps) + " slices";
    if (c.splits > 1) t += ", keys split in " + decimal_text(c.splits);
    return t + " (" + table.found + ")";
}

}  // namespace inlay::inline INLAY_ABI
