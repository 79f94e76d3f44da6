// SPDX-License-Identifier: Apache-2.0
/// Attention of SD1.5, and long rows of a language model's, beside cuDNN; PyTorch's flash and memory-efficient kernels
/// join in bench/compare.py, and with a causal mask its cuDNN. Queries, keys and values lie as [B, S, H, D], as
/// diffusers' do, and so does the result. base2: a softmax of powers of two, of queries as the UNet's projections make
/// them; peers compute the same, with ln 2 for a scale.
#include "target.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

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

}  // namespace

int main(int argc, char** argv) {
    Bench bench("attention", argc, argv);
    for (const Shape& s : bench.shapes("attn")) {
        switch (s.key[4]) {
            case 40:
                attention<40>(bench, s);
                attention<40, mask::Full, bf16>(bench, s);
                attention<40, mask::Full, fp16, score::Base2>(bench, s);
                attention<40, mask::Full, bf16, score::Base2>(bench, s);
                break;
            case 64: attention<64, mask::Causal>(bench, s); break;
            case 80: attention<80>(bench, s); break;
            case 160: attention<160>(bench, s); break;
            case 512: attention<512>(bench, s); break;
        }
    }
    const Shape language{"", "attn", {8, 32, 2048, 2048, 128}, 0, 0, 0, 0};     // of no model in the table
    attention<128>(bench, language);
    attention<128, mask::Full, bf16>(bench, language);
    attention<128, mask::Causal>(bench, language);
    attention<128, mask::Causal, bf16>(bench, language);
    return bench.finish();
}
