// SPDX-License-Identifier: Apache-2.0
/// Words of a persistent program: one launch that runs several dependent phases, whose tiles wait for tiles of earlier
/// phases and never for the whole grid. A program is a type, so that its order is checked where it is compiled.
///
///     struct Row : Buffer<1536> {};
///     struct Up {
///         static constexpr const char* name = "up";
///         static constexpr int tiles = 3072, groups = 1;  // groups divide the tiles: the first tiles / groups, …
///         using waits = types<After<Out>>;                // before a tile begins
///         using reads = types<Whole<Row>>;                // by each tile
///         using writes = types<OwnGroup<Inner>>;          // a tile writes a place of its own
///     };
///     using Step = Program<Once<Embed>, Rounds<Qkv, Attend, Out, Up, Down>, Once<Vocabulary>>;
///
/// The rounds of a program follow one another, and so do its passes; their numbers are arguments of the launch.
#pragma once

#include <inlay/core/types.hpp>

namespace inlay::inline INLAY_ABI::persistent {

/// Memory that phases hand values over in, in bytes. A program's buffers share storage where lifetimes allow.
template <int Bytes>
struct Buffer {
    static_assert(Bytes > 0, "inlay: a buffer of a persistent program holds at least one byte");
    static constexpr int bytes = Bytes;
    static constexpr bool kept = false;
};
/// Memory of each round's own, which keeps its values from pass to pass: keys and values.
template <int Bytes>
struct KeptBuffer : Buffer<Bytes> {
    static constexpr bool kept = true;
};

/// A use of a buffer by every tile: all of it.
template <class B>
struct Whole {
    using buffer = B;
    static constexpr bool group = false;
};
/// A use of a buffer by every tile: only what belongs to the tile's group, of as many groups as all such users have.
template <class B>
struct OwnGroup {
    using buffer = B;
    static constexpr bool group = true;
};

/// A wait for all tiles of a phase that stands earlier in the program: of this round, else of the last one.
template <class Phase>
struct After {
    using phase = Phase;
    static constexpr bool group = false, last = false;
};
/// The same for the tiles of the waiting tile's group alone. Both phases have as many groups.
template <class Phase>
struct AfterGroup {
    using phase = Phase;
    static constexpr bool group = true, last = false;
};
/// A wait for all tiles of a phase that stands here or later: in the round before, else in the pass before. None in the
/// first.
template <class Phase>
struct AfterLast {
    using phase = Phase;
    static constexpr bool group = false, last = true;
};

/// Phases that run once in each pass.
template <class... Phase>
struct Once {
    using phases = types<Phase...>;
    static constexpr bool repeats = false;
};
/// Phases that run as often as a launch has rounds.
template <class... Phase>
struct Rounds {
    using phases = types<Phase...>;
    static constexpr bool repeats = true;
};

/// `Section`: `Once` or `Rounds`.
template <class... Section>
struct Program {
    using sections = types<Section...>;
    using phases = join_types<typename Section::phases...>;
};

}  // namespace inlay::inline INLAY_ABI::persistent
