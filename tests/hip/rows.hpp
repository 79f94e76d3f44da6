// SPDX-License-Identifier: Apache-2.0
/// Frames without a matrix product, as Stable Diffusion and its tests use them. To compile them is the test: run.sh
/// reads the code objects.
#pragma once

#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/gpu/elementwise.hpp>
#include <inlay/tile/gpu/norm/statistics.hpp>
#include <inlay/tile/gpu/reduce/dispatch.hpp>
#include <inlay/tile/gpu/rows/dispatch.hpp>
#include <inlay/tile/hip/norm.hpp>

namespace frames {

using namespace inlay;

/// A target of these frames alone.
struct WithoutProducts {
    on_gpu::Launcher& launcher;

    template <int R, class In, class Sink>
    void map(const Extents<R>& e, const In& in, const Sink& sink) {
        on_gpu::map(launcher, e, in, sink);
    }
    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        if constexpr (check_row_operation<Op>()) on_gpu::rows(launcher, e, in, op, epilogue, sink);
    }
    template <class Op, bool Rows, int R, class In, class Epilogue, class Sink>
    void reduce(const Extents<R>& kept, const Extents<R>& reduced, double n, const In& in, const Epilogue& epilogue,
                const Sink& sink) {
        on_gpu::reduce<Op, Rows>(launcher, kept, reduced, n, in, epilogue, sink);
    }
    template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
    void group_norm(const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
        on_gpu::group_norm<Groups>(launcher, e, eps, gamma, beta, in, epilogue, sink);
    }
    template <class S>
    void publish_stats(const S& sink) {
        on_gpu::publish_stats(launcher, sink);
    }
};

struct group : GroupNorm<32, Buf<0>, Silu<Out>> {};
struct group_concat : GroupNorm<32, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};
struct group_evaluated : GroupNorm<32, Add<Buf<0>, Buf<1>>, Silu<Out>> {};
struct layer : LayerNorm<> {};
struct layer_of_sum : LayerNorm<Add<Buf<0>, Buf<1>>> {};
struct rms : RMSNorm<> {};
struct softmax : Softmax<> {};
template <int Axis>
struct sum : Reduce<reduction::Sum, Axes<Axis>> {};
struct most : Reduce<reduction::Max, Axes<-1>> {};
struct silu : Elementwise<Silu<Buf<0>>> {};
struct geglu : Elementwise<Mul<Slice<Buf<0>, -1, 0, param<0>>, Gelu<Slice<Buf<0>, -1, param<0>, param<0>>>>> {};
struct statistics : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};

template <class T>
void rows_and_maps(WithoutProducts& gpu, const Tensor<T, 1>& c, const Tensor<T, 2>& m, const Tensor<T, 3>& x,
                   const Tensor<float, 3>& stats) {
    prepare<rms>(x, c, x).run(gpu);
    prepare<softmax>(x, x).run(gpu);
    prepare<layer>(x, c, c, x).run(gpu);
    prepare<layer_of_sum>(x, c, c, x, x).run(gpu);
    // Rows of matrices, of which more are on a multiprocessor.
    prepare<rms>(m, c, m).run(gpu);
    prepare<layer>(m, c, c, m).run(gpu);
    prepare<softmax>(m, m).run(gpu);
    prepare<sum<0>>(x, x).run(gpu);
    prepare<sum<-1>>(x, x).run(gpu);
    prepare<most>(x, x).run(gpu);
    prepare<silu>(x, x).run(gpu);
    prepare<geglu>(x, x, 320).run(gpu);
    prepare<statistics>(x, stats, x).run(gpu);
}
template <class T>
void group_norms(WithoutProducts& gpu, const Tensor<T, 1>& c, const Tensor<T, 4>& image) {
    prepare<group>(image, c, c, image).run(gpu);
    prepare<group_concat>(image, c, c, image, image).run(gpu);
    prepare<group_evaluated>(image, c, c, image, image).run(gpu);
}

}  // namespace frames
