// SPDX-License-Identifier: Apache-2.0
/// GroupNorms of statistics that the kernel before published, as a prologue of the convolution behind and as one pass,
/// within a layer and from the layer before: against plain loops in double, beside GroupNorms of kernels of their own.
/// Emulators of GPUs run it too.
#if defined(__CUDACC__) || defined(__HIP__)
#include <frame/on_gpu.hpp>
#else
#include <frame/on_host.hpp>
#endif

#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/recorded_group_norm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace {

using namespace inlay;
using namespace inlay_test;
namespace p = inlay::planner;
using Gpu = std::remove_reference_t<decltype(executor())>;

// Blocks of pixels end within an image, tiles of 2×2 outputs at its border.
constexpr index_t items = 2, height = 9, width = 11, pixels = height * width, channels = 48;
constexpr int groups = 8;

/// Weights by name: normal numbers that the name seeds, about `mean` where they are the first convolution's bias;
/// scales of norms are near 1.
struct Random {
    double mean = 0;
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        const double fan = shape.size() == 4 ? static_cast<double>(n / shape[0]) : 4;
        std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
        std::normal_distribution<double> normal;
        const bool scale = shape.size() == 1 && name.ends_with(".weight");
        const double about = scale ? 1 : name == "conv1.bias" ? mean : 0;
        for (index_t i = 0; i < n; ++i)
            to[i] = to_storage<T>(about + (scale ? 0.2 : 1 / std::sqrt(fan)) * normal(random));
    }
};
using Matrix = std::vector<double>;     // [items, height, width, channels]

struct Oracle {
    Random source;

    Matrix weight(const std::string& name, std::vector<index_t> shape) const {
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        std::vector<fp16> w(static_cast<std::size_t>(n));
        source.copy(name, shape, w.data(), nullptr);
        Matrix d;
        for (const fp16 x : w) d.push_back(from_storage<double>(x));
        return d;
    }
    static std::size_t at(index_t b, index_t y, index_t x, index_t c) {
        return static_cast<std::size_t>(((b * height + y) * width + x) * channels + c);
    }
    Matrix conv(const std::string& name, const Matrix& in) const {
        const Matrix w = weight(name + ".weight", {channels, channels, 3, 3}), bias = weight(name + ".bias", {channels});
        Matrix out(in.size());
        for (index_t b = 0; b < items; ++b)
            for (index_t y = 0; y < height; ++y)
                for (index_t x = 0; x < width; ++x)
                    for (index_t o = 0; o < channels; ++o) {
                        double sum = bias[static_cast<std::size_t>(o)];
                        for (index_t r = 0; r < 3; ++r)
                            for (index_t s = 0; s < 3; ++s) {
                                const index_t row = y + r - 1, col = x + s - 1;
                                if (row < 0 || row >= height || col < 0 || col >= width) continue;
                                for (index_t c = 0; c < channels; ++c)
                                    sum += in[at(b, row, col, c)] *
                                           w[static_cast<std::size_t>(((o * channels + c) * 3 + r) * 3 + s)];
                            }
                        out[at(b, y, x, o)] = sum;
                    }
        return out;
    }
    /// Of what is stored in fp16: both norms read it so.
    Matrix norm(const std::string& name, const Matrix& in, int of_groups) const {
        const Matrix gamma = weight(name + ".weight", {channels}), beta = weight(name + ".bias", {channels});
        Matrix x(in.size()), out(in.size());
        for (std::size_t i = 0; i < in.size(); ++i) x[i] = from_storage<double>(to_storage<fp16>(in[i]));
        const index_t wide = channels / of_groups;
        for (index_t b = 0; b < items; ++b)
            for (index_t g = 0; g < channels; g += wide) {
                double mean = 0, variance = 0;
                const auto each = [&](const auto& f) {
                    for (index_t i = 0; i < pixels; ++i)
                        for (index_t c = g; c < g + wide; ++c) f(at(b, 0, i, c), static_cast<std::size_t>(c));
                };
                const double n = static_cast<double>(pixels * wide);
                each([&](std::size_t i, std::size_t) { mean += x[i] / n; });
                each([&](std::size_t i, std::size_t) { variance += (x[i] - mean) * (x[i] - mean) / n; });
                each([&](std::size_t i, std::size_t c) {
                    out[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * gamma[c] + beta[c];
                });
            }
        return out;
    }
};
Matrix silu_of(Matrix x) {
    for (double& v : x) v = v / (1 + std::exp(-v));
    return x;
}

constexpr auto c = p::dim<3>;
constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, p::dim<2>, c>;
constexpr auto hidden() { return p::conv<"conv1", c, c, 3>(x); }
constexpr auto norm(auto h) { return p::group_norm<"norm2", c, groups>(h); }

/// The norm in the prologue of the second convolution: neither the norm nor SiLU of it is in memory.
struct in_prologue {
    static constexpr auto graph() { return p::conv<"conv2", c, c, 3>(p::fuse(silu(p::fuse(norm(hidden()))))) + x; }
};
struct of_its_own {
    static constexpr auto graph() { return p::conv<"conv2", c, c, 3>(silu(norm(hidden()))) + x; }
};
/// Two norms of one tensor in one kernel, which has room for one GroupNorm: the other is of published statistics.
struct in_one_pass {
    static constexpr auto graph() {
        const auto h = hidden();
        return p::fuse(norm(h)) * p::fuse(p::group_norm<"norm3", c, 2 * groups>(h));
    }
};
/// The same over two layers.
struct before {
    static constexpr auto graph() { return p::outputs(hidden(), p::channel_records(hidden())); }
};
struct behind {
    static constexpr auto graph() {
        const auto h = p::recorded(x, p::input<1, p::dim<0>, c, 2>);
        return p::conv<"conv2", c, c, 3>(p::fuse(silu(p::fuse(norm(h)))));
    }
};

using Rules = join_types<p::rules::recorded_group_rules<groups>, p::rules::recorded_group_rules<2 * groups>>;
template <class Layer, class Target = p::on_sm90a<2>>
using plan_of = p::plan<Layer, Target, p::Shape<2, 64, 64, 320>, Rules>;
template <class Layer, class Target = p::on_sm90a<2>>
using planned = nn::Planned<plan_of<Layer, Target>, fp16>;

// Convolution with statistics, mean, scale, convolution that normalises: found without a word about records. By prices
// of sm_90a, whose matrix engine takes no input in fp32, a kernel before it subtracts means and scales.
using by_host = plan_of<in_prologue, p::on_host<2>>;
static_assert(by_host::launches == 4 && plan_of<in_prologue>::launches == 5);
static_assert(std::same_as<p::kernel_type<by_host, 0>,
                           Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>, WithStats<Store<0>, 1>>>);
static_assert(std::same_as<p::kernel_type<by_host, 1>, Elementwise<GroupMean<Buf<0>, Buf<1>, groups>>>);
static_assert(std::same_as<p::kernel_type<by_host, 3>,
                           Conv2D<Filter<3>, Silu<Add<Mul<Sub<Buf<0>, Buf<1>>, Buf<2>>, Buf<3>>>,
                                  Add<Add<Out, Buf<4>>, Buf<5>>>>);
static_assert(std::same_as<p::kernel_type<plan_of<in_prologue>, 3>, Elementwise<Mul<Sub<Buf<0>, Buf<1>>, Buf<2>>>>);
static_assert(std::same_as<p::kernel_type<plan_of<in_prologue>, 4>,
                           Conv2D<Filter<3>, Silu<Add<Buf<0>, Buf<1>>>, Add<Add<Out, Buf<2>>, Buf<3>>>>);
// The norm stays a kernel of its own where prices decide.
static_assert(plan_of<of_its_own>::launches == 3);
static_assert(std::same_as<p::kernel_type<plan_of<of_its_own>, 1>, GroupNorm<groups, Buf<0>, Silu<Out>>>);
static_assert(p::plan<of_its_own, p::on_host<4>, p::Shape<1, 256, 256, 256>, Rules>::launches == 3);

struct Memory {
    explicit Memory(std::size_t bytes) : memory(executor().allocate(bytes)), arena(memory.data(), memory.size()) {}
    typename Gpu::Memory memory;
    Arena arena;
};
/// A layer's result, or that of two layers, the first of which has two.
template <class... Layer>
std::vector<fp16> computed(const std::vector<fp16>& in, double mean, const Layer*...) {
    Memory weights(1 << 22), temporaries(1 << 22);
    const Random source{mean};
    const nn::Loader<fp16, Random, Gpu> load(&source, executor(), weights.arena);
    const Extents<4> e{{items, height, width, channels}};
    const Temporary<fp16, 4> from(temporaries.arena, e);
    executor().upload(from->data, in.data(), in.size() * sizeof(fp16));
    Program<Gpu> program;
    const nn::Build<fp16, Gpu> b{&program, &temporaries.arena, ""};
    const auto run = [&](const auto& y) {
        program.run(executor());
        executor().synchronize();
        std::vector<fp16> result(in.size());
        executor().download(result.data(), y->data, result.size() * sizeof(fp16));
        return result;
    };
    const p::Lengths lengths{4, {0, 0, 0, channels}};
    const std::tuple<Layer...> layers{Layer(load, lengths)...};
    if constexpr (sizeof...(Layer) == 1) {
        return run(std::get<0>(layers).build(b, *from));
    } else {
        const auto h = std::get<0>(layers).build(b, *from);
        return run(std::get<1>(layers).build(b, *std::get<0>(h), *std::get<1>(h)));
    }
}
template <class Layer>
std::vector<fp16> of(const std::vector<fp16>& in, double mean) {
    return computed(in, mean, static_cast<const planned<Layer>*>(nullptr));
}
double error_of(const std::vector<fp16>& y, const Matrix& want) {
    double d = 0, s = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
        d += std::pow(from_storage<double>(y[i]) - want[i], 2), s += want[i] * want[i];
    return std::sqrt(d / s);
}
Matrix plus(Matrix a, const Matrix& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
}

TEST(RecordedChannels, AreAsExactAsANormOfItsOwn) {
    for (const double mean : {0.0, 16.0}) {
        std::vector<fp16> in;
        Matrix exact;
        std::mt19937 random(3);
        std::normal_distribution<double> normal;
        for (index_t i = 0; i < items * pixels * channels; ++i) {
            in.push_back(to_storage<fp16>(normal(random)));
            exact.push_back(from_storage<double>(in.back()));
        }
        const Oracle oracle{{mean}};
        const Matrix h = oracle.conv("conv1", exact), norm = oracle.norm("norm2", h, groups);
        const Matrix y = oracle.conv("conv2", silu_of(norm));
        const double own =
            error_of(computed(in, mean, static_cast<const planned<of_its_own>*>(nullptr)), plus(y, exact));
        EXPECT_LE(own, mean == 0 ? 2e-3 : 2e-2) << mean;
        EXPECT_LE(error_of(of<in_prologue>(in, mean), plus(y, exact)), 1.25 * own) << mean;
        using Prologue = planned<in_prologue, p::on_host<2>>;
        EXPECT_LE(error_of(computed(in, mean, static_cast<const Prologue*>(nullptr)), plus(y, exact)), 1.25 * own);
        // Without x, which has no error.
        const auto later = computed(in, mean, static_cast<const planned<before>*>(nullptr),
                                    static_cast<const planned<behind, p::on_host<2>>*>(nullptr));
        EXPECT_LE(error_of(later, y), 1.5 * own) << mean;
        Matrix both = oracle.norm("norm3", h, 2 * groups);
        for (std::size_t i = 0; i < both.size(); ++i) both[i] *= norm[i];
        EXPECT_LE(error_of(of<in_one_pass>(in, mean), both), 1.5 * own) << mean;
    }
}

}  // namespace
