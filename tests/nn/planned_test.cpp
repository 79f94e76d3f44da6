// SPDX-License-Identifier: Apache-2.0
/// Planned layers on the CPU: their results are those of the layers fused by hand.
#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/nn/clip_layer.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace inlay;
namespace p = inlay::planner;

/// Weights by name: normal numbers that the name seeds; scales of norms are near 1.
struct Random {
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        index_t n = 1, fan = 1;
        for (index_t e : shape) n *= e;
        for (std::size_t i = 1; i < shape.size(); ++i) fan *= shape[i];
        std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
        std::normal_distribution<float> normal;
        const bool scale = shape.size() == 1 && name.ends_with(".weight");
        for (index_t i = 0; i < n; ++i)
            to[i] = to_storage<T>(scale ? 1 + 0.2f * normal(random)
                                        : normal(random) / std::sqrt(static_cast<float>(fan)));
    }
};

struct Memory {
    std::vector<float> floats = std::vector<float>(std::size_t(1) << 22);
    Arena arena{floats.data(), floats.size() * sizeof(float)};
};
template <int R>
std::vector<float> numbers(const Extents<R>& e, unsigned seed) {
    std::vector<float> v(static_cast<std::size_t>(count(e)));
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (float& x : v) x = normal(random);
    return v;
}
double relative_l2(const float* a, const float* b, index_t n) {
    double d = 0, s = 0;
    for (index_t i = 0; i < n; ++i) d += (a[i] - b[i]) * (a[i] - b[i]), s += b[i] * b[i];
    return std::sqrt(d / s);
}

template <auto C, auto O>
constexpr auto resnet(auto x) {
    auto h = p::conv<"conv1", O, C, 3>(silu(p::group_norm<"norm1", C, 32>(x)));
    auto y = p::conv<"conv2", O, O, 3>(silu(p::group_norm<"norm2", O, 32>(h)));
    if constexpr (C == O) return x + y;
    else return p::linear<"conv_shortcut", O, C>(x) + y;
}
struct widening_block {
    static constexpr auto graph() {
        constexpr auto c = p::dim<3>;
        return resnet<c, 2 * c>(p::input<0, p::dim<0>, p::dim<1>, p::dim<2>, c>);
    }
};

/// A weight as its file has it; a filter as [O, R, S, I].
template <int R>
std::vector<float> weight(const std::string& name, const Extents<R>& e) {
    std::vector<float> v(static_cast<std::size_t>(count(e)));
    Random().copy(name, std::vector<index_t>(e.v, e.v + R), v.data(), nullptr);
    if (R < 4) return v;
    std::vector<float> to(v.size());
    for (index_t o = 0; o < e[0]; ++o)
        for (index_t i = 0; i < e[1]; ++i)
            for (index_t tap = 0; tap < 9; ++tap)
                to[static_cast<std::size_t>((o * 9 + tap) * e[1] + i)] =
                    v[static_cast<std::size_t>((o * e[1] + i) * 9 + tap)];
    return to;
}

/// A kernel for each operation, one after the other: x [2, 5, 7, 32] → [2, 5, 7, 64].
std::vector<float> by_kernels(Host& host, std::vector<float> x) {
    const index_t pixels = 2 * 5 * 7;
    const auto image = [](std::vector<float>& v, index_t c) { return tensor(v.data(), 2, 5, 7, c); };
    const auto make = [&](index_t c) { return std::vector<float>(static_cast<std::size_t>(pixels * c)); };
    const auto vector = [&](const char* name, index_t c) { return weight(name, Extents<1>{{c}}); };
    const auto norm = [&](const std::string& name, std::vector<float> in, index_t c) {
        auto gamma = weight(name + ".weight", Extents<1>{{c}}), beta = weight(name + ".bias", Extents<1>{{c}});
        auto normed = make(c), y = make(c);
        prepare<GroupNorm<32>>(image(normed, c), tensor(gamma.data(), c), tensor(beta.data(), c), image(in, c))
            .run(host);
        prepare<Elementwise<Silu<Buf<0>>>>(image(y, c), image(normed, c)).run(host);
        return y;
    };
    const auto conv = [&](const std::string& name, std::vector<float> in, index_t c, index_t o) {
        auto w = weight(name + ".weight", Extents<4>{{o, c, 3, 3}}), bias = weight(name + ".bias", Extents<1>{{o}});
        auto y = make(o);
        prepare<Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>>>(image(y, o), tensor(w.data(), o, 3, 3, c), image(in, c),
                                                              tensor(bias.data(), o)).run(host);
        return y;
    };
    auto h = conv("conv2", norm("norm2", conv("conv1", norm("norm1", x, 32), 32, 64), 64), 64, 64);
    auto w = weight("conv_shortcut.weight", Extents<2>{{64, 32}}), bias = vector("conv_shortcut.bias", 64);
    auto y = make(64);
    prepare<Linear<Buf<0>, Add<Out, Buf<1>>>>(image(y, 64), tensor(w.data(), 64, 32), image(x, 32),
                                               tensor(bias.data(), 64)).run(host);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h[i];
    return y;
}

TEST(Planned, AResNetBlockOfMoreChannels) {
    using plan = p::plan<widening_block, p::on_host<4>, p::Shape<2, 64, 64, 320>>;
    static_assert(plan::launches == 5);
    Host host;
    Memory weights, temporaries;
    const Random source;
    const nn::Loader<float, Random, Host> load(&source, host, weights.arena);
    const nn::Planned<plan, float> layer(load, p::Lengths{4, {0, 0, 0, 32}});
    const Extents<4> e{{2, 5, 7, 32}};
    std::vector<float> x = numbers(e, 1);
    Program<Host> program;
    const auto y = layer.build(nn::Build<float, Host>{&program, &temporaries.arena, ""}, Tensor<float, 4>(x.data(), e));
    EXPECT_EQ(y->extents, (Extents<4>{{2, 5, 7, 64}}));
    program.run(host);
    const std::vector<float> expected = by_kernels(host, x);
    EXPECT_LT(relative_l2(y->data, expected.data(), y->size()), 1e-6);
}

template <int D>
constexpr auto encoder(auto x) {
    constexpr auto c = p::dim<2>;
    auto n = p::layer_norm<"layer_norm1", c>(x);
    auto q = p::heads<D>(p::linear<"self_attn.q_proj", c, c>(n));
    auto k = p::heads<D>(p::linear<"self_attn.k_proj", c, c>(n));
    auto v = p::heads<D>(p::linear<"self_attn.v_proj", c, c>(n));
    auto h = x + p::linear<"self_attn.out_proj", c, c>(p::merge_heads(p::attention<D, mask::Causal>(q, k, v)));
    auto wide = quick_gelu(p::linear<"mlp.fc1", 4 * c, c>(p::layer_norm<"layer_norm2", c>(h)));
    return h + p::linear<"mlp.fc2", c, 4 * c>(wide);
}
struct encoder_layer {
    static constexpr auto graph() { return encoder<32>(p::input<0, p::dim<0>, p::dim<1>, p::dim<2>>); }
};

TEST(Planned, AnEncoderLayer) {
    using plan = p::plan<encoder_layer, p::on_host<4>, p::Shape<2, 77, 768>>;
    Host host;
    Memory weights, temporaries, expected_weights;
    const Random source;
    const nn::Loader<float, Random, Host> load(&source, host, weights.arena);
    const nn::Planned<plan, float> layer(load, p::Lengths{3, {0, 0, 64}});
    const nn::Loader<float, Random, Host> load_expected(&source, host, expected_weights.arena);
    const nn::ClipLayer<float> by_hand(load_expected, 64, 2, 256, true);
    const Extents<3> e{{2, 11, 64}};
    std::vector<float> x = numbers(e, 1);
    Program<Host> program, expected_program;
    const auto y = layer.build(nn::Build<float, Host>{&program, &temporaries.arena, ""}, Tensor<float, 3>(x.data(), e));
    const auto expected = by_hand.build(nn::Build<float, Host>{&expected_program, &temporaries.arena, ""},
                                        Tensor<float, 3>(x.data(), e));
    ASSERT_EQ(y->extents, expected->extents);
    program.run(host);
    expected_program.run(host);
    EXPECT_LT(relative_l2(y->data, expected->data, y->size()), 1e-6);
}

}  // namespace
