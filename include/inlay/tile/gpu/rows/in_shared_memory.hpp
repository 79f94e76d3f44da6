// SPDX-License-Identifier: Apache-2.0
/// Long rows, read and stored as they are: copied to the shared memory of a block, where each thread finds its own part
/// again and again. That takes no registers, so that a multiprocessor has all the rows under way that its memory holds.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/plan/norm/row_split.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/block/moments.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/rows/in_registers.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A row of `n` elements, whole chunks and one at least for each thread, in the shared memory of a block as it is
/// stored. An operation first measures it, then changes it once: new values go straight to the result.
template <class T>
class SharedRow {
public:
    using value = float;
    static constexpr int N = chunk_of<T>;

    __device__ SharedRow(Group& group, int n, uint4* row, T* to)
        : group_(group), own_(row + group.rank), to_(to + group.rank * N), n_(n), whole_(n / N / group.size),
          rest_(n / N - whole_ * group.size), count_(whole_ + (group.rank < rest_)) {}

    /// Starts the copies of this thread's chunks of the row at `from`.
    __device__ INLAY_INLINE void fetch(const T* from) const {
        from += group_.rank * N;
#pragma unroll 4
        for (int k = 0; k < count_; ++k) copy_async(shared_address(own_ + k * group_.size), from + k * group_.size * N);
        copy_commit();
    }
    __device__ INLAY_INLINE void await() const { copy_wait<0>(); }

    __device__ index_t size() const { return n_; }
    /// Deviations are from a guess of the warp, the mean of its first chunks; warps meet once (`moments.hpp`).
    __device__ INLAY_INLINE Moments<float> moments() const {
        const float guess = add_in_warp(detail::join_lanes(floats(0), Plus{})) / (warp_size * N);
        Vec<float, N> d(0.0f), q(0.0f);
#pragma unroll 2
        for (int k = 0; k < count_; ++k) {
            const Vec<float, N> off = floats(k) - guess;
            d += off;
            q += off * off;
        }
        const float sum = add_in_warp(detail::join_lanes(d, Plus{})),
                    off = math::quotient(sum, of_warp(group_.rank / warp_size));
        float mean_m2[2] = {guess + off, add_in_warp(detail::join_lanes(q, Plus{})) - sum * off};
        group_.gather(mean_m2);
        const int warps = group_.size / warp_size;
        ShiftedSums s{shuffle(mean_m2[0], 0)};
        s.add(of_warp(thread_index() % warps), {mean_m2[0], mean_m2[1]});
        float two[2] = {s.sum, s.squares};
        reduce_lanes(two, warps, Plus{});
        s.sum = two[0], s.squares = two[1];
        const MeanM2 m = s.moments(static_cast<float>(n_));
        return {m.mean, fmaxf(m.m2, 0.0f)};
    }
    __device__ INLAY_INLINE float sum_of_squares() const {
        return sum([](const Vec<float, N>& x) { return x * x; });
    }
    __device__ INLAY_INLINE void softmax() {
        Vec<float, N> most(-INFINITY);
#pragma unroll 2
        for (int k = 0; k < count_; ++k) detail::fold(most, floats(k), N, Greatest{}, detail::Same{});
        // The maximum passes over a NaN, but it makes the sum NaN; a row of −inf becomes exp(−inf + inf).
        const float top = group_.reduce(detail::join_lanes(most, Greatest{}), Greatest{});
        const auto power = [top](const Vec<float, N>& x) { return detail::exp_in_row<N>(x - top); };
        const float by = 1.0f / sum(power);
        each([=](const Vec<float, N>& x) { return power(x) * by; });
    }
    template <class G, class B>
    __device__ INLAY_INLINE void scale_shift(float mean, float rstd, const G& gamma, const B& beta) {
        // For 16 bits, the product with the mean rounds by far less than storing the input did.
        constexpr bool folded = sizeof(T) == 2;
        const float back = -mean * rstd;
        change(
            [=](const auto& x, const auto& g, const auto& b) {
                return folded ? (x * rstd + back) * g + b : (x - mean) * rstd * g + b;
            },
            gamma, beta);
    }
    template <class G>
    __device__ INLAY_INLINE void scale(float by, const G& gamma) {
        change([by](const auto& x, const auto& g) { return x * by * g; }, gamma);
    }
    /// Stores f(x), f an operation on vectors of floats.
    template <class F>
    __device__ INLAY_INLINE void each(F f) {
        change(f);
    }

private:
    /// Elements that a warp has.
    __device__ INLAY_INLINE float of_warp(int warp) const {
        return static_cast<float>(N * (warp_size * whole_ + (::min)((::max)(rest_ - warp_size * warp, 0), warp_size)));
    }
    __device__ INLAY_INLINE Vec<float, N> floats(int k) const { return chunk_floats<T>(own_[k * group_.size]); }
    template <class F>
    __device__ INLAY_INLINE float sum(F f) const {
        Vec<float, N> s(0.0f);
#pragma unroll 2
        for (int k = 0; k < count_; ++k) s += f(floats(k));
        return group_.reduce(detail::join_lanes(s, Plus{}), Plus{});
    }
    template <class F, class... A>
    __device__ INLAY_INLINE void change(F f, const A&... a) {
#pragma unroll 2
        for (int k = 0; k < count_; ++k) {
            const int j = k * group_.size * N;
            *reinterpret_cast<uint4*>(to_ + j) =
                packed_chunk<T>(f(floats(k), load_vector<N>(a.data + group_.rank * N + j)...));
        }
    }

    Group& group_;
    uint4* own_;
    T* to_;
    int n_, whole_, rest_, count_;   // chunks: of every thread, of the first threads another, of this thread
};

namespace detail {

inline constexpr int shared_row_block = 1536;     ///< threads of a multiprocessor, by the registers that they take

/// `lead`: the extents with a last axis of 1. A block has a row.
template <int R, class T, class Op>
struct SharedRowsBody {
    struct Arguments {
        Unravel<R> lead;
        int n;
        Tensor<const T, R> x;
        Tensor<T, R> y;
        Op op;
    };
    static constexpr int threads = RowSplit::shared_threads, min_blocks = shared_row_block / threads;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char* memory) {
        const auto& [lead, n, x, y, op] = arguments;
        __shared__ float shared[Group::floats];
        Group group(block_threads(), shared);
        const Extents<R> c = row_coordinate(lead, work.template tile<index_t>());
        SharedRow<T> row(group, n, reinterpret_cast<uint4*>(memory), y.data + inlay::detail::offset(c, y.strides));
        after_previous_kernel();
        row.fetch(x.data + inlay::detail::offset(c, x.strides));
        row.await();
        op(row);
    }
};

/// `lead`: the extents with a last axis of 1.
template <int R, class In, class Op, class Sink>
void rows_in_shared_memory(Launcher& l, const NormProblem& p, const RowSplit& s, const Extents<R>& lead, const In& in,
                           const Op& op, const Sink& sink) {
    const auto& y = get<0>(sink.outs);
    using T = typename std::remove_cvref_t<decltype(y)>::value_type;
    l.launch<SharedRowsBody<R, T, Op>>({.blocks = s.blocks,
                                        .threads = s.threads,
                                        .shared = static_cast<std::size_t>(s.shared),
                                        .overlaps = true},
                                       {Unravel<R>(lead), static_cast<int>(p.channels),
                                        in.env.template tensor<In::expression::slot>(), y, op});
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::on_gpu
