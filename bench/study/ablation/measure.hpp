// SPDX-License-Identifier: Apache-2.0
/// Times of the ablation's programs, in turn, and the distance of their results from that of the reference.
#pragma once

#include "../../cuda/replay.hpp"
#include "programs.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

namespace inlay_study {

/// A relative distance (L2) of results in fp16 over twelve layers; more is an error.
constexpr double allowed = 5e-3;

class Study {
public:
    explicit Study(Cuda& gpu) : gpu_(gpu) {}

    /// Adds a program of `target`, which outlives the study.
    template <class Target>
    void add(const std::string& name, Target& target, Built<Target> built) {
        auto b = std::make_shared<Built<Target>>(std::move(built));
        all_.push_back({name, b->steps.size(), b->result, [b, &target] { b->steps.run(target); }});
    }
    /// The reference is the first program's result, which goes to `file`; else it comes from there. Prints a line for
    /// each program: name, kernels, microseconds, distance. The exit status.
    int run(const std::string& file, bool writes) {
        std::vector<std::vector<fp16>> results;
        for (const Program& p : all_) {
            p.run();
            results.emplace_back(static_cast<std::size_t>(tokens * width));
            gpu_.download(results.back().data(), p.result, results.back().size() * sizeof(fp16));
        }
        std::vector<fp16> reference(results[0].size());
        const auto bytes = static_cast<std::streamsize>(reference.size() * sizeof(fp16));
        if (writes) {
            reference = results[0];
            std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(reference.data()), bytes);
        } else {
            std::ifstream in(file, std::ios::binary);
            in.read(reinterpret_cast<char*>(reference.data()), bytes);
            require(in.gcount() == bytes, file, " is no result of the reference");
        }
        std::vector<std::unique_ptr<inlay_bench::Replay>> replays;
        std::vector<inlay_bench::Replay*> in_turn;
        for (const Program& p : all_) {
            replays.push_back(std::make_unique<inlay_bench::Replay>(gpu_.device().index, gpu_.stream(), 4,
                                                                    [&p](int) { p.run(); }));
            in_turn.push_back(replays.back().get());
        }
        const std::vector<double> us = inlay_bench::in_turn(in_turn, {inlay_bench::settled_ms, 15});
        int wrong = 0;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const double off = distance(results[i], reference);
            std::printf("%s\t%zu\t%.2f\t%.3g\n", all_[i].name.c_str(), all_[i].kernels, us[i], off);
            if (off <= allowed) continue;
            std::fprintf(stderr, "%s: the result is %g from the reference, expected at most %g\n", all_[i].name.c_str(),
                         off, allowed);
            wrong = 1;
        }
        return wrong;
    }

private:
    struct Program {
        std::string name;
        std::size_t kernels;
        const fp16* result;
        std::function<void()> run;
    };

    static double distance(const std::vector<fp16>& a, const std::vector<fp16>& b) {
        double difference = 0, size = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double x = to_float(a[i]), y = to_float(b[i]);
            difference += (x - y) * (x - y);
            size += y * y;
        }
        return std::sqrt(difference / size);
    }
    static double to_float(fp16 x) { return detail::half_bits_to_float(x.bits); }

    Cuda& gpu_;
    std::vector<Program> all_;
};

/// Runs `study(gpu, file, writes)` by the arguments of main: FILE, and --write where the reference is made.
template <class F>
int study_main(int argc, char** argv, const F& study) {
    const bool writes = argc == 3 && std::string(argv[2]) == "--write";
    if (argc != 2 && !writes) {
        std::fprintf(stderr, "usage: %s REFERENCE [--write]\n", argv[0]);
        return 2;
    }
    try {
        Cuda gpu;
        return study(gpu, argv[1], writes);
    } catch (const Error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}

}  // namespace inlay_study
