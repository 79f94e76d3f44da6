// SPDX-License-Identifier: Apache-2.0
/// The choice of a token among those that top-k and top-p leave, by the blocks of a persistent launch. The last logit
/// that stays is found by its bits from the top: each round adds up what all tokens weigh in 32 buckets of the next
/// bits, whole numbers in any order, so that it is that of `model::TokenSampler` whatever the number of blocks. All
/// sequences go through the same rounds: a warp of another block adds up each bucket of each sequence, and each block
/// reads the sums.
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
    using Base::a, Base::own, Base::block, Base::blocks, Base::s, Base::row, Base::warps, Base::threads, Base::barrier;
    using Base::most_blocks, Base::none, Base::lane_at, Base::scores, Base::tokens;
    using Rounds = persistent::RestrictedRounds;

    /// The last logit that stays: of its tokens, in the order of their ids, the first `out` are out.
    struct Last {
        std::uint32_t order;
        std::uint64_t each, out;  ///< each: weight of a token
    };
    struct Scratch {
        typename Base::Scratch rows[S::batch];  ///< `parts`: of each warp of the row, above the last logit
        std::uint64_t buckets[warps][warp_size];
        std::uint32_t equals[warps];  ///< tokens of each warp with the last logit
        Last last[S::batch];
        std::uint32_t prefix[S::batch];  ///< bits of the last logit so far
    };
    static_assert(sizeof(Scratch) <= product_sum_floats(S::batch) * sizeof(float) && warp_size >= Rounds::buckets);
    static constexpr int first_adder = 8;  ///< of the warps that add up buckets of all blocks, which lead no sequence
    static_assert(S::batch <= first_adder && warps == 16);

    __device__ INLAY_INLINE TokenRestrictor(const RestrictedArguments<T>& arguments, const ColumnRange& columns, int b,
                                            int of, Scratch& scratch, int sequence)
        : Base{arguments, columns, b, of, scratch.rows[sequence], sequence}, t(scratch) {}

    /// The sequence whose tokens a warp weighs: each has as many warps as the others. Behind the last one where warps
    /// are left over.
    __device__ INLAY_INLINE static int row_of_warp(const RestrictedArguments<T>& a) {
        return warp_index() >> row_bits(a);
    }
    /// Hands on, of each sequence, the weight of the block's tokens above the last logit that stays, and how many have
    /// that one. `row`: that of the warp.
    __device__ INLAY_INLINE void weigh(std::uint32_t tag) const {
        named_barrier(barrier, threads);
        each_token([&](int n) { weights()[n] = this->weight(n); });
        Last last{0, 0, 0};  // of the warp's own sequence, where it leads one
        std::uint32_t least = 0;
        if (a.top_k > 0 && a.top_k < S::vocabulary) last.order = kth(tag), least = t.prefix[row];
        if (a.top_p < 1) last = nucleus(last.order, least, tag);
        else if (leads()) last.each = weight_at(last.order);
        if (leads() && lane_index() == 0) t.last[warp_index()] = last;
        named_barrier(barrier, threads);
        const std::uint32_t end = t.last[row].order;
        std::uint64_t above = 0, equal = 0;
        each_token([&](int n) {
            const std::uint32_t order = order_of(scores()[n]);
            above += order > end ? weights()[n] : 0, equal += order == end;
        });
        above = sum_of_lanes(above), equal = sum_of_lanes(equal);
        if (lane_index() == 0) {
            s.parts[member()] = above;
            t.equals[warp_index()] = static_cast<std::uint32_t>(equal);
        }
        named_barrier(barrier, threads);
        if (!leads()) return;
        above = sum_of_lanes(part_of_lane(warp_index())), equal = sum_of_lanes(equals_of_lane(warp_index()));
        if (lane_index() == 0) publish_sum(last_words(warp_index()) + 4 * block, above, tag);
        if (lane_index() == 0) publish_sum(last_words(warp_index()) + 4 * block + 2, equal, tag);
    }
    /// Hands on the token at the random place, as `TokenChooser` does.
    __device__ INLAY_INLINE void choose(std::uint32_t totals_tag, std::uint32_t tag, int position) const {
        constexpr int turns = (most_blocks + warp_size - 1) / warp_size;
        std::uint64_t before = 0, mine = 0, total = 0, equal = 0, first = 0;
        const Last last = t.last[row];
        // In turns, here and in the rounds: all of them at once take more registers than there are.
#pragma unroll 1
        for (int i = 0; i < turns; ++i) {
            const int of = lane_index() + i * warp_size;
            std::uint64_t both[2];  // of a block: the weight above the last logit, and tokens of that one
            receive_sums(both, last_words(row), 2 * of, 1, of < blocks ? 2 * of + 2 : 0, totals_tag);
            const std::uint64_t end = equal + sum_up_to_lane(both[1]), sum = both[0] + kept(last, end, both[1]);
            total += sum;
            before += of < block ? sum : 0;
            mine += of == block ? sum : 0;
            first += of == block ? end - both[1] : 0;
            equal = shuffle(end, warp_size - 1);
        }
        total = sum_of_lanes(total), before = sum_of_lanes(before), mine = sum_of_lanes(mine);
        const std::uint64_t place =
            sampling::high_product(sampling::random_word(a.seed + row, 0, static_cast<std::uint64_t>(position)), total);
        int token = none;
        if (total == 0) token = block == 0 ? s.likely : none;
        else if (place >= before && place - before < mine) token = token_at(last, place - before, sum_of_lanes(first));
        if (lane_index() == 0) publish(tokens() + block, static_cast<std::uint32_t>(token), tag);
    }

private:
    Scratch& t;

    __device__ INLAY_INLINE static int batch_of(const RestrictedArguments<T>& a) { return S::batch == 1 ? 1 : a.batch; }
    /// Warps of a row are 2 to this, so that nothing is divided: quotients would take registers all along.
    __device__ INLAY_INLINE static int row_bits(const RestrictedArguments<T>& a) {
        return S::batch == 1 ? 4 : 4 - (a.batch > 1) - (a.batch > 2) - (a.batch > 4);
    }
    __device__ INLAY_INLINE int row_warps() const { return 1 << row_bits(a); }
    __device__ INLAY_INLINE int batch() const { return batch_of(a); }
    /// A warp leads the sequence of its number: it has its sums and finds its bits.
    __device__ INLAY_INLINE bool leads() const { return warp_index() < batch(); }
    /// The number of this warp among those of its row.
    __device__ INLAY_INLINE int member() const { return warp_index() & (row_warps() - 1); }
    /// The first token of a warp of a row, by its number there.
    __device__ INLAY_INLINE int first_of(int number) const {
        return own.first + static_cast<int>(static_cast<index_t>(own.end - own.first) * number >> row_bits(a));
    }
    /// Tokens of this warp: none where it is left over.
    __device__ INLAY_INLINE ColumnRange own_tokens() const {
        const int first = first_of(member());
        return {first, row < batch() ? first_of(member() + 1) : first};
    }
    template <class F>
    __device__ INLAY_INLINE void each_token(const F& f) const {
        const ColumnRange range = own_tokens();
#pragma unroll 1
        for (int n = range.first + lane_index(); n < range.end; n += warp_size) f(n);
    }
    __device__ INLAY_INLINE std::uint64_t* weights() const { return a.weights + row * S::vocabulary; }
    /// Words of a round: of each block two for a bucket of each sequence, and of all blocks copies of their sums.
    __device__ INLAY_INLINE std::uint64_t* words(int round) const {
        return a.totals + round * (2 * Rounds::buckets * batch() * (blocks + S::copies));
    }
    __device__ INLAY_INLINE std::uint64_t* sum_words(int round) const {
        return words(round) + 2 * Rounds::buckets * batch() * blocks;
    }
    __device__ INLAY_INLINE std::uint64_t* last_words(int of) const { return words(Rounds::all) + of * (4 * blocks); }
    __device__ INLAY_INLINE std::uint64_t part_of_lane(int of) const {
        return lane_index() < row_warps() ? t.rows[of].parts[lane_index()] : 0;
    }
    __device__ INLAY_INLINE std::uint64_t equals_of_lane(int of) const {
        return lane_index() < row_warps() ? t.equals[of * row_warps() + lane_index()] : 0;
    }
    /// Of the sequence that the warp leads.
    __device__ INLAY_INLINE std::uint64_t weight_at(std::uint32_t order) const {
        return sampling::weight_of(logit_at(order), t.rows[S::batch == 1 ? 0 : warp_index()].most, a.temperature);
    }
    /// The weight that stays of `count` tokens of the last logit, up to the one numbered `end`.
    __device__ INLAY_INLINE static std::uint64_t kept(const Last& last, std::uint64_t end, std::uint64_t count) {
        const std::uint64_t begin = end - count;
        return ((end > last.out ? end : last.out) - (begin > last.out ? begin : last.out)) * last.each;
    }

    /// Sums of all blocks' tokens in the buckets of a round, one a lane, of the sequence that the warp leads: of tokens
    /// whose higher bits are those of the last logit, from `least` on, which is that of the warp's row. What they weigh,
    /// or how many there are.
    template <bool Weighs>
    __device__ INLAY_INLINE std::uint64_t sums_of(int round, std::uint32_t least, std::uint32_t tag) const {
        const int shift = shift_of(round), warp = warp_index(), lane = lane_index();
        const ColumnRange range = own_tokens();
        const std::uint64_t prefix = t.prefix[row];  // of no bits in the first round
        std::uint64_t sum = 0;
#pragma unroll 1
        for (int from = range.first; from < range.end; from += warp_size) {
            const int n = from + lane;
            const std::uint64_t order = n < range.end ? order_of(scores()[n]) : 0;
            const bool has = n < range.end && order >= least && order >> (shift + 5) == prefix >> (shift + 5);
            const unsigned own_bit = 1u << lane;
            unsigned mask = bits_of_lanes(has ? own_bit : 0u);
            if (mask == 0) continue;
            // The lanes whose tokens are in this lane's bucket.
            INLAY_UNROLL
            for (int bit = 0; bit < 5; ++bit) {
                const unsigned set = bits_of_lanes(order >> (shift + bit) & 1 ? own_bit : 0u);
                mask &= lane >> bit & 1 ? set : ~set;
            }
            if constexpr (Weighs) {
                const std::uint64_t x = has ? weights()[n] : 0;
                for (; any_lane(mask != 0); mask &= mask - 1) {
                    const std::uint64_t y = shuffle(x, bit_count((mask & -mask) - 1) & (warp_size - 1));
                    sum += mask != 0 ? y : 0;
                }
            } else {
                sum += static_cast<std::uint64_t>(bit_count(mask));
            }
        }
        t.buckets[warp][lane] = sum;
        named_barrier(barrier, threads);
        if (leads()) {
            sum = 0;
            for (int w = 0; w < row_warps(); ++w) sum += t.buckets[warp * row_warps() + w][lane];
            publish_sum(words(round) + 2 * ((block * batch() + warp) * Rounds::buckets + lane), sum, tag);
        }
        if (warp >= first_adder) add_up(round, tag);
        std::uint64_t total[1] = {};
        const int copy = block % S::copies;
        if (leads())
            receive_sums(total, sum_words(round) + 2 * (copy * batch() + warp) * Rounds::buckets, lane, warp_size,
                         Rounds::buckets, tag);
        return total[0];
    }
    /// Hands on sums of all blocks: those that are this block's, a warp each.
    __device__ INLAY_INLINE void add_up(int round, std::uint32_t tag) const {
        constexpr int at_once = 5;  // blocks of a lane
        const int all = batch() * Rounds::buckets, lane = lane_index();
#pragma unroll 1
        for (int i = block + (warp_index() - first_adder) * blocks; i < all; i += (warps - first_adder) * blocks) {
            std::uint64_t sum = 0;
#pragma unroll 1
            for (int from = 0; from < blocks; from += at_once * warp_size) {
                std::uint64_t of_blocks[at_once];
                receive_sums(of_blocks, words(round), (from + lane) * all + i, warp_size * all, blocks * all, tag);
                INLAY_UNROLL
                for (int j = 0; j < at_once; ++j) sum += of_blocks[j];
            }
            sum = sum_of_lanes(sum);
            if (lane < 2 * S::copies)
                publish(sum_words(round) + 2 * (lane / 2 * all + i) + lane % 2,
                        static_cast<std::uint32_t>(lane % 2 ? sum >> 32 : sum), tag);
        }
    }
    /// Keeps the bits of the sequence that the warp leads, behind the reads of those before.
    __device__ INLAY_INLINE void keep_prefix(std::uint32_t prefix) const {
        if (leads() && lane_index() == 0) t.prefix[warp_index()] = prefix;
        named_barrier(barrier, threads);
    }
    /// The bits below those of a round: 30, 25, … 0.
    __device__ INLAY_INLINE static int shift_of(int round) { return 5 * (Rounds::each - 1 - round % Rounds::each); }

    /// The logit of the k-th token.
    __device__ INLAY_INLINE std::uint32_t kth(std::uint32_t tag) const {
        std::uint32_t prefix = 0;
        std::uint64_t left = static_cast<std::uint64_t>(a.top_k);
#pragma unroll 1
        for (int round = 0; round < Rounds::each; ++round) {
            const std::uint64_t count = sums_of<false>(round, 0, tag);
            const std::uint64_t with = sum_of_lanes(count) - sum_up_to_lane(count) + count;
            const int bucket = least_of_lanes(with >= left && with - count < left ? lane_index() : warp_size - 1);
            left -= shuffle(with - count, bucket);
            prefix |= static_cast<std::uint32_t>(bucket) << shift_of(round);
            keep_prefix(prefix);
        }
        return prefix;
    }
    /// The last logit of those, from the greatest on, before which the probability p is not yet reached, among logits
    /// from the k-th on, which is `least` of the warp's row; of its tokens those with the lower ids are out where it is
    /// reached among them.
    __device__ INLAY_INLINE Last nucleus(std::uint32_t kth, std::uint32_t least, std::uint32_t tag) const {
        std::uint32_t prefix = 0;
        std::uint64_t above = 0, equal = 0;
        double enough = 0;
        bool found = true;
#pragma unroll 1
        for (int round = Rounds::each; round < Rounds::all; ++round) {
            const std::uint64_t sum = sums_of<true>(round, least, tag);
            const std::uint64_t all = sum_of_lanes(sum), before = above + all - sum_up_to_lane(sum);
            if (round == Rounds::each) enough = a.top_p * static_cast<double>(all);
            // The first token stays, whatever p is.
            const bool stays = sum > 0 && (before == 0 || static_cast<double>(before) < enough);
            const int first = least_of_lanes(stays ? lane_index() : warp_size), bucket = smaller(first, warp_size - 1);
            found = found && first == bucket;
            above = shuffle(before, bucket), equal = shuffle(sum, bucket);
            prefix |= static_cast<std::uint32_t>(bucket) << shift_of(round);
            keep_prefix(prefix);
        }
        if (!found) return {kth, 0, 0};  // nothing has a weight: logits are no numbers, or the warp leads no sequence
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
        const std::uint64_t count = equals_of_lane(row), of_warp = equal + sum_up_to_lane(count);
        const int warp = lane_at(part_of_lane(row) + kept(last, of_warp, count), rest), end = first_of(warp + 1);
        equal = shuffle(of_warp - count, warp);
        for (int from = first_of(warp); from < end; from += warp_size) {
            const int n = from + lane_index();
            const std::uint32_t order = n < end ? order_of(scores()[n]) : 0;
            const std::uint64_t is = n < end && order == last.order, up = equal + sum_up_to_lane(is);
            const std::uint64_t weight = n < end && order > last.order ? weights()[n] : kept(last, up, is);
            const int lane = lane_at(weight, rest);
            if (lane < warp_size) return from + lane;
            equal = shuffle(up, warp_size - 1);
        }
        return s.likely;  // never: the weights are those of the sum
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
