// SPDX-License-Identifier: Apache-2.0
/// Sizes of decoders that have a persistent program: a kernel each, so they are a list.
#pragma once

#include <inlay/core/types.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::persistent {

/// Sizes of a decoder of 16-bit elements, of which a word hands over two, on at most `Blocks` blocks. Every
/// block reads all parts of the keys, so that they are few. `batch`: sequences of a launch, at most.
template <int Width, int Heads, int Inner, int Vocabulary, int Positions, int Blocks>
struct DecoderSizes {
    static constexpr int width = Width, heads = Heads, inner = Inner, vocabulary = Vocabulary, positions = Positions,
                         parts = 4, element_bytes = 4, part_bytes = 4, copies = 4, winner_bytes = 16 * Blocks,
                         batch = 1;
};
/// The sizes of a program of fp32, of which a word hands over one.
template <class S>
struct InSingle : S {
    static constexpr int element_bytes = 8, part_bytes = 8;
};
/// The sizes of a program of elements of `bytes` bytes.
template <class S, int Bytes>
using SizesOf = std::conditional_t<Bytes == 4, InSingle<S>, S>;

/// Sequences of a launch, at most: as many as the matrix unit has columns, and in fp32 those beside which the ring has
/// room for two pieces of rows on sm_90, and for one on sm_80.
constexpr int most_sequences(int element_bytes) { return element_bytes == 4 ? 4 : 8; }
/// The sizes of a program that takes several sequences. Copies of rows are fewer: with their number grows what is
/// written.
template <class S>
struct InBatches : S {
    static constexpr int batch = most_sequences(S::element_bytes / 2), copies = 2;
};
/// GPT-2 of 124M weights, and the tiny one that `inlay-gpt2 --make-model` writes.
using Gpt2Small = DecoderSizes<768, 12, 3072, 50257, 1024, 256>;
using Gpt2Tiny = DecoderSizes<64, 2, 256, 300, 1024, 256>;

/// A decoder's sizes as they are read from a file.
struct DecoderShape {
    long long width, heads, inner, vocabulary, positions;
    constexpr bool operator==(const DecoderShape&) const = default;
};
template <class S>
inline constexpr DecoderShape shape_of{S::width, S::heads, S::inner, S::vocabulary, S::positions};

/// Calls f.template operator()<S>() for the sizes of a shape; false where it has no persistent program.
template <class F>
bool with_sizes(const DecoderShape& shape, const F& f) {
    const auto one = [&]<class S>(S) { return shape == shape_of<S> && (f.template operator()<S>(), true); };
    return one(Gpt2Small{}) || one(Gpt2Tiny{});
}

}  // namespace inlay::inline INLAY_ABI::persistent
