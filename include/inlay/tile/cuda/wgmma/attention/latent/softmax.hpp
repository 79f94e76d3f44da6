// SPDX-License-Identifier: Apache-2.0
/// The online softmax of two warpgroups that take blocks of keys in turn. Both have sums with V of all blocks, so that
/// exponents of a block are relative to the maximum of the block before, or a greater one: a warpgroup adopts the
/// other's before it adds to its sums.
#pragma once

#include <inlay/tile/cuda/wgmma/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <int Keys>
struct WgmmaTurnSoftmax : WgmmaSoftmax<Keys> {
    using Base = WgmmaSoftmax<Keys>;

    /// The probabilities of a block of this warpgroup's, in T. True if exponents are relative to other numbers than
    /// before: the output is to be brought to these by `move`.
    template <class T>
    __device__ INLAY_INLINE bool add(const float (&s)[Keys / 2], float scale, std::uint32_t (&p)[Keys / 16][4]) {
        float more[2];
        const auto exponent = [&](int i, int h) { return fmaf(s[i], scale, -this->shift[h]); };
        Base::template exponentials<T>(p, more, exponent);
        const bool moves = any_lane(!(more[0] < Base::most && more[1] < Base::most));
        if (moves) {
            adopt(fmaxf(Base::top_of(s, 0) * scale, this->shift[0]), fmaxf(Base::top_of(s, 1) * scale, this->shift[1]));
            Base::template exponentials<T>(p, more, exponent);
        }
        this->sum[0] += more[0];
        this->sum[1] += more[1];
        return moves;
    }
    /// Makes exponents relative to other numbers. True if they are others in some lane.
    __device__ INLAY_INLINE bool adopt(float first, float second) {
        by_[0] = exp2_approximate(this->shift[0] - first);
        by_[1] = exp2_approximate(this->shift[1] - second);
        this->shift[0] = first;
        this->shift[1] = second;
        this->sum[0] *= by_[0];
        this->sum[1] *= by_[1];
        return any_lane(by_[0] != 1.0f || by_[1] != 1.0f);
    }
    template <int N>
    __device__ INLAY_INLINE void move(float (&o)[N]) const {
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) o[i] *= by_[i / 2 % 2];
    }

private:
    float by_[2];               ///< factors of what was summed before
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
