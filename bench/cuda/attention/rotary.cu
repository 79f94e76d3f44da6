// SPDX-License-Identifier: Apache-2.0
/// Causal attention with rotary embeddings of Q and K, which are expressions of it. `over_plain` is its time over that
/// of the same attention without them. bench/attention_problems.py has the same angles.
#include "case.hpp"

#include <inlay/expr/view/concat.hpp>

namespace inlay_bench {

namespace {

using namespace inlay;

/// x₁ and x₂, the halves of a head, turned: cos · x + sin · (−x₂, x₁). The tables are [S, 1, 128] as Q is [B, S, heads,
/// 128]; the view of heads stands over all of it.
template <int I>
using Halves = Concat<-1, Neg<Slice<Buf<I>, -1, 64, 64>>, Slice<Buf<I>, -1, 0, 64>>;
template <int I>
using Turned = Permute<Add<Mul<Buf<I>, Buf<3>>, Mul<Halves<I>, Buf<4>>>, 0, 2, 1, 3>;
struct turned_attend
    : Attention<128, Turned<0>, Turned<1>, Heads<2>, mask::Causal, Permuted<Store<0>, 0, 2, 1, 3>> {};

/// Multiplies heads that it turns in double, by the angles as they are stored.
struct RotaryRule : CausalRule {
    const bf16 *cosines, *sines;
    RotaryRule(index_t d, const bf16* cosines_of, const bf16* sines_of)
        : CausalRule(d), cosines(cosines_of), sines(sines_of) {}
    __device__ double turned(const bf16* x, index_t position, index_t i) const {
        const auto at = [&](const bf16* p, index_t n) { return static_cast<double>(static_cast<float>(p[n])); };
        const double other = i < 64 ? -at(x, i + 64) : at(x, i - 64);
        return at(cosines, position * 128 + i) * at(x, i) + at(sines, position * 128 + i) * other;
    }
    __device__ double product(const bf16* q, const bf16* k, index_t position, index_t key) const {
        double sum = 0;
        for (index_t i = 0; i < 128; ++i) sum += turned(q, position, i) * turned(k, key, i);
        return sum;
    }
};

void rotary(Bench& bench, const Sizes& s) {
    bench.run(row_name("rotary", s, DType::bf16), [&](Case& c) {
        const Tokens<bf16> o(c, s);
        std::vector<bf16> cosines, sines;
        for (index_t i = 0; i < s.keys * s.d; ++i) {
            const double angle =
                static_cast<double>(i / 128) * std::pow(10000.0, -static_cast<double>(i % 64) / 64);
            cosines.push_back(bf16(static_cast<float>(std::cos(angle))));
            sines.push_back(bf16(static_cast<float>(std::sin(angle))));
        }
        const bf16 *const cosines_at = c.constant(cosines), *const sines_at = c.constant(sines);
        c.flops(2.0 * static_cast<double>(s.batch * s.heads * s.queries) * static_cast<double>(s.keys * s.d));
        ours(bench, c, o, RotaryRule(s.d, cosines_at, sines_at),
             kernel<turned_attend>(o, tensor(cosines_at, s.keys, 1, s.d), tensor(sines_at, s.keys, 1, s.d)));
        c.time("plain_us", kernel<attend<128, mask::Causal>>(o));
        c.measure();
        c.number("over_plain", c.us() / c.us("plain_us"));
    });
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention_rotary", argc, argv);
    rotary(bench, {8, 32, 32, 2048, 2048, 128});
    rotary(bench, {8, 32, 8, 2048, 2048, 128});
    return bench.finish();
}
