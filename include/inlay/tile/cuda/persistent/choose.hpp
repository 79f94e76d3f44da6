// SPDX-License-Identifier: Apache-2.0
/// The choice of a token among logits that the blocks of a persistent launch have made, each its own: by whole-number
/// weights, so that the token is that of `model::TokenSampler` whatever the number of blocks.
#pragma once

#include <inlay/core/sampling.hpp>
#include <inlay/tile/cuda/persistent/decoder_arguments.hpp>
#include <inlay/tile/cuda/persistent/product.hpp>
#include <inlay/tile/gpu/persistent/sums.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A block's part of the choice. Tokens of a block lie side by side, and so do those of its warps: the sum of what is
/// before one is that of blocks, then of warps, then of lanes.
template <class S, class T, class Arguments = SampledArguments<T>>
struct TokenChooser {
    static constexpr int warps = 16, threads = warps * warp_size, barrier = 1;
    static constexpr int most_blocks = S::winner_bytes / 16;

    /// Shared memory between the product of this pass and the first of the next one.
    struct Scratch {
        std::uint64_t parts[warps];  ///< sums of each warp's tokens
        float most;
        int likely;
    };
    static_assert(sizeof(Scratch) <= product_sum_floats(1) * sizeof(float));
    // A warp keeps the best token of its row while others may still read the last product's sums, of 144 bytes a row: it
    // overwrites those of its own row.
    static_assert(sizeof(Scratch) <= 144 && offsetof(Scratch, most) >= 7 * (144 - sizeof(Scratch)));

    const Arguments& a;
    ColumnRange own;
    int block, blocks;
    Scratch& s;   ///< of the sequence
    int row = 0;  ///< the sequence's number

    /// A token that is in the text from now on, by one warp of the block that has its logit.
    __device__ INLAY_INLINE void mark_seen(int token) const {
        if (token >= own.first && token < own.end && lane_index() == 0) seen()[token] = 1;
    }
    /// Keeps a token's logit behind the penalty, and returns it.
    __device__ INLAY_INLINE float score(int n, float logit) const {
        return scores()[n] = seen()[n] ? sampling::penalised(logit, a.penalty) : logit;
    }

    /// Keeps the greatest logit of all blocks, and its token; by one warp.
    __device__ INLAY_INLINE void keep_best(float most, int likely) const {
        if (lane_index() == 0) s.most = most, s.likely = likely;
    }
    /// Keeps the sum of a warp's weights, behind a barrier of the block.
    __device__ INLAY_INLINE void add_weights() const {
        const int warp = warp_index(), end = first_of(warp + 1);
        std::uint64_t sum = 0;
        for (int n = first_of(warp) + lane_index(); n < end; n += warp_size) sum += weight(n);
        sum = sum_of_lanes(sum);
        if (lane_index() == 0) s.parts[warp] = sum;
    }
    /// Hands on the sum of the block's weights, by one warp behind another barrier.
    __device__ INLAY_INLINE void publish_weights(std::uint32_t tag) const {
        const std::uint64_t sum = sum_of_lanes(part_of_lane());
        if (lane_index() == 0) publish_sum(totals() + 2 * block, sum, tag);
    }
    /// Hands on the token at the random place, or that this block does not have it; by one warp. Where nothing
    /// has a weight, at a temperature of 0 or for logits that are not finite, the best token is chosen.
    __device__ INLAY_INLINE void choose(std::uint32_t totals_tag, std::uint32_t tag, int position) const {
        constexpr int turns = (most_blocks + warp_size - 1) / warp_size;
        std::uint64_t sums[turns], before = 0, mine = 0, total = 0;
        receive_sums(sums, totals(), lane_index(), warp_size, blocks, totals_tag);
        INLAY_UNROLL
        for (int i = 0; i < turns; ++i) {
            const int of = lane_index() + i * warp_size;
            total += sums[i];
            before += of < block ? sums[i] : 0;
            mine += of == block ? sums[i] : 0;
        }
        total = sum_of_lanes(total), before = sum_of_lanes(before), mine = sum_of_lanes(mine);
        const std::uint64_t place =
            sampling::high_product(sampling::random_word(a.seed + row, 0, static_cast<std::uint64_t>(position)), total);
        int token = none;
        if (total == 0) token = block == 0 ? s.likely : none;
        else if (place >= before && place - before < mine) token = token_at(place - before);
        if (lane_index() == 0) publish(tokens() + block, static_cast<std::uint32_t>(token), tag);
    }
    /// The token that one block has handed on; by one warp.
    __device__ INLAY_INLINE int chosen(std::uint32_t tag) const {
        constexpr int turns = (most_blocks + warp_size - 1) / warp_size;
        std::uint32_t word[turns];
        receive(word, tokens(), lane_index(), warp_size, blocks, tag);
        int token = none;
        INLAY_UNROLL
        for (int i = 0; i < turns; ++i)
            if (lane_index() + i * warp_size < blocks) token = larger(token, static_cast<int>(word[i]));
        return -least_of_lanes(-token);
    }

protected:
    static constexpr int none = -1;

    /// The sequence's parts of the memory that the launch has.
    __device__ INLAY_INLINE float* scores() const { return a.scores + row * S::vocabulary; }
    __device__ INLAY_INLINE std::uint8_t* seen() const { return a.seen + row * S::vocabulary; }
    __device__ INLAY_INLINE std::uint64_t* totals() const { return a.totals + row * (S::winner_bytes / 8); }
    __device__ INLAY_INLINE std::uint64_t* tokens() const { return a.chosen + row * (S::winner_bytes / 16); }

    __device__ INLAY_INLINE int first_of(int warp) const {
        return own.first + static_cast<int>(static_cast<index_t>(own.end - own.first) * warp / warps);
    }
    __device__ INLAY_INLINE std::uint64_t weight(int n) const {
        return sampling::weight_of(scores()[n], s.most, a.temperature);
    }
    __device__ INLAY_INLINE std::uint64_t part_of_lane() const {
        return lane_index() < warps ? s.parts[lane_index()] : 0;
    }
    /// The first lane whose sum with those before it is more than `rest`, which is then what is left in it.
    __device__ INLAY_INLINE static int lane_at(std::uint64_t sum, std::uint64_t& rest) {
        const std::uint64_t with = sum_up_to_lane(sum);
        const int found = least_of_lanes(with > rest ? lane_index() : warp_size);
        rest -= shuffle(found < warp_size ? with - sum : with, smaller(found, warp_size - 1));
        return found;
    }
    /// The token of this block at `rest` among its weights.
    __device__ INLAY_INLINE int token_at(std::uint64_t rest) const {
        const int warp = lane_at(part_of_lane(), rest), end = first_of(warp + 1);
        for (int n = first_of(warp); n < end; n += warp_size) {
            const int lane = lane_at(n + lane_index() < end ? weight(n + lane_index()) : 0, rest);
            if (lane < warp_size) return n + lane;
        }
        return s.likely;  // never: the weights are those of the sum
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
