// SPDX-License-Identifier: Apache-2.0
/// Planned layers whose width of heads is an axis: one plan of all widths against plain loops.
#include "layer.hpp"

#include <inlay/nn/attention_rules.hpp>

#include <algorithm>

namespace {

using namespace inlay_test::planned;

constexpr p::Dim channels = p::dim<2>, head = p::dim<3>;
/// Attention of a layer to its own rows.
template <auto D>
struct self {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, channels>;
        return p::merge_heads(p::attention<D>(p::heads<D>(p::linear<"q", channels, channels>(x)),
                                              p::heads<D>(p::linear<"k", channels, channels>(x)),
                                              p::heads<D>(p::linear<"v", channels, channels>(x))));
    }
};
/// Of sm_90a's prices and the rules of 16 bits, so that a width gives the factor of queries too.
template <auto D>
using plan_of = p::plan<self<D>, p::on_sm90a<2>, p::Shape<2, 4096, 320, 40>, nn::attention_rules<fp16, D>>;
using Layer = nn::Planned<plan_of<head>, float, 4, 8>;

struct Loaded {
    Host host;
    Numbers source;
    std::vector<float> memory = std::vector<float>(1 << 16);
    Arena arena{memory.data(), memory.size() * sizeof(float)};
    nn::Loader<float, Numbers, Host> load{&source, host, arena};

    template <class Planned>
    std::vector<float> run(const Planned& layer, const Tensor<float, 3>& x) {
        Program<Host> program;
        const auto y = layer.build(nn::Build<float, Host>{&program, &arena, ""}, x);
        program.run(host);
        return numbers_of(*y);
    }
};

constexpr index_t batch = 2, rows = 5, wide = 16;

/// Rows of `Numbers`' weights and biases of the same.
double projected(const float* x, index_t column) {
    double sum = Numbers::at(column);
    for (index_t i = 0; i < wide; ++i) sum += x[i] * static_cast<double>(Numbers::at(column * wide + i));
    return sum;
}
std::vector<double> attended(const std::vector<float>& x, index_t width) {
    std::vector<double> y;
    for (index_t b = 0; b < batch; ++b)
        for (index_t q = 0; q < rows; ++q)
            for (index_t c = 0; c < wide; ++c) {
                const auto row = [&](index_t r) { return x.data() + (b * rows + r) * wide; };
                double sum = 0, whole = 0;
                for (index_t k = 0; k < rows; ++k) {
                    double score = 0;
                    for (index_t i = c / width * width; i < (c / width + 1) * width; ++i)
                        score += projected(row(q), i) * projected(row(k), i);
                    const double weight = std::exp(score / std::sqrt(static_cast<double>(width)));
                    whole += weight;
                    sum += weight * projected(row(k), c);
                }
                y.push_back(sum / whole);
            }
    return y;
}

TEST(PlannedWidths, OnePlanIsOfAllWidths) {
    static_assert(plan_of<head>::launches == plan_of<40>::launches && nn::detail::has_open_width<plan_of<head>>() &&
                  !nn::detail::has_open_width<plan_of<40>>() && nn::detail::open_width<plan_of<head>>() == head);
    Loaded l;
    std::vector<float> x(batch * rows * wide);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(3 * i)) / 2;
    for (const index_t width : {4, 8}) {
        const Layer layer(l.load, {4, {0, 0, wide, width}});
        const std::vector<float> y = l.run(layer, tensor(x.data(), batch, rows, wide));
        const std::vector<double> want = attended(x, width);
        ASSERT_EQ(y.size(), want.size());
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], want[i], 1e-5) << width << ", " << i;
    }
}
TEST(PlannedWidths, AWidthWithoutKernelsIsOneSentence) {
    Loaded l;
    EXPECT_EQ(error_of([&] { Layer(l.load, {4, {0, 0, 16, 2}}); }), "inlay: a head dimension of 2 is not among 4, 8");
}

}  // namespace
