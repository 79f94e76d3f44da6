// SPDX-License-Identifier: Apache-2.0
/// The moments of the groups of a GroupNorm: the pieces that threads leave in shared memory are added up by all warps
/// of a block, then those of all blocks of a range by one.
#pragma once

#include <inlay/tile/gpu/block/arrival.hpp>
#include <inlay/tile/gpu/block/moments.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/norm/split.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// The shared memory of a block: sums of warps, of the channels of its range [padded], chunks that are kept, and of
/// pieces [pieces][rows].
struct GroupNormTable {
    float *sums, *mean, *scale, *shift;
    unsigned char* kept;
    MeanM2* pieces;

    __device__ GroupNormTable(const GroupNormPlan& p, int element, unsigned char* memory) {
        sums = reinterpret_cast<float*>(memory);
        mean = sums + GroupNormPlan::shared_sums;
        scale = mean + p.padded();
        shift = scale + p.padded();
        kept = reinterpret_cast<unsigned char*>(shift + p.padded());
        pieces = reinterpret_cast<MeanM2*>(kept + p.slot_bytes(element) * p.kept * p.passes);
    }
};

/// The pieces of a group over a block, of which each of `shares` warps adds up every `shares`-th `warp_size`.
class GroupPieces {
public:
    __device__ GroupPieces(const GroupNormPlan& plan, const MeanM2* all, int member, int group)
        : p_(plan), member_(member), begin_(group * plan.width), first_(begin_ / lanes),
          pieces_(all + (group + first_) * plan.rows),
          count_(((begin_ + plan.width - 1) / lanes - first_ + 1) * plan.rows) {}

    /// A value of the group.
    __device__ float some() const { return pieces_->mean; }
    /// Their sums about k, in every lane of the warp.
    __device__ ShiftedSums about(float k, int share, int shares) const {
        ShiftedSums s{k};
#pragma unroll 2
        for (int i = share * warp_size + lane_index(); i < count_; i += shares * warp_size) {
            const int chunk = p_.by_rows.divide(i), row = i - chunk * p_.rows, from = (first_ + chunk) * lanes;
            const int width = (::min)(begin_ + p_.width, from + lanes) - (::max)(begin_, from);
            s.add(static_cast<float>(width * p_.steps_of(member_, row)), pieces_[i]);
        }
        return add_in_warp(s);
    }
    __device__ float values() const { return static_cast<float>(p_.pixels_of(member_) * p_.width); }

private:
    static constexpr int lanes = GroupNormPlan::lanes;
    const GroupNormPlan& p_;
    int member_, begin_, first_;
    const MeanM2* pieces_;
    int count_;
};

/// done(group, its moments over a block), by a warp of each group of the range, from their pieces: as many warps share
/// one as there are. Their mean comes first, deviations are from it. All threads of the block call it.
template <class F>
__device__ INLAY_INLINE void add_pieces(const GroupNormPlan& p, const GroupNormTable& t, int member, F&& done) {
    const int warp = warp_index(), shares = p.shares, at_once = (::min)(p.groups, p.threads / warp_size);
    const int mine = p.by_shares.divide(warp), share = warp - mine * shares;
    const auto sum_of = [&](int at) {
        float sum = 0;
        for (int i = 0; i < shares; ++i) sum += t.sums[(mine * shares + i) * 3 + at];
        return sum;
    };
#pragma unroll 1
    for (int first = 0; first < p.groups; first += at_once) {
        const bool on = mine < at_once && first + mine < p.groups;
        const GroupPieces pieces(p, t.pieces, member, on ? first + mine : 0);
        ShiftedSums s{pieces.some()};
        if (on) s = pieces.about(s.k, share, shares);
        if (shares > 1) {
            if (on) t.sums[warp * 3] = s.sum;
            block_sync();
            if (on) s.sum = sum_of(0);
        }
        if (on) s = pieces.about(s.k + math::quotient(s.sum, pieces.values()), share, shares);
        if (shares > 1) {
            if (on) t.sums[warp * 3 + 1] = s.sum, t.sums[warp * 3 + 2] = s.squares;
            block_sync();
            if (on) s.sum = sum_of(1), s.squares = sum_of(2);
        }
        if (on && share == 0) done(first + mine, s.moments(pieces.values()));
    }
}

/// The same over a team, from what its blocks hand over: deviations are from the mean of the first `warp_size` blocks.
__device__ inline MeanM2 add_blocks(const GroupNormPlan& p, const std::uint64_t* words) {
    const int lane = lane_index();
    ShiftedSums s{};
    for (int first = 0; first < p.team; first += warp_size) {
        const int member = first + lane;
        MeanM2 m{};
        if (member < p.team) m = receive(words + member);
        if (first == 0) {
            const float k = shuffle(m.mean, 0);
            const float sum = add_in_warp(member < p.team ? m.mean - k : 0.0f);
            s.k = k + math::quotient(sum, static_cast<float>((::min)(warp_size, p.team)));
        }
        if (member < p.team) s.add(static_cast<float>(p.pixels_of(member) * p.width), m);
    }
    return add_in_warp(s).moments(static_cast<float>(p.pixels() * p.width));
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
