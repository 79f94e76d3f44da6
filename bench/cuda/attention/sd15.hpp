// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../target.hpp"

namespace inlay_bench {

namespace sd15 {

using namespace inlay;

template <int I>
using Heads = Permute<Buf<I>, 0, 2, 1, 3>;
template <int D, class Mask, class Score>
struct attend : Attention<D, Heads<0>, Heads<1>, Heads<2>, Mask, Score, Permuted<Store<0>, 0, 2, 1, 3>> {};

template <int D, class Mask = mask::Full, class T = fp16, class Score = score::Scaled>
void attention(Bench& bench, const Shape& s) {
    constexpr bool causal = !std::is_same_v<Mask, mask::Full>;
    bench.run(std::string(causal          ? "attention/causal/"
                          : Score::binary ? "attention/base2/"
                                          : "attention/full/") +
                  s.text() + "/" + name(dtype_of<T>),
              [&](Case& c) {
                  const index_t b = s.key[0], h = s.key[1], sq = s.key[2], sk = s.key[3];
                  // Probabilities are those of the usual score in any case.
                  const float deviation = Score::binary ? static_cast<float>(score::Base2::factor(D)) : 1.0f;
                  auto q = c.input<T>(b * sq * h * D, deviation);
                  auto k = c.input<T>(b * sk * h * D), v = c.input<T>(b * sk * h * D);
                  auto y = c.output<T>(b * sq * h * D);
                  c.flops((causal ? 2.0 : 4.0) * static_cast<double>(b * h * sq) * static_cast<double>(sk * D));
                  if (s.count > 0 && !Score::binary) {     // a layer counts once
                      c.number("count", static_cast<double>(s.count));
                      c.text("model", s.model);
                  }
                  c.ours([=](int i) {
                      return prepare<attend<D, Mask, Score>>(tensor(y[i], b, sq, h, D), tensor(q[i], b, sq, h, D),
                                                             tensor(k[i], b, sk, h, D), tensor(v[i], b, sk, h, D));
                  });
                  if (!causal)
                      c.peer("cuDNN", cudnn(Scores{b, h, sq, sk, D, dtype_of<T>, Score::binary}, bench.plans()));
              });
}

}  // namespace sd15

/// Self- and cross-attention over the largest images, heads of 40.
void largest_images(Bench& bench, const Shape& s);
/// Long rows of a language model, heads of 128.
void language_rows(Bench& bench);

}  // namespace inlay_bench
