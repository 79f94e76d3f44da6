// SPDX-License-Identifier: Apache-2.0
/// Every frame, node and sink once, in the storage types there are, on the executors of the compiler in use: what a
/// user instantiates. That it compiles without a warning is the test, so nothing here is run.
#include <inlay/exec/program.hpp>
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/visible_keys.hpp>
#include <inlay/report/explain_program.hpp>

#if defined(__CUDACC__)
#include <inlay/exec/graph.hpp>
#else
#include <inlay/exec/oracle.hpp>
#endif

#include <cstdint>
#include <string>

namespace every_kernel {

using namespace inlay;

using X = Buf<0>;
using Y = Buf<1>;
template <class... E>
struct sum_of;
template <class E>
struct sum_of<E> {
    using type = E;
};
template <class E, class... More>
struct sum_of<E, More...> {
    using type = Add<E, typename sum_of<More...>::type>;
};

// Operations.
struct unary : Elementwise<sum_of<Silu<X>, Gelu<X>, GeluTanh<X>, QuickGelu<X>, Sigmoid<X>, Tanh<X>, Relu<X>, Exp<X>,
                                  Exp2<X>, Log<X>, Sqrt<X>, Rsqrt<X>, Sin<X>, Cos<X>, Erf<X>, Neg<X>, Abs<X>, Floor<X>,
                                  Ceil<X>, Not<X>, Ascending<X>, Cast<X, fp16>, Cast<X, bf16>,
                                  Cast<X, std::int32_t>>::type> {};
struct binary : Elementwise<sum_of<Sub<X, Y>, Mul<X, Y>, Div<X, Y>, Min<X, Y>, Max<X, Y>, Pow<X, Y>, LeakyRelu<X, Const<0.01>>,
                                   Less<X, Y>, LessEqual<X, Y>, Greater<X, Y>, GreaterEqual<X, Y>, Equal<X, Y>,
                                   NotEqual<X, Y>, And<X, Y>, Or<X, Y>>::type> {};
struct ternary : Elementwise<sum_of<Where<X, Y, Const<0.5>>, Lerp<X, Y, Param<0>>, Clamp<X, Y, Coord<-1>>>::type> {};

// Views, by static arguments and by those of a run.
using Cut = Slice<Concat<-1, X, Pad<Y, -1, 1, 2>>, -1, 0, 8>;
struct views : Elementwise<Add<Permute<Reshape<Cut, 2, 4, -1>, 0, 2, 1>, Broadcast<Buf<2>, Buf<3>>>> {};
struct bounds : Elementwise<Slice<X, -1, param<0>, param<1>>> {};
struct last : Elementwise<Add<SliceLast<X, 0, 4>, Transpose<Y, -1, -2>>> {};
struct images : Elementwise<Add<Add<Upsample2x<X>, Upsample<X, 3, -2>>, Dilate<Y, 2, -3, -2>>> {};
struct rows_of : Elementwise<Gather<X, Y, 1>> {};
struct windows : Elementwise<Im2col<X, 3, 3, 1, 1>> {};

// Frames, with what prologues, epilogues and sinks make of them.
using Geglu = Mul<Slice<X, -1, 0, 64>, Gelu<Slice<X, -1, 64, 64>>>;
struct linear : Linear<X, Add<Add<Out, Y>, Buf<2>>> {};
struct tiled : Linear<X, Out, Store<0>, Tiled<64, 64, 32>> {};
struct geglu : Linear<X, Mul<Out, Gelu<OutGate>>> {};
struct evaluated : Linear<Geglu, Out, Partition<-1, SplitLast<Store<0>>, SplitLast<Store<1>>>> {};
struct conv : Conv2D<Filter<3>, Silu<Concat<-1, X, Y>>, Add<Out, Reshape<Buf<2>, -1, 1, 1, 64>>> {};
struct strided : Conv2D<Filter<3, 3, 2, 0, 1>, X, Out, WithStats<Store<0>, 1>> {};
struct recorded : Linear<X, Add<Out, Y>, WithRowStats<Store<0>, 1>> {};
struct group_scale : Elementwise<Mul<GroupMean<X, Y, 4>, GroupRstd<X, Y, 4>>> {};
struct normalised : Linear<X, Mul<PublishedRstd<Y>, Sub<Out, Mul<PublishedMean<Y>, Buf<2>>>>> {};
struct grouped : Conv2D<Filter<3, 3, 1, 1, 1, 1, 8>> {};
struct larger : ConvTranspose2D<4, 2, 1> {};
struct upsampled : UpsampledConv2D<Silu<X>, Add<Out, Y>> {};
struct attend : Attention<64, X, Y, Buf<2>, mask::Causal, Permuted<Store<0>, 0, 2, 1, 3>, Auto> {};
struct attend_wide : Attention<160, Permute<X, 0, 2, 1, 3>, Y, Buf<2>, score::Base2> {};
struct attend_own : Attention<64, X, Paged<Y, Buf<3>>, Paged<Buf<2>, Buf<3>>, score::Of<Add<Out, Buf<4>>>,
                              mask::Window<Const<64>>, row::Sink<Buf<5>>, RowStore<1, row::LogSumExp>,
                              ValueColumns<32>> {};
struct layer : LayerNorm<Add<X, Y>> {};
struct rms : RMSNorm<> {};
struct group : GroupNorm<8, Concat<-1, X, Y>, Silu<Out>> {};
struct probabilities : Softmax<Mul<X, Param<0>>> {};
template <class Op, int... Axis>
struct reduced : Reduce<Op, Axes<Axis...>> {};
struct interleaved : Elementwise<X, Strided<Store<0>, 1, 2, 0>> {};
struct cached : Elementwise<X, Scatter<Store<0>, Y, 1>> {};

template <class T, class Target>
void run(Target& on, const Tensor<T, 1>& c, const Tensor<T, 2>& m, const Tensor<T, 3>& x, const Tensor<T, 4>& image,
         const Tensor<float, 3>& stats, const Tensor<std::int32_t, 1>& ids) {
    prepare<unary>(m, m).run(on);
    prepare<binary>(m, m, c).run(on);
    prepare<ternary>(m, m, c, 0.5).run(on);
    prepare<views>(x, m, m, c, x).run(on);
    prepare<bounds>(m, m, 1, 2).run(on);
    prepare<last>(m, m, m).run(on);
    prepare<rows_of>(m, m, ids).run(on);
    prepare<images>(image, image, image).run(on);
    prepare<windows>(image, image).run(on);
    prepare<linear>(x, m, x, c, x).run(on);
    prepare<tiled>(m, m, m).run(on);
    prepare<geglu>(m, m, m).run(on);
    prepare<evaluated>(x, x, m, m).run(on);
    prepare<conv>(image, image, image, image, m).run(on);
    prepare<strided>(image, stats, image, image).run(on);
    prepare<recorded>(x, stats, m, x, c).run(on);
    prepare<normalised>(x, m, x, stats, c).run(on);
    prepare<grouped>(image, image, image).run(on);
    prepare<larger>(image, image, image).run(on);
    prepare<upsampled>(image, x, image, c).run(on);
    prepare<attend>(image, image, image, image).run(on);
    prepare<attend_wide>(image, image, image, image).run(on);
    prepare<layer>(x, c, c, x, c).run(on);
    prepare<rms>(m, c, m).run(on);
    prepare<group>(image, c, c, image, image).run(on);
    prepare<probabilities>(m, m, 0.125).run(on);
    prepare<reduced<reduction::Mean, 1, 2>>(image, image).run(on);
    prepare<reduced<reduction::Max, -1>>(m, m).run(on);
    prepare<reduced<reduction::Sum, 0>>(m, m).run(on);
    prepare<interleaved>(m, m).run(on);
    prepare<cached>(m, m, ids).run(on);
    prepare<Embedding<>>(m, m, ids).run(on);
}

template <class Target, class... Tensors>
void run_program(Target& on, const Tensors&... tensors) {
    Program<Target> program;
    program.template add<linear>("linear", tensors...);
    program.run(on);
}

std::string explained(const Tensor<fp16, 2>& m, const Tensor<fp16, 3>& x, const Tensor<fp16, 1>& c,
                      const Tensor<fp16, 4>& image, const Tensor<std::int32_t, 2>& table) {
    return explain(describe<linear>(prepare<linear>(x, m, x, c, x)), host_target) +
           explain(describe<attend_own>(prepare<attend_own>(image, x, image, image, image, table, image, image)),
                   host_target) +
           explain<attend, fp16>(target_named("sm_90a"));
}

#if defined(__CUDACC__)
using Executor = Cuda;
void replay(Cuda& gpu, const Tensor<fp16, 2>& m) { Graph(gpu, prepare<probabilities>(m, m, 0.125)).launch(); }
#else
using Executor = Host;
template void run<double>(Oracle&, const Tensor<double, 1>&, const Tensor<double, 2>&, const Tensor<double, 3>&,
                          const Tensor<double, 4>&, const Tensor<float, 3>&, const Tensor<std::int32_t, 1>&);
#endif
template void run<float>(Executor&, const Tensor<float, 1>&, const Tensor<float, 2>&, const Tensor<float, 3>&,
                         const Tensor<float, 4>&, const Tensor<float, 3>&, const Tensor<std::int32_t, 1>&);
template void run<fp16>(Executor&, const Tensor<fp16, 1>&, const Tensor<fp16, 2>&, const Tensor<fp16, 3>&,
                        const Tensor<fp16, 4>&, const Tensor<float, 3>&, const Tensor<std::int32_t, 1>&);
template void run_program(Executor&, const Tensor<fp16, 3>&, const Tensor<fp16, 2>&, const Tensor<fp16, 3>&,
                          const Tensor<fp16, 1>&, const Tensor<fp16, 3>&);

// A condition on the scores of attention.
using Near = Less<Sub<QueryPosition, Coord<3>>, Param<0>>;
int blocks_near(const Env<4, 1, Tensor<const std::int32_t, 4>>& env) {
    return key_blocks<And<Near, Equal<Ascending<Buf<0>>, Const<2>>>>(env, {0, 0, 1, 0, 64}, 64).count();
}

}  // namespace every_kernel
