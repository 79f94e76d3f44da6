// SPDX-License-Identifier: Apache-2.0
/// Sums over everything, rows and columns of 2²⁶ numbers, beside CUB (which has none over columns).
#include "target.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

template <int Axis>
struct sum : Reduce<reduction::Sum, Axes<Axis>> {};

template <int Axis, class T>
void reduce(Bench& bench, const char* what, index_t m, index_t n) {
    bench.run(std::string(what) + "/" + std::to_string(m) + "x" + std::to_string(n) + "/" + name(dtype_of<T>),
              [&](Case& c) {
                  auto x = c.input<T>(m * n);
                  auto y = c.output<T>(Axis == 0 ? n : m);
                  c.ours([=](int i) {
                      return prepare<sum<Axis>>(tensor(y[i], Axis == 0 ? 1 : m, Axis == 0 ? n : 1), tensor(x[i], m, n));
                  });
                  if constexpr (std::is_same_v<T, float> && Axis != 0)
                      c.peer("CUB", m == 1 ? cub_sum(n) : cub_sum_rows(m, n));
              });
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench("reduce", argc, argv);
    const index_t all = index_t(1) << 26;
    reduce<-1, float>(bench, "sum/all", 1, all);
    reduce<-1, fp16>(bench, "sum/all", 1, all);
    for (const index_t n : {64, 1024, 16384, 262144}) {
        reduce<-1, float>(bench, "sum/rows", all / n, n);
        reduce<-1, fp16>(bench, "sum/rows", all / n, n);
    }
    for (const index_t n : {64, 1024, 16384}) {
        reduce<0, float>(bench, "sum/columns", all / n, n);
        reduce<0, fp16>(bench, "sum/columns", all / n, n);
    }
    return bench.finish();
}
