// SPDX-License-Identifier: Apache-2.0
/// The end of rows of attention on sm_90a: from maximum, sum and output of a softmax to the outputs that a recurrence
/// derives from them, and the number of a row that is stored.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/online/state.hpp>
#include <inlay/plan/attention/score_value.hpp>
#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A row whose powers are relative to `shift`, an exponent of 2. Its recurrence has them relative to an expression of
/// the row, which a sink's score may exceed.
template <class Algebra, class Environment>
struct WgmmaRowEnd {
    using Recurrence = typename Algebra::row;
    using Power = WgmmaPower<Algebra>;
    ScoreLeaves<float, Environment> at;
    online::Row<Recurrence, float> row;
    float by = 1.0f;            ///< factor of the sums with V

    __device__ INLAY_INLINE WgmmaRowEnd(const Environment& env, const ScoreRow& place, float shift, float sum)
        : at{env, place} {
        if (sum == 0.0f) return;
        const float top = shift * static_cast<float>(1 / Power::log2_base);
        row.most[0] = top;
        if constexpr (!std::is_same_v<typename Power::relative, KeyMax<Score>>) {
            const online::detail::State<Recurrence, float, decltype(at)> state{row.most, row.most, row.sum, nullptr, at};
            const float to = online::evaluate<typename Power::relative, float>(state);
            by = exp2_approximate((top - to) * static_cast<float>(Power::log2_base));
        }
        row.sum[0] = sum * by;
    }
    __device__ INLAY_INLINE float output(float values) const {
        values *= by;
        return row.template output<0>(&values, at);
    }
    __device__ INLAY_INLINE float number() const {
        const float none = 0.0f;
        return row.template output<1>(&none, at);
    }
};

/// Brings the output of the two rows of a lane's place to the end but for factors `by`, of gathered sums, and stores
/// their numbers.
/// `stores`: this warpgroup is the one of those with the same queries that does.
template <class Algebra, class Softmax, class Args, class Place, int N>
__device__ INLAY_INLINE void finish_rows(const Args& a, const Place& place, bool stores, const Softmax& softmax,
                                         float (&o)[N], float (&by)[2]) {
    if constexpr (Algebra::softmax) softmax.finish(by);
    if constexpr (!Algebra::softmax || Algebra::stores_number) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            const ScoreRow row = place.existing(a, h);
            const WgmmaRowEnd<Algebra, decltype(a.env)> end(a.env, row, softmax.shift[h], softmax.sum[h]);
            if constexpr (!Algebra::softmax) {
                INLAY_UNROLL
                for (int i = 2 * h; i < N; i += 4) o[i] = end.output(o[i]), o[i + 1] = end.output(o[i + 1]);
                by[h] = 1.0f;
            }
            if constexpr (Algebra::stores_number)
                if (stores && place.exists(a, h) && lane_index() % 4 == 0) {
                    const auto& to = get<Algebra::number::row_slot>(a.sink.outs);
                    using T = std::remove_cvref_t<decltype(to.data[0])>;
                    to.data[row.batch * to.strides[0] + row.head * to.strides[1] + row.query * to.strides[2]] =
                        to_storage<T>(end.number());
                }
        }
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
