// SPDX-License-Identifier: Apache-2.0
/// Visibility as algebra: from a condition on scores [B, heads, Sq, Skv] follow the keys that a tile of queries reads
/// and those that need no mask. Bounds are solved: no mask is built, and keys are not looked at one by one.
#pragma once

#include <inlay/plan/attention/visibility.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

/// Intervals of keys that a condition leaves at most.
template <class Condition>
inline constexpr int most_intervals = detail::Visibility<Condition>::shape.most;

/// Keys that a row of the tile may see: the others need not be loaded. `env`: the slots of the condition, and as `out`
/// the extents [B, heads, Sq, Skv] of the scores.
template <class Condition, class Environment, class Search = BinarySearch>
INLAY_FN constexpr Intervals<most_intervals<Condition>> visible_keys(const Environment& env, const QueryTile& tile,
                                                                     const Search& search = {}) {
    if (tile.empty()) return {};
    return detail::Visibility<Condition>::template keys<false>(env, tile, search);
}
/// Keys that every row of the tile certainly sees: they need no mask.
template <class Condition, class Environment, class Search = BinarySearch>
INLAY_FN constexpr Intervals<most_intervals<Condition>> unmasked_keys(const Environment& env, const QueryTile& tile,
                                                                      const Search& search = {}) {
    if (tile.empty()) return {};
    return detail::Visibility<Condition>::template keys<true>(env, tile, search);
}

/// True where `visible_keys` of one row are exactly the keys that it sees, so that two comparisons an interval mask its
/// scores. By types: whatever the slots hold, and without a search.
template <class Condition>
inline constexpr bool solved_by_types = detail::Visibility<Condition>::by_types;
template <class Condition, class Environment>
INLAY_FN constexpr bool is_solved(const Environment& env) {
    return detail::Visibility<Condition>::solved(env);
}
/// The terms of a condition that are not solved but computed, at each score of a loaded block, by name; empty where it
/// is solved.
template <class Condition, class Environment>
Text computed_terms(const Environment& env) {
    Text names;
    detail::Visibility<Condition>::computed(env, names);
    return names;
}

/// Blocks of `size` keys as a tile of queries meets them: the ones to load, in ascending order, and those of them whose
/// keys all exist and need no mask.
template <int N>
struct KeyBlocks {
    Intervals<N> loaded, full;

    INLAY_FN constexpr int count() const { return static_cast<int>(loaded.size()); }
    /// Block i of those to load, 0 ≤ i < count().
    INLAY_FN constexpr int block(int i) const { return static_cast<int>(loaded.number(i)); }
    INLAY_FN constexpr bool masked(int block) const { return !full.contains(block); }
};
template <class Condition, class Environment, class Search = BinarySearch>
INLAY_FN constexpr KeyBlocks<most_intervals<Condition>> key_blocks(const Environment& env, const QueryTile& tile,
                                                                   index_t size, const Search& search = {}) {
    return {visible_keys<Condition>(env, tile, search).blocks_touched(size),
            unmasked_keys<Condition>(env, tile, search).blocks_within(size)};
}

}  // namespace inlay::inline INLAY_ABI

INLAY_STRICT_DEVICE_END
