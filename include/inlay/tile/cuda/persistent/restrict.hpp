// SPDX-License-Identifier: Apache-2.0
/// The choice of a token among those that top-k and top-p leave, by the blocks of a persistent launch. The last logit
/// that stays is found by its bits from the top: each round adds up what all tokens weigh in 32 buckets of the next
/// bits, whole numbers in any order, so that it is that of `model::TokenSampler` whatever the number of blocks.
#pragma once

#include <inlay/plan/persistent/decoder.hpp>
#include <inlay/tile/cuda/persistent/choose.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A logit's place in the order of floats, in which both zeros are one.
__device__ INLAY_INLINE std::uint32_t order_of(float x) {
    const std::uint32_t bits = float_bits(x == 0 ? 0.0f : x);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ INLAY_INLINE float logit_at(std::uint32_t order) {
    return float_of_bits(order >> 31 ? order & 0x7fffffffu : ~order);
}

template <class S, class T>
struct TokenRestrictor : TokenChooser<S, T, RestrictedArguments<T>> {
    using Base = TokenChooser<S, T, RestrictedArguments<T>>;
    using Base::a, Base::own, Base::block, Base::blocks, Base::warps, Base::threads, Base::barrier, Base::most_blocks;
    using Base::none, Base::first_of, Base::lane_at;
    using Rounds = persistent::RestrictedRounds;

    /// The last logit that stays: of its tokens, in the order of their ids, the first `out` are out.
    struct Last {
        std::uint32_t order;
        std::uint64_t each, out;  ///< each: weight of a token
    };
    struct Scratch : Base::Scratch {
        std::uint64_t buckets[warps][warp_size];
        std::uint32_t equals[warps];  ///< tokens of each warp with the last logit; `parts` has those above
        Last last;
    };
    static_assert(sizeof(Scratch) <= product_sum_floats(1) * sizeof(float) && warp_size >= Rounds::buckets);

    __device__ INLAY_INLINE TokenRestrictor(const RestrictedArguments<T>& arguments, const ColumnRange& columns, int b,
                                            int of, Scratch& scratch)
        : Base{arguments, columns, b, of, scratch}, t(scratch) {}

    /// Hands on the weight of the block's tokens above the last logit that stays, and how many have that one.
    __device__ INLAY_INLINE void weigh(std::uint32_t tag) const {
        named_barrier(barrier, threads);
        each_token([&](int n) { a.weights[n] = this->weight(n); });
        Last last{0, 0, 0};
        if (a.top_k > 0 && a.top_k < S::vocabulary) last.order = kth(tag);
        if (a.top_p < 1) last = nucleus(last.order, tag);
        else last.each = weight_at(last.order);
        std::uint64_t above = 0, equal = 0;
        each_token([&](int n) {
            const std::uint32_t order = order_of(a.scores[n]);
            above += order > last.order ? a.weights[n] : 0, equal += order == last.order;
        });
        above = sum_of_lanes(above), equal = sum_of_lanes(equal);
        if (lane_index() == 0) {
            t.parts[warp_index()] = above;
            t.equals[warp_index()] = static_cast<std::uint32_t>(equal);
        }
        if (thread_index() == 0) t.last = last;
        named_barrier(barrier, threads);
        if (warp_index() != 0) return;
        above = sum_of_lanes(this->part_of_lane()), equal = sum_of_lanes(equals_of_lane());
        if (lane_index() == 0) publish_sum(last_words() + 4 * block, above, tag);
        if (lane_index() == 0) publish_sum(last_words() + 4 * block + 2, equal, tag);
    }
    /// Hands on the token at the random place, as `TokenChooser` does.
    __device__ INLAY_INLINE void choose(std::uint32_t totals_tag, std::uint32_t tag, int position) const {
        constexpr int turns = (most_blocks + warp_size - 1) / warp_size;
        std::uint64_t before = 0, mine = 0, total = 0, equal = 0, first = 0;
        const Last last = t.last;
        // In turns, here and in the rounds: all of them at once take more registers than there are.
#pragma unroll 1
        for (int i = 0; i < turns; ++i) {
            const int of = lane_index() + i * warp_size;
            std::uint64_t both[2];  // of a block: the weight above the last logit, and tokens of that one
            receive_sums(both, last_words(), 2 * of, 1, of < blocks ? 2 * of + 2 : 0, totals_tag);
            const std::uint64_t end = equal + sum_up_to_lane(both[1]), sum = both[0] + kept(last, end, both[1]);
            total += sum;
            before += of < block ? sum : 0;
            mine += of == block ? sum : 0;
            first += of == block ? end - both[1] : 0;
            equal = shuffle(end, warp_size - 1);
        }
        total = sum_of_lanes(total), before = sum_of_lanes(before), mine = sum_of_lanes(mine);
        const std::uint64_t place =
            sampling::high_product(sampling::random_word(a.seed, 0, static_cast<std::uint64_t>(position)), total);
        int token = none;
        if (total == 0) token = block == 0 ? t.likely : none;
        else if (place >= before && place - before < mine) token = token_at(last, place - before, sum_of_lanes(first));
        if (lane_index() == 0) publish(a.chosen + block, static_cast<std::uint32_t>(token), tag);
    }

private:
    Scratch& t;

    template <class F>
    __device__ INLAY_INLINE void each_token(const F& f) const {
        const int end = first_of(warp_index() + 1);
#pragma unroll 1
        for (int n = first_of(warp_index()) + lane_index(); n < end; n += warp_size) f(n);
    }
    __device__ INLAY_INLINE std::uint64_t* words(int round) const {
        return a.totals + round * (2 * Rounds::buckets * blocks);
    }
    __device__ INLAY_INLINE std::uint64_t* last_words() const { return words(Rounds::all); }
    __device__ INLAY_INLINE std::uint64_t equals_of_lane() const {
        return lane_index() < warps ? t.equals[lane_index()] : 0;
    }
    __device__ INLAY_INLINE std::uint64_t weight_at(std::uint32_t order) const {
        return sampling::weight_of(logit_at(order), t.most, a.temperature);
    }
    /// The weight that stays of `count` tokens of the last logit, up to the one numbered `end`.
    __device__ INLAY_INLINE static std::uint64_t kept(const Last& last, std::uint64_t end, std::uint64_t count) {
        const std::uint64_t begin = end - count;
        return ((end > last.out ? end : last.out) - (begin > last.out ? begin : last.out)) * last.each;
    }

    /// Sums of all blocks' values in the buckets of a round, one a lane. `value(n, order)`: of a token whose higher
    /// bits are those of `prefix`.
    template <class F>
    __device__ INLAY_INLINE std::uint64_t sums_of(int round, std::uint32_t prefix, std::uint32_t tag,
                                                  const F& value) const {
        constexpr int at_once = 3;  // blocks of a warp
        const int shift = shift_of(round), warp = warp_index(), lane = lane_index(), end = first_of(warp + 1);
        std::uint64_t sum = 0;
        for (int from = first_of(warp); from < end; from += warp_size) {
            int bucket = none;
            std::uint64_t x = 0;
            if (const int n = from + lane; n < end) {
                const std::uint64_t order = order_of(a.scores[n]);
                if (order >> (shift + 5) == static_cast<std::uint64_t>(prefix) >> (shift + 5)) {
                    bucket = static_cast<int>(order >> shift) & (Rounds::buckets - 1);
                    x = value(n, static_cast<std::uint32_t>(order));
                }
            }
#pragma unroll 4
            for (int of = 0; of < warp_size; ++of) {
                const int other = shuffle(bucket, of);
                const std::uint64_t y = shuffle(x, of);
                sum += other == lane ? y : 0;
            }
        }
        sum = sum_of_warps(sum);
        if (warp == 0) publish_sum(words(round) + 2 * (block * Rounds::buckets + lane), sum, tag);
        sum = 0;
#pragma unroll 1
        for (int from = warp; from < blocks; from += at_once * warps) {
            std::uint64_t of_blocks[at_once];
            receive_sums(of_blocks, words(round), from * Rounds::buckets + lane, warps * Rounds::buckets,
                         blocks * Rounds::buckets, tag);
            INLAY_UNROLL
            for (int i = 0; i < at_once; ++i) sum += of_blocks[i];
        }
        return sum_of_warps(sum);
    }
    /// Over the warps, lane by lane, in all of them.
    __device__ INLAY_INLINE std::uint64_t sum_of_warps(std::uint64_t x) const {
        t.buckets[warp_index()][lane_index()] = x;
        named_barrier(barrier, threads);
        x = 0;
#pragma unroll 4
        for (int w = 0; w < warps; ++w) x += t.buckets[w][lane_index()];
        named_barrier(barrier, threads);
        return x;
    }
    /// The bits below those of a round: 30, 25, … 0.
    __device__ INLAY_INLINE static int shift_of(int round) { return 5 * (Rounds::each - 1 - round % Rounds::each); }

    /// The logit of the k-th token.
    __device__ INLAY_INLINE std::uint32_t kth(std::uint32_t tag) const {
        std::uint32_t prefix = 0;
        std::uint64_t left = static_cast<std::uint64_t>(a.top_k);
#pragma unroll 1
        for (int round = 0; round < Rounds::each; ++round) {
            const std::uint64_t count = sums_of(round, prefix, tag, [](int, std::uint32_t) {
                return std::uint64_t(1);
            });
            const std::uint64_t with = sum_of_lanes(count) - sum_up_to_lane(count) + count;
            const int bucket = least_of_lanes(with >= left && with - count < left ? lane_index() : warp_size - 1);
            left -= shuffle(with - count, bucket);
            prefix |= static_cast<std::uint32_t>(bucket) << shift_of(round);
        }
        return prefix;
    }
    /// The last logit of those, from the greatest on, before which the probability p is not yet reached, among logits
    /// from `least` on; of its tokens those with the lower ids are out where it is reached among them.
    __device__ INLAY_INLINE Last nucleus(std::uint32_t least, std::uint32_t tag) const {
        std::uint32_t prefix = 0;
        std::uint64_t above = 0, equal = 0;
        double enough = 0;
#pragma unroll 1
        for (int round = Rounds::each; round < Rounds::all; ++round) {
            const std::uint64_t sum = sums_of(round, prefix, tag, [&](int n, std::uint32_t order) {
                return order < least ? 0 : a.weights[n];
            });
            const std::uint64_t all = sum_of_lanes(sum), before = above + all - sum_up_to_lane(sum);
            if (round == Rounds::each) enough = a.top_p * static_cast<double>(all);
            // The first token stays, whatever p is.
            const bool stays = sum > 0 && (before == 0 || static_cast<double>(before) < enough);
            const int bucket = least_of_lanes(stays ? lane_index() : warp_size);
            if (bucket == warp_size) return {least, 0, 0};  // nothing has a weight: logits are no numbers
            above = shuffle(before, bucket), equal = shuffle(sum, bucket);
            prefix |= static_cast<std::uint32_t>(bucket) << shift_of(round);
        }
        const std::uint64_t each = weight_at(prefix), count = equal / each;
        std::uint64_t stay = 1;
        for (std::uint64_t most = count; stay < most;) {
            const std::uint64_t middle = (stay + most) / 2;
            if (static_cast<double>(above + middle * each) < enough) stay = middle + 1;
            else most = middle;
        }
        return {prefix, each, count - stay};
    }
    /// The token of this block at `rest` among the weights that are kept. `equal`: tokens of the last logit before the
    /// block's.
    __device__ INLAY_INLINE int token_at(const Last& last, std::uint64_t rest, std::uint64_t equal) const {
        const std::uint64_t count = equals_of_lane(), of_warp = equal + sum_up_to_lane(count);
        const int warp = lane_at(this->part_of_lane() + kept(last, of_warp, count), rest), end = first_of(warp + 1);
        equal = shuffle(of_warp - count, warp);
        for (int from = first_of(warp); from < end; from += warp_size) {
            const int n = from + lane_index();
            const std::uint32_t order = n < end ? order_of(a.scores[n]) : 0;
            const std::uint64_t is = n < end && order == last.order, up = equal + sum_up_to_lane(is);
            const std::uint64_t weight = n < end && order > last.order ? a.weights[n] : kept(last, up, is);
            const int lane = lane_at(weight, rest);
            if (lane < warp_size) return from + lane;
            equal = shuffle(up, warp_size - 1);
        }
        return t.likely;  // never: the weights are those of the sum
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
