// SPDX-License-Identifier: Apache-2.0
/// Arguments of a decoder's persistent launch: weights by layer, memory between phases, and the states of sequences.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A layer's weights, columns of products one after the other ([n, k]), and its cache. The first product's columns are
/// the queries of all heads, then keys, then values. Memory of a cache goes on to a multiple of `heads` positions at
/// least: that much is copied at a time, and what is behind the last key is not used.
template <class T>
struct DecoderLayer {
    const T *norm1, *norm1_shift, *qkv, *qkv_bias, *project, *project_bias;
    const T *norm2, *norm2_shift, *up, *up_bias, *down, *down_bias;
    T *keys, *values;  ///< [batch, heads, capacity, head dimension]
};

/// A sequence, on the device: the launch advances it. It ends with an error where the token is none of the vocabulary,
/// or a pass would lie behind the capacity or the embeddings of positions.
struct DecoderState {
    std::int32_t token;     ///< the last one, not yet read by the model
    std::int32_t position;  ///< of that token
    std::uint32_t tag;      ///< of the last instance of all launches; 0 at first, when words are 0 as well; of a batch
                            ///< that of its first sequence is read
};

template <class T>
struct DecoderArguments {
    const DecoderLayer<T>* layers;   ///< device memory
    const T *tokens, *positions;     ///< embeddings, [vocabulary, width] and [positions, width]
    const T *norm, *norm_shift;      ///< the last norm
    const T* vocabulary;             ///< [vocabulary, width]
    std::uint64_t *words, *winners;  ///< 0 at first: those of `Places`, and 2 for each block and sequence
    DecoderState* state;             ///< of each sequence
    std::int32_t* output;            ///< [batch, passes]: tokens
    float* logits;                   ///< [batch, passes, vocabulary], or null
    int layer_count, passes;
    int capacity;  ///< positions of the caches
    int batch;     ///< sequences, at most those of the sizes
    int ring_rows;
    int parts;     ///< of the keys of a head
    float epsilon;
    int delay;  ///< clocks that blocks waste at random before tiles, at most; to find races
};

/// The same for tokens that are sampled as `model::TokenSampler` does, of row 0, by a seed that grows by 1 from
/// sequence to sequence. At a temperature of 0 they are the most likely ones behind the penalty.
template <class T>
struct SampledArguments : DecoderArguments<T> {
    std::uint64_t *totals, *chosen;  ///< 0 at first: 2 words for each sequence and block, and one
    float* scores;                   ///< [batch, vocabulary], of the pass
    std::uint8_t* seen;              ///< [batch, vocabulary], 1 for tokens in the text; the launch adds its own
    double temperature;
    float penalty;
    std::uint64_t seed;
};

/// The same of the tokens that top-k and top-p leave. `totals`: `RestrictedRounds::words` of all blocks, for each
/// sequence.
template <class T>
struct RestrictedArguments : SampledArguments<T> {
    std::uint64_t* weights;  ///< [batch, vocabulary], of the pass
    int top_k;               ///< 0, or from the vocabulary on: all tokens
    double top_p;            ///< from 1 on: all tokens
};

/// Of a kernel of a phase's instance, or of those from it on.
template <class Launch, class T>
struct DecoderPhaseArguments : Launch {
    DecoderLayer<T> layer;  ///< copied: a pointer to it would be one more trip to memory before weights are copied
    int pass, round, index;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
