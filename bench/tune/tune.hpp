// SPDX-License-Identifier: Apache-2.0
/// The tuner of the matrix engine of sm_90a: every schedule that its kernels have, in every number of parts, on the
/// products of a model. Each is checked against a sum in double at random places before it is timed; the fastest are
/// timed again in turn, at clocks that have settled, and their times written for `tune_table`.
#pragma once

#include "../cuda/bench.hpp"
#include "reference.hpp"
#include "table.hpp"

#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace inlay_bench::tune {

/// Runs a frame's product with one tile, of which `groups` warpgroups multiply.
template <class Tile, int Groups>
struct Target {
    on_gpu::Launcher& launcher;
    int parts;

    template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        const auto launch = [&](auto& p) { on_gpu::launch_wgmma<Tile>(launcher, p, parts, Groups); };
        require(on_gpu::with_wgmma_problem(s, w, in, rows, epilogue, sink, place, launch),
                "the engine does not take this input");
    }
    template <class S>
    void publish_stats(const S&) {}
};

/// Schedules to try: those of `Table` that suit products of T, with two sums a column or inputs that are evaluated.
template <class T, const auto& Table, bool Pairs = false, bool Evaluates = false>
struct Schedules {
    static constexpr bool evaluates = Evaluates;
    static constexpr int size = static_cast<int>(std::size(Table));

    /// f(record, run) for each way worth a try of a shape: the record has no time yet, run(kernel) launches it.
    template <class F>
    static void each_way(on_gpu::Launcher& l, const WgmmaShape& shape, const F& f) {
        [&]<int... I>(std::integer_sequence<int, I...>) {
            (ways<I>(l, shape, f), ...);
        }(std::make_integer_sequence<int, size>{});
    }

private:
    template <int I, class F>
    static void ways(on_gpu::Launcher& l, const WgmmaShape& shape, const F& f) {
        constexpr const WgmmaSchedule& s = Table[I];
        if constexpr (wgmma_supports(s, false, Pairs, Evaluates)) {
            const WgmmaGrid work = work_of(shape);
            if (!wgmma_supports(s, work)) return;
            const int units = l.device().multiprocessors;
            const index_t tiles = work.batch * wgmma_m_tiles(s, work) * ((work.n + s.n - 1) / s.n);
            for (int parts = 1; parts <= 8; ++parts) {
                if (!wgmma_can_share(s, tiles, work.steps, parts, units)) continue;
                f(Record{shape, s.m, s.n, s.ping_pong, parts, 0}, [&l, parts](const auto& kernel) {
                    Target<on_gpu::detail::WgmmaTableTile<T, Table, I, Evaluates ? 1 : 0>, s.groups> target{l, parts};
                    kernel.run(target);
                });
            }
        }
    }
};

/// Operands of a shape, in rings of copies, so that weights come from memory.
struct Operands {
    std::size_t x, w, bias, y;              ///< bytes of each; `bias`: all vectors
    int copies;
    char* base;
    std::size_t each() const { return x + w + bias + y; }
    std::size_t result() const { return x + w + bias; }
    template <class T>
    T* at(int copy, std::size_t offset) const {
        return reinterpret_cast<T*>(base + each() * static_cast<std::size_t>(copy % copies) + offset);
    }
};
inline Operands operands(Bench& b, DType type, index_t x, index_t w, index_t n, index_t y) {
    const auto bytes = [&](index_t e) {
        return (static_cast<std::size_t>(e) * inlay::bytes(type) + 1023) / 1024 * 1024;
    };
    Operands o{bytes(x), bytes(w), bytes(n), bytes(y), 0, nullptr};
    b.reset_arena();
    const std::size_t rotated = std::size_t(160) << 20;
    o.copies = static_cast<int>(std::min<std::size_t>(64, rotated / (o.x + o.w + o.y) + 2));
    o.base = b.arena(o.each() * static_cast<std::size_t>(o.copies));
    fill_normals(b.stream(), o.base,
                 static_cast<index_t>(o.each() * static_cast<std::size_t>(o.copies) / inlay::bytes(type)), type, 7);
    return o;
}

/// The times of a program: written as a whole when all is timed.
struct Log {
    std::string path, lines;

    /// `note`: what is timed, of which device and code.
    Log(const std::string& to, const std::string& note) : path(to) {
        lines = "# " + note + "\n" + std::string(record_columns) + "\n";
    }
    void write() const {
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        write_atomically(path, lines);
    }
};

/// Checks all ways of one shape, times them if there is a log, and prints the best. make(i) prepares a kernel on copy
/// i; `reference` describes copy 0.
template <class Schedules, class Make>
bool shape(Bench& b, Schedules, const WgmmaShape& of, const Operands& o, const Reference& r, Log* log,
           const Make& make) {
    const std::string name = text(of);
    if (log && !b.takes(name)) return true;
    on_gpu::Launcher& l = gpu(b).launcher();
    std::vector<decltype(make(0))> kernels;
    const int launches = std::max(o.copies, 20);
    for (int i = 0; i < launches; ++i) kernels.push_back(make(i));
    std::vector<Record> all;
    bool right = true;
    const auto launch = [&](const auto& run) {
        return [&kernels, run](int i) { run(kernels[static_cast<std::size_t>(i)]); };
    };
    const auto wrong = [&](const Record& way, const std::string& says) {
        right = false;
        std::printf("  %s %s\n", text(way).c_str(), says.c_str());
        std::fflush(stdout);
        if (cudaStreamSynchronize(b.stream()) != cudaSuccess) std::exit(3);     // the context is lost
    };
    Schedules::each_way(l, of, [&](Record way, const auto& run) {
        try {
            l.begin_dry();
            run(kernels[0]);
            l.end_dry();
            inlay::on_gpu::check(cudaMemsetAsync(o.at<char>(0, o.result()), 0xff, o.y, b.stream()), "cudaMemsetAsync");
            run(kernels[0]);
            b.synchronize();
            const Misfit e = misfit(b.stream(), r);
            if (e.bad(r.type)) return wrong(way, e.text());
            if (log) way.us = b.time(launches, launch(run), true);
            all.push_back(way);
        } catch (const std::exception& e) {
            wrong(way, std::string("FAILED ") + e.what());
        }
    });
    if (!log || all.empty()) {
        std::printf("%-44s %s in %zu ways\n", name.c_str(), right ? "right" : "WRONG", all.size());
        std::fflush(stdout);
        return right;
    }
    // The candidates for the fastest, and the rule's choice, in turn.
    const ChosenWgmma by_rule = choose_wgmma_by_rule(work_of(of), l.device().multiprocessors);
    const double limit =
        1.25 * std::min_element(all.begin(), all.end(), [](auto& x, auto& y) { return x.us < y.us; })->us;
    std::vector<std::unique_ptr<Replay>> owned;
    std::vector<Replay*> replays;
    std::vector<Record*> timed;
    std::size_t i = 0;
    Schedules::each_way(l, of, [&](const Record& way, const auto& run) {
        if (i == all.size() || !same_schedule(all[i], way)) return;
        const WgmmaSchedule& s = by_rule.schedule;
        if (all[i].us < limit || same_schedule(way, {of, s.m, s.n, s.ping_pong, by_rule.choice.parts, 0})) {
            owned.push_back(std::make_unique<Replay>(b.device(), b.stream(), launches, launch(run)));
            replays.push_back(owned.back().get());
            timed.push_back(&all[i]);
        }
        ++i;
    });
    const std::vector<double> us = in_turn(replays, b.rounds());
    for (std::size_t k = 0; k < us.size(); ++k) timed[k]->us = us[k];
    std::sort(all.begin(), all.end(), [](const Record& x, const Record& y) { return x.us < y.us; });
    std::string best = name;
    for (std::size_t j = 0; j < all.size(); ++j) {
        log->lines += text(all[j]) + "\n";
        char few[64];
        std::snprintf(few, sizeof few, "  %s/%d %.2f", tile_name(all[j].m, all[j].n, all[j].ping_pong).c_str(),
                      all[j].parts, all[j].us);
        if (j < 4) best += few;
    }
    std::printf("%s\n", best.c_str());
    std::fflush(stdout);
    return right;
}

}  // namespace inlay_bench::tune
