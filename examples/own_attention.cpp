// SPDX-License-Identifier: Apache-2.0
/// An attention that no library has a name for, from its mathematics: each head looks back as far as its own window,
/// scores fall with the distance, and the weights of a query sum to less than 1 where its scores are low.
#include "example.hpp"

using namespace inlay;

constexpr auto i = query_position;  // the query, counted from the end of the keys
constexpr auto j = coord<3>;        // the key
constexpr auto s = Score{};
constexpr auto p = exp(s - key_max(s));

// Buf<3>: a window for each head, Buf<4>: a slope. Softmax with exp(1) more in the denominator.
struct attend : Attention<32, Buf<0>, Buf<1>, Buf<2>, mask::If<decltype(j <= i && i - j < buf<3>)>,
                          score::Of<decltype(out * param<0> + buf<4> * (j - i))>,
                          row::Of<decltype(key_sum(p * Values{}) / (key_sum(p) + exp(constant<1> - key_max(s))))>> {};

int main() {
    const index_t heads = 4, keys = 200;
    auto q = example::random(1, 2, 1, heads, keys, 32), k = example::random(2, 2, 1, heads, keys, 32),
         v = example::random(3, 1, 1, heads, keys, 32), y = example::zeros(1, heads, keys, 32);
    auto windows = example::zeros(heads, 1, 1), slopes = example::zeros(heads, 1, 1);
    for (std::size_t h = 0; h < 4; ++h) windows.data[h] = 16.0f * static_cast<float>(h + 1), slopes.data[h] = 0.1f;

    const auto kernel = prepare<attend>(*y, *q, *k, *v, *windows, *slopes, 0.18);
    Host cpu;
    kernel.run(cpu);
    std::printf("%s", explain(describe<attend>(kernel), target_named("sm_90a")).c_str());

    // Query 150 of head 1, in a plain loop.
    double sum = std::exp(1.0), expected = 0;
    for (index_t key = 150 - 31; key <= 150; ++key) {
        double product = 0;
        for (index_t d = 0; d < 32; ++d) product += (*q)({{0, 1, 150, d}}) * (*k)({{0, 1, key, d}});
        const double weight = std::exp(product * 0.18 + 0.1 * static_cast<double>(key - 150));
        sum += weight;
        expected += weight * (*v)({{0, 1, key, 0}});
    }
    const double got = (*y)({{0, 1, 150, 0}});
    std::printf("y = %g, expected %g\n", got, expected / sum);
    return std::abs(got - expected / sum) < 1e-5 ? 0 : 1;
}
