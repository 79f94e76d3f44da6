// SPDX-License-Identifier: Apache-2.0
/// The kernels of a spatial transformer, and the tasks that they are in one launch: bodies of the portable engine, of
/// four warps each, two blocks a multiprocessor.
#pragma once

#include <inlay/exec/cuda/persistent/arguments.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/plan/persistent/transformer.hpp>
#include <inlay/tile/cuda/mma/attention/fragments.hpp>
#include <inlay/tile/cuda/persistent/tasks.hpp>
#include <inlay/tile/gpu/persistent/group_norm.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Kernels of a spatial transformer, on rows of C elements.
struct transformer_product : Linear<> {};
struct transformer_bias : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct transformer_residual : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct transformer_gated : Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>> {};
struct transformer_norm : LayerNorm<> {};
template <int D>
struct transformer_attention : Attention<D, Buf<0>, Buf<1>, Buf<2>> {};

/// The types of a kernel: of 16-bit elements T, heads of D.
template <class T, int D>
struct TransformerTypes {
    using ProductTile = detail::TileOfTable<Atom<T>, mma_matrix, persistent::transformer_schedule(D)>;
    using AttendTile = AttentionTile<T, Atom<T>, D, 1, 4, 1, 64, 2, 2>;
    static_assert(ProductTile::m == persistent::TransformerShape::group_rows && AttendTile::rows == ProductTile::m &&
                  ProductTile::threads == AttendTile::threads);
    static constexpr int threads = ProductTile::threads;

    using In = Tensor<const T, 2>;
    using Vector = Tensor<const T, 1>;
    using Weight = Packed<T, 2>;
    template <class K, class... A>
    using Prepared = decltype(prepare<K>(std::declval<const A&>()...));
    template <class K, class... A>
    using GemmOf =
        decltype(gemm_task<ProductTile>(std::declval<const Prepared<K, Tensor<T, 2>, Weight, In, A...>&>(), 1));
    using Norm = Prepared<transformer_norm, Tensor<T, 2>, Vector, Vector, In>;
    using Attend = Prepared<transformer_attention<D>, Tensor<T, 4>, Tensor<const T, 4>, Tensor<const T, 4>,
                            Tensor<const T, 4>>;
    using AttendArguments = decltype(attention_task<AttendTile>(std::declval<const Attend&>()));

    using Measure = MeasureTasks<T>;
    using Normalise = NormaliseTasks<T>;
    using Rows = LayerNormTasks<Norm>;
    using Product = GemmTasks<ProductTile, GemmOf<transformer_product>>;
    using Bias = GemmTasks<ProductTile, GemmOf<transformer_bias, Vector>>;
    using Residual = GemmTasks<ProductTile, GemmOf<transformer_residual, Vector, In>>;
    using Gated = GemmTasks<ProductTile, GemmOf<transformer_gated, Vector, Vector>>;
    using Heads =
        AttentionTasks<AttendTile, AttentionAlgebra<typename transformer_attention<D>::form>, AttendArguments>;

    using MeasureKind = TaskKind<Measure, 1>;
    using NormaliseKind = TaskKind<Normalise, 1>;
    using RowsKind = TaskKind<Rows, 3>;
    using ProductKind = TaskKind<Product, 2>;
    using BiasKind = TaskKind<Bias, 1>;
    using ResidualKind = TaskKind<Residual, 4>;
    using GatedKind = TaskKind<Gated, 1>;
    using HeadsKind = TaskKind<Heads, 2>;
    using Body = TasksBody<threads, 2, MeasureKind, NormaliseKind, RowsKind, ProductKind, BiasKind, ResidualKind,
                           GatedKind, HeadsKind>;
    /// Of each phase, in the program's order: a kind above, and which of its arguments.
    static constexpr TaskKindOf kinds[persistent::transformer_phases] = {
        {0, 0}, {1, 0}, {4, 0}, {2, 0}, {3, 0}, {7, 0}, {5, 0}, {2, 1},
        {3, 1}, {7, 1}, {5, 1}, {2, 2}, {6, 0}, {5, 2}, {5, 3}};
    using Arguments = typename Body::Arguments;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
