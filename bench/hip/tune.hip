// SPDX-License-Identifier: Apache-2.0
/// The tuner of AMD's schedules of products: times each schedule of `plan/gemm/amd_schedules.hpp` on the device and
/// prints its row of the table with the times that `Schedule` has, in nanoseconds: `alone`, `shared`, `fixed`. These
/// follow from four products each: one tile a compute unit and as many as are resident, of two depths. It was compiled,
/// and never run on such a GPU.
///
///     hip_tune [DEVICE]
#include <inlay/exec/hip.hpp>
#include <inlay/inlay.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace inlay;

template <class T>
struct product : Linear<> {};

/// A target whose products run by one schedule of a table, in no slices.
template <class Unit, const auto& Table>
struct OneSchedule {
    on_gpu::Launcher& launcher;
    int index;

    template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        const auto input = multiplied_input<std::remove_const_t<typename W::value_type>>(in);
        auto a = on_gpu::matmul_args(s, w, input, rows, epilogue, sink, place);
        Choice choice{Table[index]};
        choice.index = index;
        on_gpu::detail::launch_chosen<Unit, Table, Unit::images>(launcher, a, choice);
    }
    template <class S>
    void publish_stats(const S&) {}
};

/// Nanoseconds of a launch: the least of some runs of 20.
template <class F>
double nanoseconds(Hip& gpu, const F& launch) {
    on_gpu::Event begin(gpu.device().index), end(gpu.device().index);
    double least = 0;
    launch();
    for (int run = 0; run < 10; ++run) {
        begin.record(gpu.stream());
        for (int i = 0; i < 20; ++i) launch();
        end.record(gpu.stream());
        end.wait();
        const double ns = end.seconds_since(begin) * 1e9 / 20;
        if (run == 0 || ns < least) least = ns;
    }
    return least;
}

template <class Unit, const auto& Table, class T>
void tune(Hip& gpu, const char* name) {
    const index_t units = gpu.device().multiprocessors;
    std::printf("%s:\n", name);
    for (int i = 0; i < array_length(Table); ++i) {
        const Schedule& s = Table[i];
        const index_t step = s.k * 2 / static_cast<index_t>(sizeof(T)), shallow = 16 * step, deep = 80 * step;
        const index_t n = s.n * units * s.blocks;
        const auto x = gpu.allocate(sizeof(T) * static_cast<std::size_t>(s.m * deep));
        const auto w = gpu.allocate(sizeof(T) * static_cast<std::size_t>(n * deep));
        const auto y = gpu.allocate(sizeof(T) * static_cast<std::size_t>(s.m * n));
        gpu.zero(x.data(), sizeof(T) * static_cast<std::size_t>(s.m * deep));
        gpu.zero(w.data(), sizeof(T) * static_cast<std::size_t>(n * deep));
        OneSchedule<Unit, Table> target{gpu.launcher(), i};
        const auto time = [&](index_t tiles, index_t k) {
            const auto kernel = prepare<product<T>>(tensor(static_cast<T*>(y.data()), s.m, tiles * s.n),
                                                    tensor(static_cast<T*>(w.data()), tiles * s.n, k),
                                                    tensor(static_cast<T*>(x.data()), s.m, k));
            return nanoseconds(gpu, [&] { kernel.run(target); });
        };
        const double alone = (time(units, deep) - time(units, shallow)) / 64;
        const double shared = (time(units * s.blocks, deep) - time(units * s.blocks, shallow)) / 64;
        const double fixed = std::max(time(units, shallow) - 16 * alone, 0.0);
        std::printf("    {%d, %d, %d, %d, %d, \"tuned on %s\", %d, %d, %.0f, %.0f, %.0f},\n", s.m, s.n, s.k, s.stages,
                    s.warps, gpu.device().architecture, s.slices, s.blocks, alone, shared, fixed);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        Hip gpu(argc > 1 ? std::atoi(argv[1]) : 0);
        if (gpu.device().warp == 64) {
            tune<on_gpu::detail::Mfma<fp16>, mfma_matrix, fp16>(gpu, "mfma_matrix");
            tune<on_gpu::detail::Mfma<float>, mfma_matrix_fp32, float>(gpu, "mfma_matrix_fp32");
        } else {
            tune<on_gpu::detail::Wmma<fp16>, wmma_matrix, fp16>(gpu, "wmma_matrix");
            tune<on_gpu::detail::Wmma<float>, wmma_matrix_fp32, float>(gpu, "wmma_matrix_fp32");
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hip_tune: %s\n", error.what());
        return 1;
    }
}
