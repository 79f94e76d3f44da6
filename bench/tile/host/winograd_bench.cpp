// SPDX-License-Identifier: Apache-2.0
/// Convolutions of fp32 on the host, filtered and as plain products, on two threads. `FLOPS` in the output counts those
/// of the plain product for both. Compile with -O2 -march=native.
#include <inlay/inlay.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

/// `taps` 3: a 3×3 filter, padding 1; 2: the four phases of an upsampled image. `filtered` 0 or 1.
template <int Taps, class Frame, class Rows, class Place>
void convolve(benchmark::State& state) {
    constexpr index_t blocks = Taps == 3 ? 1 : 4, scale = Taps == 3 ? 1 : 2;
    const index_t images = state.range(0), side = state.range(1), channels = state.range(2), columns = state.range(3);
    const MatmulShape s{blocks, images * side * side, columns, Taps * Taps, channels};
    Threads threads(2);
    std::vector<float> x(static_cast<std::size_t>(s.m * channels), 0.5f);
    std::vector<float> y(static_cast<std::size_t>(blocks * s.m * columns));
    std::vector<float> panels(static_cast<std::size_t>(blocks * packed_size(columns, s.segments * channels)), 0.25f);
    const auto p = [&] {
        const auto out = tensor(y.data(), images, scale * side, scale * side, columns);
        const auto in = tensor(x.data(), images, side, side, channels);
        const float* const none = nullptr;
        if constexpr (Taps == 3) return prepare<Frame>(out, tensor(none, columns, 3, 3, channels), in);
        else return prepare<Frame>(out, tensor(none, 4, columns, 4 * channels), in);
    }();
    const Extents<4> pixels{{images, side, side, 1}};
    const Rows rows{pixels, side, side, channels};
    const Place place = [&] {
        if constexpr (Taps == 3) return Place{pixels, columns};
        else return Place{pixels};
    }();
    Scratch workspace;
    float* const memory = static_cast<float*>(workspace.get(winograd_bytes(s, rows, threads)));
    for (auto _ : state) {
        if (state.range(4)) bound_winograd(threads, memory, s, panels.data(), get<0>(p.in), rows, p.epilogue, p.sink, place);
        else bound_matmul(threads, s, panels.data(), get<0>(p.in), rows, p.epilogue, p.sink, place);
        benchmark::DoNotOptimize(y.data());
        benchmark::ClobberMemory();
    }
    state.counters["FLOPS"] =
        benchmark::Counter(2. * double(blocks * s.m) * double(columns * s.segments * channels) *
                               double(state.iterations()),
                           benchmark::Counter::kIsRate);
}

struct conv : Conv2D<Filter<3>> {};
struct doubled : UpsampledConv2D<> {};
void Taps3(benchmark::State& s) { convolve<3, conv, Taps<Filter<3>>, Pixels>(s); }
void Phases(benchmark::State& s) { convolve<2, doubled, PhaseTaps, PhasePixels>(s); }

void arguments(benchmark::internal::Benchmark* b) {
    b->ArgNames({"images", "side", "channels", "columns", "filtered"})->UseRealTime()->Unit(benchmark::kMicrosecond);
}
void taps_shapes(benchmark::internal::Benchmark* b) {
    arguments(b);
    for (const auto& [n, side, c, o] : {std::array<index_t, 4>{2, 32, 320, 320}, {2, 16, 640, 640}, {2, 8, 1280, 1280},
                                        {2, 4, 1280, 1280}, {1, 4, 1280, 1280}, {1, 2, 320, 320}, {1, 3, 320, 320},
                                        {1, 4, 320, 320}, {1, 64, 512, 512}, {1, 256, 128, 128}, {1, 64, 4, 128},
                                        {1, 64, 128, 4}})
        for (const int filtered : {0, 1}) b->Args({n, side, c, o, filtered});
}
void phase_shapes(benchmark::internal::Benchmark* b) {
    arguments(b);
    for (const auto& [n, side, c, o] : {std::array<index_t, 4>{2, 4, 1280, 1280}, {2, 8, 1280, 1280}, {2, 16, 640, 640},
                                        {1, 64, 512, 512}})
        for (const int filtered : {0, 1}) b->Args({n, side, c, o, filtered});
}

BENCHMARK(Taps3)->Apply(taps_shapes);
BENCHMARK(Phases)->Apply(phase_shapes);

}  // namespace
