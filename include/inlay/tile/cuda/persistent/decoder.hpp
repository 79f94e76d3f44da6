// SPDX-License-Identifier: Apache-2.0
/// A decoder's tokens in one launch (`plan/persistent/decoder.hpp`): a block a multiprocessor, of which one warp copies
/// all rows that the block will read, in the program's order, and sixteen run its tiles, of one sequence or of several.
/// Tokens go from pass to pass on the device: the most likely ones, or sampled ones by a kernel of their own.
#pragma once

#include <inlay/tile/cuda/persistent/decoder_consumer.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The beginning and the end of a decoder's kernels.
template <class S, class T, persistent::TokenChoice C, DecoderMemory M = DecoderMemory::all>
struct DecoderEnds {
    using Role = DecoderRole<S, T, C, M>;
    using Arguments = typename Role::Arguments;
    using Shared = typename Role::Shared;
    using Ring = typename Role::Ring;
    /// Keeps the state of the sequences in shared memory, by one thread before a barrier of the block.
    static __device__ INLAY_INLINE void keep_state(const Arguments& a, char* memory) {
        Shared& s = *reinterpret_cast<Shared*>(memory);
        s.tag = a.state->tag;
        // The host has not seen them. Past the caches and the embeddings nothing is read or written.
        const int end = smaller(a.capacity, static_cast<int>(S::positions));
        for (int row = 0; row < (S::batch == 1 ? 1 : a.batch); ++row) {
            const int token = a.state[row].token, position = s.position[row] = a.state[row].position;
            if (position < 0 || position > end - a.passes || token < 0 || token >= S::vocabulary) stop_kernel();
        }
    }
    /// Hands the last tokens to the host and to the next launch, by the first block's warps that compute.
    template <class Rows>
    static __device__ INLAY_INLINE void end(const Arguments& a, char* memory, Rows& ring) {
        const Shared& s = *reinterpret_cast<const Shared*>(memory);
        const std::uint32_t last = s.tag + static_cast<std::uint32_t>(a.passes * Role::instances(a.layer_count));
        const DecoderConsumer<S, T, C, M, Rows> consumer{{a, memory, a.passes}, ring};
        const int row = Role::own_row(), token = consumer.answer(last);
        if (lane_index() == 0) {
            a.output[row * a.passes + a.passes - 1] = token;
            a.state[row] = {token, s.position[row] + a.passes, last};
        }
    }
};

template <class S, class T, persistent::TokenChoice C>
struct DecoderBody {
    using Ends = DecoderEnds<S, T, C>;
    using Role = typename Ends::Role;
    using Arguments = typename Role::Arguments;
    using Scheduler = PersistentTiles;
    using Ring = typename Role::Ring;
    static constexpr int threads = Role::Narrow::threads + warp_size, min_blocks = 1;

    template <class Tiles>
    static __device__ INLAY_INLINE void run(const Arguments& a, Tiles tiles, char* memory) {
        Ring ring{memory, a.ring_rows};
        if (thread_index() == 0) Ends::keep_state(a, memory), ring.init();
        block_sync();
        if (warp_index() == threads / warp_size - 1) {
            RowProducer<Ring> producer{ring};
            for (int pass = 0; pass < a.passes; ++pass)
                persistent::each_instance<typename Role::Step>(a.layer_count,
                                                               DecoderProducer<S, T, C>{{a, memory, pass}, producer});
        } else {
            for (int pass = 0; pass < a.passes; ++pass)
                persistent::each_instance<typename Role::Step>(a.layer_count,
                                                               DecoderConsumer<S, T, C>{{a, memory, pass}, ring});
            // All blocks have read the state: the last answers follow from rows that each of them has shares of.
            if (tiles.first() == 0 && warp_index() < Role{a, memory, 0}.batch()) Ends::end(a, memory, ring);
        }
    }
};

namespace detail {
template <class S, class T>
DecoderBody<S, T, persistent::TokenChoice::greedy> decoder_body(const DecoderArguments<T>&);
template <class S, class T>
DecoderBody<S, T, persistent::TokenChoice::sampled> decoder_body(const SampledArguments<T>&);
template <class S, class T>
DecoderBody<S, T, persistent::TokenChoice::restricted> decoder_body(const RestrictedArguments<T>&);
}  // namespace detail
/// The body for arguments of each kind.
template <class S, class Arguments>
using DecoderBodyOf = decltype(detail::decoder_body<S>(std::declval<const Arguments&>()));

/// Blocks that a decoder's launch may have. Each has columns of the vocabulary, room for its winner, and columns of the
/// products of Q, K and V and of `Up`: one without them is waited for by no other, and its input may be overwritten
/// before it has read it.
template <class S>
constexpr int most_decoder_blocks() {
    constexpr int piece = ring_piece_rows<fp16>;  // the longest
    return smaller(smaller(S::winner_bytes / 16, S::vocabulary / piece), smaller(3 * S::width, S::inner) / 2);
}

/// Rows of the ring for which a device has shared memory. Throws where they are fewer than a product has at once.
template <class S, class Arguments>
int decoder_ring_rows(const Device& device) {
    using Ring = typename DecoderBodyOf<S, Arguments>::Ring;
    const int rows = larger(device.shared_bytes - Ring::rows_at, 0) / Ring::pitch;
    require(rows >= Ring::most_rows, "a persistent launch of a decoder of at most ", static_cast<int>(S::batch),
            " texts in ", name(dtype_of<typename DecoderBodyOf<S, Arguments>::Role::Element>), " needs room for ",
            Ring::most_rows, " rows in shared memory, the device has it for ", rows);
    return rows;
}

/// Refuses a launch of `blocks` blocks that would not end, and completes its arguments.
template <class S, class Arguments>
void complete_decoder(Arguments& a, int blocks) {
    constexpr int most = most_decoder_blocks<S>();
    require(blocks > 0 && blocks <= most, "a persistent launch of a decoder has ", blocks, " blocks, expected 1 to ",
            most, ", the most that all have columns of its products");
    require(a.batch > 0 && a.batch <= S::batch, "a persistent launch of a decoder has ", a.batch,
            " sequences, expected 1 to ", static_cast<int>(S::batch));
    require(a.passes > 0 && a.layer_count > 0, "a persistent launch of a decoder has passes and layers, not ", a.passes,
            " and ", a.layer_count);
    a.parts = persistent::parts_of<S>(a.batch, blocks);
}

/// Launches `a.passes` tokens on `blocks` blocks, one a multiprocessor at most: all of them are resident, which the
/// launch makes sure of. `a.ring_rows` and `a.parts` are filled in. `Arguments`: those of greedy, sampled or
/// restricted tokens.
template <class S, class Arguments>
void decode_persistently(Launcher& l, Arguments a, int blocks) {
    using Body = DecoderBodyOf<S, Arguments>;
    complete_decoder<S>(a, blocks);
    // Copies never run a vocabulary ahead: a block has stored a token's keys before they are copied for the next one.
    a.ring_rows = smaller(decoder_ring_rows<S, Arguments>(l.device()), S::vocabulary / blocks);
    const std::size_t shared = static_cast<std::size_t>(Body::Ring::rows_at + a.ring_rows * Body::Ring::pitch);
    const int resident = l.resident_blocks(kernel<Body>, Body::threads, shared);
    require(blocks <= resident, "a persistent launch has ", blocks, " blocks that wait for each other, of which ",
            resident, " are resident on this device at once");
    l.launch<Body>({.blocks = blocks, .threads = Body::threads, .shared = shared, .cooperative = true}, a);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
