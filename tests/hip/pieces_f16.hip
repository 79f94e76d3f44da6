// SPDX-License-Identifier: Apache-2.0
/// Tensors of fp16 in two and three pieces, wherever a frame reads them: their cursors are chosen by the place of a row,
/// and stay in registers.
#include <inlay/exec/hip.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

template <auto Axis>
using Two = Concat<Axis, Buf<0>, Buf<1>>;
template <auto Axis>
using Three = Concat<Axis, Buf<0>, Buf<1>, Buf<2>>;
using Twice = Concat<0, Buf<0>, Buf<0>>;

template <class X>
struct linear : Linear<X, Out> {};
template <class X>
struct conv : Conv2D<Filter<3>, X, Out> {};
template <class X>
struct layer : LayerNorm<X> {};
template <class X>
struct group : GroupNorm<32, X, Silu<Out>> {};
template <class X>
struct softmax : Softmax<X> {};
template <class X>
struct sum : Reduce<reduction::Sum, Axes<-1>, X> {};
template <class X>
struct copy : Elementwise<X> {};
struct residual_twice : Linear<Buf<0>, Add<Out, Concat<0, Buf<1>, Buf<1>>>> {};
struct attend_twice : Attention<40, Twice, Buf<1>, Buf<2>> {};
struct attend_to_pieces : Attention<40, Buf<0>, Concat<2, Buf<1>, Buf<2>>, Concat<2, Buf<3>, Buf<4>>> {};

using Row = Tensor<fp16, 1>;
using Rows = Tensor<fp16, 2>;
using Images = Tensor<fp16, 4>;

void products(Hip& gpu, const Rows& y, const Rows& w, const Rows& x) {
    prepare<linear<Two<-1>>>(y, w, x, x).run(gpu);
    prepare<linear<Three<-1>>>(y, w, x, x, x).run(gpu);
    prepare<linear<Silu<Three<-1>>>>(y, w, x, x, x).run(gpu);
    prepare<linear<Twice>>(y, w, x).run(gpu);
    prepare<residual_twice>(y, w, x, x).run(gpu);
}
void convolutions(Hip& gpu, const Images& y, const Images& w, const Images& x) {
    prepare<conv<Two<-1>>>(y, w, x, x).run(gpu);
    prepare<conv<Three<-1>>>(y, w, x, x, x).run(gpu);
}
void rows(Hip& gpu, const Rows& y, const Row& c, const Rows& x) {
    prepare<layer<Twice>>(y, c, c, x).run(gpu);
    prepare<layer<Two<-1>>>(y, c, c, x, x).run(gpu);
    prepare<layer<Three<-1>>>(y, c, c, x, x, x).run(gpu);
    prepare<softmax<Three<-1>>>(y, x, x, x).run(gpu);
    prepare<sum<Three<-1>>>(y, x, x, x).run(gpu);
    prepare<copy<Three<-1>>>(y, x, x, x).run(gpu);
}
void norms(Hip& gpu, const Images& y, const Row& c, const Images& x) {
    prepare<group<Two<-1>>>(y, c, c, x, x).run(gpu);
    prepare<group<Three<-1>>>(y, c, c, x, x, x).run(gpu);
}
void attention(Hip& gpu, const Images& y, const Images& x) {
    prepare<attend_twice>(y, x, x, x).run(gpu);
    prepare<attend_to_pieces>(y, x, x, x, x, x).run(gpu);
}
