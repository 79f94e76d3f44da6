// SPDX-License-Identifier: Apache-2.0
/// Tensor maps are made by the plan of a kernel, and by no run.
#include <frame/check.hpp>

#include <emulator/hopper.hpp>

#include <inlay/exec/graph.hpp>
#include <inlay/frame/linear.hpp>

#include <algorithm>
#include <cstring>

namespace {

using namespace inlay;
using namespace inlay_test;

struct linear : Linear<Buf<0>> {};
struct evaluated : Linear<Silu<Buf<0>>> {};

template <class K>
void expect_maps_once() {
    auto a = normal<fp16>(1, 150, 128), b = gaussian<fp16>(2, 0, 0.1, 136, 128), c = unwritten<fp16>(150, 136);
    Placed x(a), w(b), y(c);
    Cuda gpu(0);
    const auto kernel = prepare<K>(*y, *w, *x);
    const long before = emulator::encoded_maps();
    kernel.run(gpu);
    gpu.synchronize();
    const long planned = emulator::encoded_maps();
    EXPECT_GE(planned, before + 2);
    y.fetch();
    const auto want = c.v;
    std::fill(c.v.begin(), c.v.end(), fp16(0.0f));
    y.upload();
    kernel.run(gpu);
    gpu.synchronize();
    y.fetch();
    EXPECT_EQ(std::memcmp(c.v.data(), want.data(), want.size() * sizeof want[0]), 0);
    const Graph graph(gpu, kernel);
    EXPECT_EQ(emulator::encoded_maps(), planned);
}

TEST(Plans, OfAProductMakeItsMaps) { expect_maps_once<linear>(); }
TEST(Plans, OfAnEvaluatedInputMakeItsMaps) { expect_maps_once<evaluated>(); }

}  // namespace
