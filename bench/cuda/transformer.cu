// SPDX-License-Identifier: Apache-2.0
/// Spatial transformers of SD1.5's UNet at 512², batch 2, in one persistent launch, beside a graph of their 14 kernels,
/// each by the schedule that is chosen for it. Weights of a launch are those of no launch shortly before.
#include "target.hpp"
#include "transformer_kernels.hpp"

#include <cmath>
#include <memory>

namespace {

using namespace inlay;
using namespace inlay_bench;
using Shape = persistent::TransformerShape;

template <class T>
struct Persistent {
    std::shared_ptr<PersistentTransformer<T>> transformer;
    TransformerOperands<T> io;
    void run(Cuda&) const { transformer->launch(io); }
};
struct Kernels {
    std::shared_ptr<DeviceMemory> memory;
    std::shared_ptr<Program<Cuda>> program;
    void run(Cuda& gpu) const { program->run(gpu); }
};

template <class T>
void transformer(Bench& bench, int side, int channels) {
    const Shape s{.batch = 2, .pixels = side * side, .channels = channels};
    bench.run("transformer/2x" + std::to_string(s.pixels) + "x" + std::to_string(channels) + "/" + name(dtype_of<T>),
              [&](Case& c) {
                  const index_t n = channels, image = index_t(s.rows()) * n, text = index_t(s.batch) * s.text * n;
                  const auto matrix = [&](index_t rows, index_t k) {
                      return c.input<T>(rows * k, 1 / std::sqrt(static_cast<float>(k)));
                  };
                  const auto result = c.output<T>(image);
                  const auto x = c.input<T>(image), keys = c.input<T>(text), values = c.input<T>(text);
                  const auto vectors = c.input<T>(21 * n, 0.5f);
                  const auto in = matrix(n, n), qkv = matrix(3 * n, n), out = matrix(n, n), query = matrix(n, n),
                             out_text = matrix(n, n), up = matrix(8 * n, n), down = matrix(n, 4 * n),
                             project_out = matrix(n, n);
                  const double rows = s.rows(), width = channels;
                  c.flops(rows * width * (40 * width + 4.0 * s.pixels + 4.0 * s.text));
                  const auto weights = [=](int i) {
                      const auto vector = [&](int at) { return vectors[i] + at * n; };
                      return TransformerWeights<T>{
                          vector(0),  vector(1),  in[i],      vector(2),  vector(3),  vector(4), qkv[i],    out[i],
                          vector(5),  vector(6),  vector(7),  query[i],   out_text[i], vector(8), vector(9), vector(10),
                          up[i],      vector(11), vector(15), down[i],    vector(19), project_out[i], vector(20)};
                  };
                  const auto operands = [=](int i) {
                      return TransformerOperands<T>{result[i], x[i], tensor(keys[i], s.batch, s.text, n),
                                                    tensor(values[i], s.batch, s.text, n)};
                  };
                  Cuda& target = gpu(bench);
                  c.ours([=, &target](int i) {
                      return Persistent<T>{std::make_shared<PersistentTransformer<T>>(target, weights(i), s),
                                           operands(i)};
                  });
                  c.unfused("14 kernels", [=, &target](int i) {
                      Arena measure;
                      Program<Cuda> none;
                      add_kernels(none, measure, s, weights(i), operands(i));
                      Kernels k{std::make_shared<DeviceMemory>(target.allocate(measure.measured())),
                                std::make_shared<Program<Cuda>>()};
                      Arena arena(k.memory->data(), k.memory->size());
                      add_kernels(*k.program, arena, s, weights(i), operands(i));
                      return k;
                  });
              });
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench("transformer", argc, argv);
    transformer<fp16>(bench, 64, 320);
    transformer<fp16>(bench, 32, 640);
    transformer<fp16>(bench, 16, 1280);
    transformer<fp16>(bench, 8, 1280);
    transformer<bf16>(bench, 16, 1280);
    transformer<bf16>(bench, 8, 1280);
    return bench.finish();
}
