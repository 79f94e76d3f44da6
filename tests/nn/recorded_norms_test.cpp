// SPDX-License-Identifier: Apache-2.0
/// Layers of a transformer whose LayerNorms are in the products behind them, beside the same layers with kernels of
/// their own: both in fp16 against plain loops in double. Weights are rounded once more, for which 1.5 times the error
/// is allowed. Emulators of GPUs run it too.
#if defined(__CUDACC__) || defined(__HIP__)
#include <frame/on_gpu.hpp>
#else
#include <frame/on_host.hpp>
#endif

#include <inlay/nn/loader.hpp>
#include <inlay/nn/transformer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace {

using namespace inlay;
using namespace inlay_test;
namespace p = inlay::planner;
using Gpu = std::remove_reference_t<decltype(executor())>;

constexpr index_t items = 2, positions = 40, channels = 64, width = 32;

/// Weights by name: normal numbers that the name seeds; scales of norms are near 1.
struct Random {
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        const float fan = shape.size() > 1 ? static_cast<float>(shape[1]) : 4.0f;
        std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
        std::normal_distribution<float> normal;
        const bool scale = shape.size() == 1 && name.ends_with(".weight");
        for (index_t i = 0; i < n; ++i)
            to[i] = to_storage<T>(scale ? 1 + 0.2f * normal(random) : normal(random) / std::sqrt(fan));
    }
};
using Matrix = std::vector<double>;
/// A weight as the layers read it, in double.
Matrix weight(const std::string& name, index_t n, index_t k = 0) {
    std::vector<fp16> w(static_cast<std::size_t>(n * (k ? k : 1)));
    Random().copy(name, k ? std::vector<index_t>{n, k} : std::vector<index_t>{n}, w.data(), nullptr);
    Matrix d;
    for (const fp16 x : w) d.push_back(from_storage<double>(x));
    return d;
}
/// Rows x [rows, k] times a weight, with its bias if it has one.
Matrix linear(const std::string& name, const Matrix& x, index_t n, index_t k, bool bias = true) {
    const Matrix w = weight(name + ".weight", n, k);
    const Matrix b = bias ? weight(name + ".bias", n) : Matrix(static_cast<std::size_t>(n));
    const index_t rows = static_cast<index_t>(x.size()) / k;
    Matrix y;
    for (index_t m = 0; m < rows; ++m)
        for (index_t j = 0; j < n; ++j) {
            y.push_back(b[static_cast<std::size_t>(j)]);
            for (index_t i = 0; i < k; ++i)
                y.back() += x[static_cast<std::size_t>(m * k + i)] * w[static_cast<std::size_t>(j * k + i)];
        }
    return y;
}
Matrix layer_norm(const std::string& name, const Matrix& x) {
    const Matrix gamma = weight(name + ".weight", channels), beta = weight(name + ".bias", channels);
    Matrix y(x.size());
    for (std::size_t row = 0; row < x.size(); row += channels) {
        double mean = 0, variance = 0;
        for (std::size_t i = 0; i < channels; ++i) mean += x[row + i] / channels;
        for (std::size_t i = 0; i < channels; ++i) variance += std::pow(x[row + i] - mean, 2) / channels;
        for (std::size_t i = 0; i < channels; ++i)
            y[row + i] = (x[row + i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
    }
    return y;
}
Matrix sum(Matrix a, const Matrix& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
}
Matrix attention(const Matrix& q, const Matrix& k, const Matrix& v) {
    Matrix y(q.size());
    const auto at = [](index_t b, index_t s, index_t h, index_t d) {
        return static_cast<std::size_t>((b * positions + s) * channels + h * width + d);
    };
    for (index_t b = 0; b < items; ++b)
        for (index_t h = 0; h < channels / width; ++h)
            for (index_t s = 0; s < positions; ++s) {
                Matrix e;
                double all = 0;
                for (index_t t = 0; t < positions; ++t) {
                    double score = 0;
                    for (index_t d = 0; d < width; ++d) score += q[at(b, s, h, d)] * k[at(b, t, h, d)];
                    e.push_back(std::exp(score / std::sqrt(static_cast<double>(width))));
                    all += e.back();
                }
                for (index_t t = 0; t < positions; ++t)
                    for (index_t d = 0; d < width; ++d)
                        y[at(b, s, h, d)] += e[static_cast<std::size_t>(t)] / all * v[at(b, t, h, d)];
            }
    return y;
}
/// proj_in, self-attention, feed-forward.
Matrix expected(const Matrix& x) {
    const Matrix rows = linear("proj_in", x, channels, channels), n = layer_norm("norm1", rows);
    const auto of = [&](const char* name) { return linear(name, n, channels, channels, false); };
    const Matrix attended = attention(of("attn1.to_q"), of("attn1.to_k"), of("attn1.to_v"));
    const Matrix h = sum(linear("attn1.to_out.0", attended, channels, channels), rows);
    const Matrix wide = linear("ff.net.0.proj", layer_norm("norm3", h), 8 * channels, channels);
    Matrix gated;
    for (std::size_t row = 0; row < wide.size(); row += 8 * channels)
        for (std::size_t i = 0; i < 4 * channels; ++i) {
            const double gate = wide[row + 4 * channels + i];
            gated.push_back(wide[row + i] * gate * 0.5 * (1 + std::erf(gate / std::sqrt(2.0))));
        }
    return sum(linear("ff.net.2", gated, channels, 4 * channels), h);
}

/// The first product, whose rows have a mean of some deviations by its bias.
template <bool Recorded>
struct first {
    static constexpr auto graph() {
        using namespace p;
        constexpr auto x = input<0, dim<0>, dim<1>, dim<2>>;
        return nn::transformer_layers::result<Recorded>(linear<"proj_in", dim<2>, dim<2>>(x));
    }
};
using Shape = p::Shape<2, 4096, 320, 77, 768, 40>;
template <class, bool Recorded, class Rules>
using rules_of = join_types<Rules, std::conditional_t<Recorded, p::rules::recorded_rules<>, types<>>>;
template <class Layer, bool Recorded, class Rules = types<>, int... Width>
using planned = nn::Planned<p::plan<Layer, p::on_sm90a<2>, Shape, rules_of<Layer, Recorded, Rules>>, fp16, Width...>;

struct Memory {
    explicit Memory(std::size_t bytes) : memory(executor().allocate(bytes)), arena(memory.data(), memory.size()) {}
    typename Gpu::Memory memory;
    Arena arena;
};

template <bool Recorded>
std::vector<fp16> computed(const std::vector<fp16>& x, int launches) {
    Memory weights(1 << 22), temporaries(1 << 22);
    const Random source;
    const nn::Loader<fp16, Random, Gpu> load(&source, executor(), weights.arena);
    const p::Lengths lengths{6, {0, 0, channels, 0, 0, width}};
    using namespace nn::transformer_layers;
    const planned<first<Recorded>, Recorded> before(load, lengths);
    using Self = std::conditional_t<Recorded, recorded_self_attention<head>, self_attention<head>>;
    using Last = std::conditional_t<Recorded, recorded_feed_forward, feed_forward>;
    const planned<Self, Recorded, nn::attention_rules<fp16, head>, width> self(load, lengths);
    const planned<Last, Recorded, p::rules::gated_rules> last(load, lengths);
    const Extents<3> e{{items, positions, channels}};
    const Temporary<fp16, 3> in(temporaries.arena, e);
    executor().upload(in->data, x.data(), x.size() * sizeof(fp16));
    Program<Gpu> program;
    const nn::Build<fp16, Gpu> b{&program, &temporaries.arena, ""};
    const auto run = [&](const auto& y) {
        EXPECT_EQ(program.size(), static_cast<std::size_t>(launches));
        program.run(executor());
        executor().synchronize();
        std::vector<fp16> result(x.size());
        executor().download(result.data(), y->data, result.size() * sizeof(fp16));
        return result;
    };
    const auto rows = before.build(b, *in);
    if constexpr (Recorded) {
        const auto h = self.build(b, *std::get<0>(rows), *std::get<1>(rows));
        return run(last.build(b, *std::get<0>(h), *std::get<1>(h)));
    } else {
        const auto h = self.build(b, *rows);
        return run(last.build(b, *h));
    }
}
double error_of(const std::vector<fp16>& y, const Matrix& want) {
    double d = 0, s = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
        d += std::pow(from_storage<double>(y[i]) - want[i], 2), s += want[i] * want[i];
    return std::sqrt(d / s);
}

TEST(RecordedNorms, AreAsExactAsKernelsOfTheirOwn) {
    for (const double mean : {0.0, 1.0}) {
        std::vector<fp16> x;
        Matrix exact;
        std::mt19937 random(3);
        std::normal_distribution<double> normal(mean);
        for (index_t i = 0; i < items * positions * channels; ++i) {
            x.push_back(to_storage<fp16>(normal(random)));
            exact.push_back(from_storage<double>(x.back()));
        }
        const Matrix want = expected(exact);
        const double own = error_of(computed<false>(x, 8), want), folded = error_of(computed<true>(x, 6), want);
        EXPECT_LE(own, 2e-3);
        EXPECT_LE(folded, 1.5 * own) << "mean " << mean << ", kernels of their own: " << own;
    }
}

}  // namespace
