// SPDX-License-Identifier: Apache-2.0
/// A layer of GPT-2 over a cache, against plain loops in double; what it launches and the names it reads.
#include <inlay/exec/host.hpp>
#include <inlay/nn/gpt2_layer.hpp>

#include "asked.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace {

using namespace inlay;
using namespace inlay_test;

constexpr index_t hidden = 32, heads = 2, width = hidden / heads, inner = 48, capacity = 6;

TEST(Gpt2Layer, IsSevenLaunches) {
    Asked asked;
    const nn::Gpt2Layer<fp16> layer(asked.load() / "h" / 0, hidden, heads, inner);
    const nn::KeyValueCache<fp16> cache{asked.tensor(3, heads, capacity, width),
                                        asked.tensor(3, heads, capacity, width)};
    const auto y = layer.build(asked.build(), asked.tensor(3, 5, hidden), {nullptr, {{3, 5}}}, cache);
    EXPECT_EQ(y->extents, (Extents<3>{{3, 5, hidden}}));
    EXPECT_EQ(asked.launches(),
              "ln_1 layernorm\nattn.c_attn linear\nattn attention\nattn.c_proj linear\nln_2 layernorm\n"
              "mlp.c_fc linear\nmlp.c_proj linear\n");
}
TEST(Gpt2Layer, ReadsWhatHuggingFaceNamesWithConv1DsTransposed) {
    const Asked asked;
    const nn::Gpt2Layer<fp16> layer(asked.load() / "h" / 0, hidden, heads, inner);
    EXPECT_EQ(asked.names(),
              "h.0.ln_1.weight [32]\nh.0.ln_1.bias [32]\nh.0.ln_2.weight [32]\nh.0.ln_2.bias [32]\n"
              "h.0.attn.c_attn.weight [32, 96]\nh.0.attn.c_attn.bias [96]\n"
              "h.0.attn.c_proj.weight [32, 32]\nh.0.attn.c_proj.bias [32]\n"
              "h.0.mlp.c_fc.weight [32, 48]\nh.0.mlp.c_fc.bias [48]\n"
              "h.0.mlp.c_proj.weight [48, 32]\nh.0.mlp.c_proj.bias [32]\n");
}

/// Weights that differ by name and index.
double element(const std::string& name, index_t i) {
    const bool scale = name.find("ln_") != name.npos && name.ends_with("weight");
    const auto seed = static_cast<double>(name.size()) + static_cast<double>(name[name.size() / 2]);
    return (scale ? 1.0 : 0.0) + 0.2 * std::sin(seed + 1.3 * static_cast<double>(i) + 0.01 * static_cast<double>(i * i));
}
struct Sines {
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        for (index_t i = 0; i < n; ++i) to[i] = to_storage<T>(static_cast<float>(element(name, i)));
    }
};

using Row = std::vector<double>;
Row normal(const Row& x, const std::string& name) {
    double mean = 0, square = 0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) square += (v - mean) * (v - mean) / static_cast<double>(x.size());
    Row y;
    for (std::size_t i = 0; i < x.size(); ++i)
        y.push_back((x[i] - mean) / std::sqrt(square + 1e-5) * element(name + ".weight", static_cast<index_t>(i)) +
                    element(name + ".bias", static_cast<index_t>(i)));
    return y;
}
/// Conv1D: weights are stored [in, out].
Row product(const Row& x, const std::string& name, index_t n) {
    Row y;
    for (index_t j = 0; j < n; ++j) {
        double sum = element(name + ".bias", j);
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += x[i] * element(name + ".weight", static_cast<index_t>(i) * n + j);
        y.push_back(sum);
    }
    return y;
}
/// The layer at the next position of one text, whose projections of earlier tokens are `past`.
Row expected(const Row& x, std::vector<Row>& past) {
    past.push_back(product(normal(x, "ln_1"), "attn.c_attn", 3 * hidden));
    Row attended(x.size());
    for (std::size_t h = 0; h < heads; ++h) {
        Row p;
        double sum = 0;
        for (const Row& key : past) {
            double score = 0;
            for (std::size_t d = h * width; d < (h + 1) * width; ++d) score += past.back()[d] * key[hidden + d];
            p.push_back(std::exp(score / std::sqrt(static_cast<double>(width))));
            sum += p.back();
        }
        for (std::size_t d = h * width; d < (h + 1) * width; ++d)
            for (std::size_t j = 0; j < past.size(); ++j) attended[d] += p[j] / sum * past[j][2 * hidden + d];
    }
    Row y = product(attended, "attn.c_proj", hidden);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
    Row wide = product(normal(y, "ln_2"), "mlp.c_fc", inner);
    for (double& v : wide) v = 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
    const Row down = product(wide, "mlp.c_proj", hidden);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += down[i];
    return y;
}

/// Two texts, the second behind three tokens that an earlier build has left in the cache.
TEST(Gpt2Layer, IsThatOfPlainLoopsBehindWhatTheCacheHolds) {
    Host host(1);
    std::vector<float> weights(1 << 16), temporaries(1 << 14), keys(2 * heads * capacity * width),
        values(keys.size());
    Arena weight_arena(weights.data(), weights.size() * sizeof(float));
    const Sines source;
    const nn::Gpt2Layer<float> layer(nn::Loader<float, Sines, Host>(&source, host, weight_arena), hidden, heads,
                                     inner);
    std::map<index_t, std::vector<Row>> past;
    const auto run = [&](const std::vector<std::int32_t>& positions, index_t length) {
        std::vector<float> x;
        for (index_t i = 0; i < 2 * length * hidden; ++i)
            x.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i) + positions.back())));
        Program<Host> program;
        Arena arena(temporaries.data(), temporaries.size() * sizeof(float));
        const Extents<4> e{{2, heads, capacity, width}};
        const auto y = layer.build(nn::Build<float, Host>{&program, &arena, ""}, tensor(x.data(), 2, length, hidden),
                                   {positions.data(), {{2, length}}}, {{keys.data(), e}, {values.data(), e}});
        program.run(host);
        for (index_t b = 0; b < 2; ++b)
            for (index_t s = 0; s < length; ++s) {
                const float* const from = x.data() + (b * length + s) * hidden;
                const Row right = expected(Row(from, from + hidden), past[b]);
                for (index_t i = 0; i < hidden; ++i)
                    EXPECT_NEAR(y->data[(b * length + s) * hidden + i], right[static_cast<std::size_t>(i)], 2e-5)
                        << "text " << b << ", token " << s << ", column " << i;
            }
    };
    run({0, 1, 2, 0, 1, 2}, 3);
    past[0].clear();  // the first text begins again
    run({0, 1, 3, 4}, 2);
    run({2, 5}, 1);
}

}  // namespace
