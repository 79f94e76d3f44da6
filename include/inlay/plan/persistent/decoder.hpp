// SPDX-License-Identifier: Apache-2.0
/// The persistent program of a token of each sequence, by a decoder with norms before its blocks (GPT-2), which it
/// chooses itself, from pass to pass, a layer a round. A tile of a product is a column for all sequences: weights are
/// read once. Columns of the product of queries, keys and values are taken head by head, so that attention waits for
/// its own head alone; its parts over a sequence's cached keys are merged by all that read them.
#pragma once

#include <inlay/plan/persistent/storage.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::persistent {

/// Parts of a head's keys in a launch: as many as give each block one of some sequence.
template <class S>
constexpr int parts_of(int batch, int blocks) {
    const int parts = blocks / (batch * S::heads);
    return S::batch == 1 || parts > S::parts ? S::parts : parts < 1 ? 1 : parts;
}
/// Those of them that hold keys up to a position: rows of a cache, of as many keys as there are heads, are theirs in
/// rotation.
template <class S>
INLAY_FN constexpr int parts_at(int position, int parts = S::parts) {
    const int rows = position / S::heads + 1;
    return rows < parts ? rows : parts;
}

/// The choice of a pass's token: the most likely one, or one by weights of whole numbers, for which blocks hand over
/// the sums of their weights, and then the token that the owner of the random place has found. Restricted, by top-k and
/// top-p, they hand over sums by buckets of logits before, round by round within a phase.
enum class TokenChoice { greedy, sampled, restricted };

/// Rounds of a restricted choice: 2 bits of a logit's 32, then 5 at a time, for top-k and for top-p. Each bucket of 32
/// has two words of a block, and two in each copy of the sums of all blocks.
struct RestrictedRounds {
    static constexpr int each = 7, all = 2 * each, buckets = 32;
    /// Words of a sequence's rounds and of its last sums, of `blocks` blocks.
    static constexpr int words(int blocks, int copies) { return 2 * buckets * all * (blocks + copies) + 4 * blocks; }
};

/// `S`: width, heads, inner (columns of the first product of the MLP), vocabulary, batch (sequences, at most), parts
/// (of the keys, at most), element_bytes and part_bytes (of a value that is handed over, of one of a part, of which a
/// head has two more),
/// winner_bytes (of all best words of a pass and a sequence) and copies (of rows that all blocks read).
template <class S, TokenChoice C = TokenChoice::greedy>
struct Decoder {
    static constexpr int head = S::width / S::heads, element = S::element_bytes;

    /// A layer's input, a row for each sequence.
    struct Row : Buffer<S::copies * S::batch * S::width * element> {};
    /// Query, key and value of each head.
    struct Heads : Buffer<3 * S::batch * S::width * element> {};
    /// Values of each part of each head, and what they weigh.
    struct Parts : Buffer<S::copies * S::batch * S::heads * S::parts*(head + 2) * S::part_bytes> {};
    /// The rows after attention.
    struct Middle : Buffer<S::copies * S::batch * S::width * element> {};
    struct Inner : Buffer<S::copies * S::batch * S::inner * element> {};
    /// The caller's keys and values of a layer.
    struct Cache : KeptBuffer<1> {};
    /// The best words of a pass. The first one reads the prompt's last word instead.
    struct Winners : KeptBuffer<S::batch * S::winner_bytes> {};
    /// Of a sampled token: all logits, each read by the block that made it; which tokens are in the text; the sum of
    /// each block's weights; and the token, by the one block that has it.
    struct Logits : KeptBuffer<S::batch * S::vocabulary * 4> {};
    struct Seen : KeptBuffer<S::batch * S::vocabulary> {};
    struct Totals : KeptBuffer<S::batch * (C == TokenChoice::restricted
                                               ? 8 * RestrictedRounds::words(S::winner_bytes / 16, S::copies)
                                               : S::winner_bytes)> {};
    struct Chosen : KeptBuffer<S::batch * S::winner_bytes / 2> {};

    struct Embed;
    struct Qkv;
    struct Attend;
    struct Project;
    struct Up;
    struct Down;
    struct Vocabulary;
    struct Weigh;
    struct Choose;
    template <class Greedy, class Sampled>
    using by_choice = std::conditional_t<C == TokenChoice::greedy, Greedy, Sampled>;

    struct Embed {
        static constexpr const char* name = "embed";
        static constexpr int tiles = S::width, groups = 1;
        using waits = types<AfterLast<by_choice<Vocabulary, Choose>>>;
        using reads = types<Whole<by_choice<Winners, Chosen>>>;
        using writes = by_choice<types<OwnGroup<Row>>, types<OwnGroup<Row>, OwnGroup<Seen>>>;
    };
    struct Qkv {
        static constexpr const char* name = "qkv";
        static constexpr int tiles = 3 * S::width, groups = S::heads;
        using waits = types<After<Embed>, AfterLast<Down>>;
        using reads = types<Whole<Row>>;
        using writes = types<OwnGroup<Heads>>;
    };
    /// The tile of the newest key's part stores it and value, which tiles of its own group alone read.
    struct Attend {
        static constexpr const char* name = "attend";
        static constexpr int tiles = S::heads * S::batch * S::parts, groups = S::heads;
        using waits = types<AfterGroup<Qkv>>;
        using reads = types<OwnGroup<Heads>, OwnGroup<Cache>>;
        using writes = types<OwnGroup<Parts>, OwnGroup<Cache>>;
    };
    struct Project {
        static constexpr const char* name = "project";
        static constexpr int tiles = S::width, groups = 1;
        using waits = types<After<Attend>>;
        using reads = types<Whole<Parts>, Whole<Row>>;
        using writes = types<OwnGroup<Middle>>;
    };
    struct Up {
        static constexpr const char* name = "up";
        static constexpr int tiles = S::inner, groups = 1;
        using waits = types<After<Project>>;
        using reads = types<Whole<Middle>>;
        using writes = types<OwnGroup<Inner>>;
    };
    struct Down {
        static constexpr const char* name = "down";
        static constexpr int tiles = S::width, groups = 1;
        using waits = types<After<Up>>;
        using reads = types<Whole<Inner>, Whole<Middle>>;
        using writes = types<OwnGroup<Row>>;
    };
    struct Vocabulary {
        static constexpr const char* name = "vocabulary";
        static constexpr int tiles = S::vocabulary, groups = 1;
        using waits = types<After<Down>>;
        using reads = by_choice<types<Whole<Row>>, types<Whole<Row>, OwnGroup<Seen>>>;
        using writes = by_choice<types<OwnGroup<Winners>>, types<OwnGroup<Winners>, OwnGroup<Logits>>>;
    };
    /// Weights are relative to the greatest logit of all.
    struct Weigh {
        static constexpr const char* name = "weigh";
        static constexpr int tiles = S::vocabulary, groups = 1;
        using waits = types<After<Vocabulary>>;
        using reads = types<Whole<Winners>, OwnGroup<Logits>>;
        using writes = types<OwnGroup<Totals>>;
    };
    struct Choose {
        static constexpr const char* name = "choose";
        static constexpr int tiles = S::vocabulary, groups = 1;
        using waits = types<After<Weigh>>;
        using reads = types<Whole<Totals>, OwnGroup<Logits>>;
        using writes = types<OwnGroup<Chosen>>;
    };

    using Step = Program<Once<Embed>, Rounds<Qkv, Attend, Project, Up, Down>,
                         by_choice<Once<Vocabulary>, Once<Vocabulary, Weigh, Choose>>>;
    /// The words of the last phase, from which the next pass has its token.
    using Answer = by_choice<Winners, Chosen>;
    using Places = StorageOf<Step>;
};

}  // namespace inlay::inline INLAY_ABI::persistent
