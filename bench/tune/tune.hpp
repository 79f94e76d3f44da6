// SPDX-License-Identifier: Apache-2.0
/// The tuner of the matrix engine of sm_90a: every tile it has, every number of parts, on the products of a
/// model. Each is checked against a sum in double at random places before it is timed.
#pragma once

#include "../cuda/bench.hpp"

#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace inlay_bench {

/// Output place (m, n) of y[m, n] = Σ x·w + bias[n], by the host's description of a product or a convolution.
struct Reference {
    const void *x, *w, *bias, *y;
    DType type;
    index_t m, n, k;                        ///< k: channels
    index_t height = 1, width = 1;          ///< of the input; rows of a linear layer are images of one pixel
    index_t out_height = 1, out_width = 1;
    int taps = 1, stride = 1, before = 0;
};
struct Misfit {
    double relative_l2 = 0, worst = 0;      ///< worst: the largest error over the root mean square
    long long nans = 0, worst_m = 0, worst_n = 0;
    bool bad(DType t) const {
        const double eps = t == DType::f16 ? 1.0 : 8.0;
        return nans > 0 || !(relative_l2 < 6e-4 * eps) || !(worst < 6e-3 * eps);
    }
};
/// At most `samples` random places, all of them where there are no more.
Misfit misfit(cudaStream_t stream, const Reference& r, index_t samples = 1 << 19);

namespace tune {

using namespace inlay;

/// Runs a frame's product with one tile.
template <class Tile>
struct Target {
    cuda::Launcher& launcher;
    int parts;

    template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        auto p = cuda::hopper_problem<typename Tile::value_type>(s, cuda::detail::weights_of(w), in, rows, epilogue,
                                                                 sink, place);
        require(p.ok, "the engine does not take this input");
        cuda::launch_hopper<Tile>(launcher, p, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

template <class... T>
struct tiles {};

/// One way to run, of a tile and how many blocks share it.
struct Way {
    std::string name;
    int parts;
};

/// f(way, run) for each way worth a try, run(kernel) its launch.
template <class... Tile, class F>
void each_way(tiles<Tile...>, cuda::Launcher& l, index_t m, index_t n, index_t k_steps, const F& f) {
    const auto tile = [&]<class T>() {
        const index_t count = ((m + T::m - 1) / T::m) * ((n + T::n - 1) / T::n);
        const bool splits = !T::alternate && T::m * (T::n + 8) * 8 <= 180 * 1024;
        for (int parts = 1; parts <= 8; ++parts) {
            const bool fits = splits && count <= hopper_clusters(l.device().multiprocessors, parts);
            if (parts > 1 && (!fits || k_steps < 2 * parts)) continue;
            std::string name =
                std::to_string(T::m) + "x" + std::to_string(T::n) + (T::alternate ? "a" : "") + (T::halo ? "h" : "");
            if (parts > 1) name += "/" + std::to_string(parts);
            f(Way{name, parts}, [&l, parts](const auto& kernel) {
                Target<T> target{l, parts};
                kernel.run(target);
            });
        }
    };
    (tile.template operator()<Tile>(), ...);
}

/// What a shape takes: operands in rings of copies, so that weights come from memory.
struct Operands {
    std::size_t x, w, bias, residual, y;    ///< bytes of each
    int copies;
    char* base;
    std::size_t each() const { return x + w + bias + residual + y; }
    template <class T>
    T* at(int copy, std::size_t offset) const {
        return reinterpret_cast<T*>(base + each() * static_cast<std::size_t>(copy % copies) + offset);
    }
};
inline Operands operands(Bench& b, DType type, index_t x, index_t w, index_t n, index_t y) {
    const auto bytes = [&](index_t e) {
        return (static_cast<std::size_t>(e) * inlay::bytes(type) + 1023) / 1024 * 1024;
    };
    Operands o{bytes(x), bytes(w), bytes(n), bytes(y), bytes(y), 0, nullptr};
    b.reset_arena();
    const std::size_t rotated = std::size_t(160) << 20;
    o.copies = static_cast<int>(std::min<std::size_t>(64, rotated / (o.x + o.w + o.residual) + 2));
    o.base = b.arena(o.each() * static_cast<std::size_t>(o.copies));
    fill_normals(b.stream(), o.base,
                 static_cast<index_t>(o.each() * static_cast<std::size_t>(o.copies) / inlay::bytes(type)), type, 7);
    return o;
}

/// Checks and times all ways of one shape and prints the best. make(i) prepares a kernel on copy i; `reference`
/// describes copy 0.
template <class Tiles, class Make>
bool shape(Bench& b, Tiles tiles, const std::string& name, const Operands& o, const Reference& r, index_t k_steps,
           double flops, bool timed, const Make& make) {
    cuda::Launcher& l = gpu(b).launcher();
    std::vector<decltype(make(0))> kernels;
    const int launches = std::max(o.copies, 8);
    for (int i = 0; i < launches; ++i) kernels.push_back(make(i));
    std::vector<std::pair<double, std::string>> all;
    bool right = true;
    each_way(tiles, l, r.m, r.n, k_steps, [&](const Way& way, const auto& run) {
        std::string says;
        double us = 0;
        try {
            l.begin_dry();
            run(kernels[0]);
            l.end_dry();
            inlay::cuda::check(cudaMemsetAsync(o.at<char>(0, o.x + o.w + o.bias + o.residual), 0xff, o.y, b.stream()),
                               "cudaMemsetAsync");
            run(kernels[0]);
            b.synchronize();
            const Misfit e = misfit(b.stream(), r);
            if (e.bad(r.type)) {
                char text[160];
                std::snprintf(text, sizeof text, "WRONG l2 %.2e worst %.2e at (%lld, %lld), %lld nans", e.relative_l2,
                              e.worst, e.worst_m, e.worst_n, e.nans);
                says = text;
            } else if (timed) {
                us = b.time(launches, [&](int i) { run(kernels[static_cast<std::size_t>(i)]); }, true);
            }
        } catch (const std::exception& e) {
            says = std::string("FAILED ") + e.what();
        }
        if (!says.empty()) {
            right = false;
            std::printf("  %-40s %-14s %s\n", name.c_str(), way.name.c_str(), says.c_str());
            std::fflush(stdout);
            if (cudaStreamSynchronize(b.stream()) != cudaSuccess) std::exit(3);     // the context is lost
            return;
        }
        all.emplace_back(us, way.name);
    });
    std::sort(all.begin(), all.end());
    if (!timed) {
        std::printf("%-40s %s in %zu ways\n", name.c_str(), right ? "right" : "WRONG", all.size());
    } else if (!all.empty()) {
        std::string few, every;
        for (std::size_t i = 0; i < all.size(); ++i) {
            char text[64];
            std::snprintf(text, sizeof text, " %s:%.2f", all[i].second.c_str(), all[i].first);
            (i > 0 && i < 4 ? few : every) += text;
        }
        std::printf("BEST %-36s %-12s %8.2f us %4.0f TF |%s\n", name.c_str(), all[0].second.c_str(), all[0].first,
                    1e-6 * flops / all[0].first, few.c_str());
        std::printf("ALL  %-36s%s%s\n", name.c_str(), few.c_str(), every.c_str());
    }
    std::fflush(stdout);
    return right;
}

}  // namespace tune
}  // namespace inlay_bench
