// SPDX-License-Identifier: Apache-2.0
/// A block of ConvNeXt (Liu et al., 2022), written as its mathematics: the compiler finds the kernels. Weights are
/// found by the names that they have in PyTorch; here they are random.
#include "example.hpp"

#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;
using std::size_t;

struct convnext_block {
    static constexpr auto graph() {
        using namespace inlay::planner;
        constexpr int c = 96;
        constexpr auto x = input<0, dim<0>, dim<1>, dim<2>, c>;     // batch, rows, columns, channels
        const auto h = layer_norm<"norm", c, 1e-6>(depthwise_conv<"dwconv", c, 7>(x));
        const auto mlp = linear<"pwconv2", c, 4 * c>(gelu(linear<"pwconv1", 4 * c, c>(h)));
        return x + weight<"gamma", c> * mlp;
    }
};

// The kernels for pictures of 56×56 pixels on the CPU, in fp32: the plan runs on others too.
using block_plan = planner::plan<convnext_block, planner::on_host<4>, planner::Shape<1, 56, 56>>;
static_assert(block_plan::launches == 4);   // convolution; LayerNorm; Linear, GELU; Linear, γ, residual

/// In the place of a file: each weight by its name.
struct RandomWeights {
    static std::vector<float> of(const std::string& name, index_t n, index_t fan_in) {
        const bool norm = name == "norm.weight";
        unsigned seed = 0;
        for (const char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
        auto w = example::random(seed, norm ? 0.2f : 1 / std::sqrt(static_cast<float>(fan_in)), n);
        for (float& v : w.data) v += norm ? 1.0f : 0.0f;
        return w.data;
    }
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        for (const float v : of(name, n, n / shape[0])) *to++ = v;
    }
};

/// The block in plain loops, in double.
std::vector<double> in_plain_loops(const Tensor<float, 4>& x) {
    const index_t height = x.extents[1], width = x.extents[2], c = x.extents[3], wide = 4 * c;
    const auto w = [](const char* name, index_t n, index_t fan_in) { return RandomWeights::of(name, n, fan_in); };
    const auto filter = w("dwconv.weight", c * 49, 49), filter_bias = w("dwconv.bias", c, 1);
    const auto scale = w("norm.weight", c, 1), shift = w("norm.bias", c, 1), gamma = w("gamma", c, 1);
    const auto w1 = w("pwconv1.weight", wide * c, c), bias1 = w("pwconv1.bias", wide, 1);
    const auto w2 = w("pwconv2.weight", c * wide, wide), bias2 = w("pwconv2.bias", c, 1);
    const auto at = [](const std::vector<float>& v, index_t i) {
        return static_cast<double>(v[static_cast<size_t>(i)]);
    };
    std::vector<double> y, h(static_cast<size_t>(c)), m(static_cast<size_t>(wide));
    for (index_t p = 0; p < x.extents[0] * height * width; ++p) {
        const index_t b = p / (height * width), row = p / width % height, col = p % width;
        double sum = 0, squares = 0;
        for (index_t k = 0; k < c; ++k) {
            double v = at(filter_bias, k);
            for (index_t tap = 0; tap < 49; ++tap) {
                const index_t i = row + tap / 7 - 3, j = col + tap % 7 - 3;
                if (i >= 0 && i < height && j >= 0 && j < width)
                    v += at(filter, k * 49 + tap) * static_cast<double>(x({{b, i, j, k}}));
            }
            h[static_cast<size_t>(k)] = v;
            sum += v;
        }
        const double average = sum / static_cast<double>(c);
        for (const double v : h) squares += (v - average) * (v - average);
        const double deviation = std::sqrt(squares / static_cast<double>(c) + 1e-6);
        for (index_t k = 0; k < c; ++k) {
            double& v = h[static_cast<size_t>(k)];
            v = (v - average) / deviation * at(scale, k) + at(shift, k);
        }
        for (index_t n = 0; n < wide; ++n) {
            double v = at(bias1, n);
            for (index_t k = 0; k < c; ++k) v += at(w1, n * c + k) * h[static_cast<size_t>(k)];
            m[static_cast<size_t>(n)] = v / 2 * (1 + std::erf(v / std::sqrt(2.0)));
        }
        for (index_t n = 0; n < c; ++n) {
            double v = at(bias2, n);
            for (index_t k = 0; k < wide; ++k) v += at(w2, n * wide + k) * m[static_cast<size_t>(k)];
            y.push_back(static_cast<double>(x({{b, row, col, n}})) + at(gamma, n) * v);
        }
    }
    return y;
}

int main() {
    Host cpu;
    // Built once without memory, to measure how much there must be.
    const auto load = [&](const RandomWeights* source, Arena& memory) {
        return nn::Planned<block_plan, float>(nn::Loader<float, RandomWeights, Host>(source, cpu, memory), {});
    };
    Arena measure;
    load(nullptr, measure);
    const auto weights = cpu.allocate(measure.measured());
    Arena weights_arena(weights.data(), weights.size());
    const RandomWeights source;
    const auto block = load(&source, weights_arena);

    auto x = example::random(1, 1, 2, 9, 14, 96);
    std::vector<float> memory(size_t(1) << 20);
    Arena arena(memory.data(), memory.size() * sizeof(float));
    example::Program program;
    const auto y = block.build(nn::Build<float, Host>{&program, &arena, "block"}, *x);
    program.run(cpu);
    for (const KernelReport& l : program.launches()) std::printf("%s\n", explain(l, host_target).c_str());
    return example::agrees("block", {y->data, y->data + y->size()}, in_plain_loops(*x)) ? 0 : 1;
}
