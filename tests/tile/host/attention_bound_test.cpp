// SPDX-License-Identifier: Apache-2.0
/// Bound operands in the loop of attention: grouped heads and a causal mask.
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/attention.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace inlay;

constexpr index_t batch = 2, heads = 4, group = 2, queries = 3, keys = 5, d = 8;

template <class Mask>
void compare() {
    constexpr bool causal = std::is_same_v<Mask, mask::Causal>;
    std::vector<float> q, k, v, y(batch * heads * queries * d, NAN);
    for (int i = 0; i < batch * heads * queries * d; ++i) q.push_back(std::sin(static_cast<float>(i)));
    for (int i = 0; i < batch * heads / group * keys * d; ++i) {
        k.push_back(std::cos(static_cast<float>(3 * i)));
        v.push_back(std::sin(static_cast<float>(5 * i + 1)));
    }
    struct attend : Attention<d, Buf<0>, Buf<1>, Buf<2>, Mask, score::Of<Mul<Out, Const<0.5>>>> {};
    const auto p = prepare<attend>(
        tensor(y.data(), batch, heads, queries, d), tensor(q.data(), batch, heads, queries, d),
        tensor(k.data(), batch, heads / group, keys, d), tensor(v.data(), batch, heads / group, keys, d));
    on_host::Threads threads(2);
    on_host::bound_attention<typename attend::form>(threads, {batch, heads, group, queries, keys}, get<0>(p.in),
                                                    get<1>(p.in), get<2>(p.in), p.inner, p.epilogue, p.sink);
    for (index_t h = 0; h < batch * heads; ++h)
        for (index_t i = 0; i < queries; ++i) {
            double sum = 0, out[d] = {};
            for (index_t j = 0; j < keys; ++j) {
                if (causal && j > i + keys - queries) continue;
                const auto *qi = &q[static_cast<std::size_t>((h * queries + i) * d)],
                           *kj = &k[static_cast<std::size_t>((h / group * keys + j) * d)],
                           *vj = &v[static_cast<std::size_t>((h / group * keys + j) * d)];
                double s = 0;
                for (int c = 0; c < d; ++c) s += double(qi[c]) * double(kj[c]);
                const double e = std::exp(0.5 * s);
                sum += e;
                for (int c = 0; c < d; ++c) out[c] += e * double(vj[c]);
            }
            const float* const row = &y[static_cast<std::size_t>((h * queries + i) * d)];
            for (index_t c = 0; c < d; ++c) ASSERT_NEAR(row[c], out[c] / sum, 1e-5) << h << ' ' << i;
        }
}

TEST(HostBoundAttention, GroupedHeads) { compare<mask::Full>(); }
TEST(HostBoundAttention, CausalMask) { compare<mask::Causal>(); }

}  // namespace
