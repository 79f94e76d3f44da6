// SPDX-License-Identifier: Apache-2.0
/// The kernels of a spatial transformer's persistent launch one after the other: 14 launches, with the schedules that
/// the target chooses, and the library's GroupNorm.
#pragma once

#include <inlay/exec/cuda/transformer.hpp>
#include <inlay/exec/program.hpp>

namespace inlay_bench {

using namespace inlay;

template <class T>
void add_kernels(Program<Cuda>& program, Arena& arena, const persistent::TransformerShape& s,
                 const TransformerWeights<T>& weights, const TransformerOperands<T>& io) {
    const index_t rows = s.rows(), c = s.channels, d = s.head();
    using namespace on_gpu;
    const auto room = [&](index_t columns) {
        const auto bytes = static_cast<std::size_t>(rows * columns) * sizeof(T);
        return tensor(static_cast<T*>(arena.take(bytes)), rows, columns);
    };
    const auto in = [](const Tensor<T, 2>& t) { return Tensor<const T, 2>(t.data, t.extents); };
    const auto w = [](const T* at, index_t n, index_t k) { return Packed<T, 2>{at, {{n, k}}}; };
    const auto residual = [&](const Tensor<T, 2>& y, const T* m, const Tensor<T, 2>& x, const T* b, const T* before) {
        program.template add<transformer_residual>("", y, w(m, c, x.extents[1]), in(x), tensor(b, c),
                                                   tensor(before, rows, c));
    };
    const auto normal = [&](const Tensor<T, 2>& y, const T* gamma, const T* beta, const Tensor<T, 2>& x) {
        program.template add<transformer_norm>("", y, tensor(gamma, c), tensor(beta, c), in(x));
    };
    const auto heads = [&](const T* at, index_t keys, index_t pitch) {
        return Tensor<const T, 4>(at, {{s.batch, s.heads, keys, d}}, {{keys * pitch, d, pitch, 1}});
    };
    const auto attend = [&]<int D>(const Tensor<T, 2>& y, const auto& q, const auto& k, const auto& v) {
        program.template add<transformer_attention<D>>(
            "", Tensor<T, 4>(y.data, q.extents, {{s.pixels * c, d, c, 1}}), q, k, v);
    };
    const auto attention = [&](const auto&... a) {
        if (d == 40) attend.template operator()<40>(a...);
        else if (d == 80) attend.template operator()<80>(a...);
        else attend.template operator()<160>(a...);
    };
    const auto n = room(c), begin = room(c), qkv = room(3 * c), attended = room(c), middle = room(c),
               query = room(c), late = room(c), inner = room(4 * c), end = room(c);
    const auto images = [&](const T* at) { return tensor(at, s.batch, s.pixels, c); };
    program.template add<GroupNorm<32, Buf<0>, Out, Store<0>, 1e-6>>(
        "", tensor(n.data, s.batch, s.pixels, c), tensor(weights.norm, c), tensor(weights.norm_shift, c),
        images(io.image));
    program.template add<transformer_bias>("", begin, w(weights.project_in, c, c), in(n),
                                           tensor(weights.project_in_bias, c));
    normal(n, weights.norm1, weights.norm1_shift, begin);
    program.template add<transformer_product>("", qkv, w(weights.qkv, 3 * c, c), in(n));
    attention(attended, heads(qkv.data, s.pixels, 3 * c), heads(qkv.data + c, s.pixels, 3 * c),
              heads(qkv.data + 2 * c, s.pixels, 3 * c));
    residual(middle, weights.out, attended, weights.out_bias, begin.data);
    normal(n, weights.norm2, weights.norm2_shift, middle);
    program.template add<transformer_product>("", query, w(weights.query, c, c), in(n));
    attention(attended, heads(query.data, s.pixels, c), heads(io.keys.data, s.text, c),
              heads(io.values.data, s.text, c));
    residual(late, weights.out_text, attended, weights.out_text_bias, middle.data);
    normal(n, weights.norm3, weights.norm3_shift, late);
    program.template add<transformer_gated>("", inner, w(weights.up, 8 * c, c), in(n),
                                            tensor(weights.up_bias, 4 * c), tensor(weights.gate_bias, 4 * c));
    residual(end, weights.down, inner, weights.down_bias, late.data);
    residual(tensor(io.result, rows, c), weights.project_out, end, weights.project_out_bias, io.image);
}

}  // namespace inlay_bench
