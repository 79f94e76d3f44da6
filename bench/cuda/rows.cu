// SPDX-License-Identifier: Apache-2.0
/// LayerNorm, RMSNorm and softmax: SD1.5's rows, and 2²⁶ elements in rows of 128 to 65536. PyTorch joins in
/// bench/compare.py.
#include "target.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

struct layer : LayerNorm<> {};
struct rms : RMSNorm<> {};
struct soft : Softmax<> {};

/// K reads γ, then β, as it has weights.
template <class K, class T>
void rows(Bench& bench, const char* what, index_t m, index_t n, const Shape& s = {}) {
    bench.run(std::string(what) + "/" + std::to_string(m) + "x" + std::to_string(n) + "/" + name(dtype_of<T>),
              [&](Case& c) {
                  auto x = c.input<T>(m * n);
                  auto gamma = c.input<T>(n), beta = c.input<T>(n);
                  auto y = c.output<T>(m * n);
                  c.bytes(2.0 * static_cast<double>(m * n) * sizeof(T));
                  if (s.count) {
                      c.number("count", static_cast<double>(s.count));
                      c.text("model", s.model);
                  }
                  c.ours([=](int i) {
                      const auto to = tensor(y[i], m, n);
                      const auto from = tensor(x[i], m, n);
                      if constexpr (K::weights == 2)
                          return prepare<K>(to, tensor(gamma[i], n), tensor(beta[i], n), from);
                      else if constexpr (K::weights == 1) return prepare<K>(to, tensor(gamma[i], n), from);
                      else return prepare<K>(to, from);
                  });
              });
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench("rows", argc, argv);
    for (const Shape& s : bench.shapes("layer_norm")) rows<layer, fp16>(bench, "layer_norm", s.key[1], s.key[2], s);
    for (const index_t n : {1024, 4096, 16384}) {
        rows<layer, fp16>(bench, "layer_norm", (1 << 26) / n, n);
        rows<rms, fp16>(bench, "rms_norm", (1 << 26) / n, n);
    }
    for (index_t n = 128; n <= 65536; n *= bench.quick() ? 8 : 2) {
        rows<soft, fp16>(bench, "softmax", (1 << 26) / n, n);
        rows<soft, float>(bench, "softmax", (1 << 26) / n, n);
    }
    return bench.finish();
}
