// SPDX-License-Identifier: Apache-2.0
/// The executors of the CPU are targets, and a class that lacks a member of one is not; frames state row maps and row
/// operations to targets.
#if !defined(__CUDACC__)  // nvcc does not take the loops of the CPU
#include <inlay/exec/host.hpp>
#endif
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

namespace target_test {  // nvcc warns of functions that an unnamed one does not call

using namespace inlay;

static_assert(Target<Oracle> && !Target<const Oracle> && !Target<int> && !Target<Oracle*>);
#if !defined(__CUDACC__)
static_assert(Target<Host> && !Target<const Host> && !Target<Host*>);
#endif

/// All members, in the fewest words.
struct Everything {
    template <class... A>
    void map(const A&...) {}
    template <class... A>
    void rows(const A&...) {}
    template <int, class... A>
    void group_norm(const A&...) {}
    template <class, bool, class... A>
    void reduce(const A&...) {}
    template <class, class... A>
    void matmul(const MatmulShape&, const A&...) {}
    template <class, class... A>
    void attention(const AttentionShape&, const A&...) {}
    template <class S>
    void publish_stats(const S&) {}
};
static_assert(Target<Everything>);

// Without one member each.
struct WithoutMap : Everything {
    void map() = delete;
};
struct WithoutRows : Everything {
    void rows() = delete;
};
struct WithoutGroupNorm : Everything {
    void group_norm() = delete;
};
struct WithoutReduce : Everything {
    void reduce() = delete;
};
struct WithoutMatmul : Everything {
    void matmul() = delete;
};
/// As attention was called before it had a score.
struct WithoutScore : Everything {
    template <class... A>
    void attention(const AttentionShape&, const A&...) {}
};
struct WithoutStatistics : Everything {
    void publish_stats() = delete;
};
static_assert(!Target<WithoutMap> && !Target<WithoutRows> && !Target<WithoutGroupNorm> && !Target<WithoutReduce> &&
              !Target<WithoutMatmul> && !Target<WithoutScore> && !Target<WithoutStatistics>);
static_assert(map_member::in<WithoutRows> && !rows_member::in<WithoutRows> && matmul_member::in<WithoutScore>);

static_assert(RowMap<TensorRows<3>> && TensorRowMap<TensorRows<3>> && !WindowRowMap<TensorRows<3>>);
static_assert(RowMap<Taps<Filter<1>>> && WindowRowMap<Taps<Filter<1>>> && !TensorRowMap<Taps<Filter<1>>>);
static_assert(!RowMap<Pixels> && !RowMap<int>);
/// A row without a way to its elements.
struct WithoutAt : TensorRows<2> {
    void at() = delete;
};
static_assert(!RowMap<WithoutAt>);

using Gamma = Tensor<const float, 1>;
static_assert(RowOperation<SoftmaxRow> && !ScalingOperation<SoftmaxRow>);
static_assert(RowOperation<RMSNormRow<Gamma>> && ScalingOperation<RMSNormRow<Gamma>> &&
              !ShiftingOperation<RMSNormRow<Gamma>>);
static_assert(RowOperation<LayerNormRow<Gamma, Gamma>> && ShiftingOperation<LayerNormRow<Gamma, Gamma>>);
struct OnNumbers {
    void operator()(float) const {}
};
static_assert(!RowOperation<OnNumbers> && !RowOperation<Gamma>);

}  // namespace target_test
