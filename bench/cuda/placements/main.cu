// SPDX-License-Identifier: Apache-2.0
/// Times the placements of each pair in turn, and writes DIR/<suite>.json: a row a placement, with the price by which
/// the planner ranks it. `bench/placements.py` compares both.
#include "../replay.hpp"
#include "pair.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace {

using namespace inlay_bench;

/// Relative L2 distance of a placement's result from the first one's: what 16 bits leave of rounding, not more.
constexpr double far = 0.02;

double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double d = 0, s = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a[i], e = x - b[i];
        d += e * e;
        s += x * x;
    }
    return std::sqrt(d / s);
}
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + '"';
}

/// Rows of a pair. All placements or none: a pair that lacks one says so.
std::string rows_of(inlay::Cuda& gpu, const Pair& pair, Rounds rounds, bool& failed) {
    std::deque<Replay> replays;
    std::vector<double> apart;
    std::string error;
    try {
        std::vector<float> first;
        for (const Placement& p : pair.placements) {
            const BuiltPlacement built = p.build(gpu);
            built.run(0);
            const std::vector<float> y = built.result();
            if (first.empty()) first = y;
            apart.push_back(distance(first, y));
            inlay::require(apart.back() < far, p.name, " is ", apart.back(), " apart from ", pair.placements[0].name,
                           ", expected less than ", far);
            replays.emplace_back(gpu.device().index, gpu.stream(), built.copies, built.run);
        }
    } catch (const std::exception& e) {
        failed = true;
        std::printf("%s/%s FAILED: %s\n", pair.layer.c_str(), pair.shape.c_str(), e.what());
        return "  {\"name\": " + quoted("placement/" + pair.layer + "/" + pair.shape) + ", \"error\": " +
               quoted(e.what()) + "}";
    }
    std::vector<Replay*> all;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < replays.size(); ++i) {
        all.push_back(&replays[i]);
        if (pair.placements[i].predicted_us < pair.placements[chosen].predicted_us) chosen = i;
    }
    const std::vector<double> us = in_turn(all, rounds);
    std::ostringstream out;
    for (std::size_t i = 0; i < replays.size(); ++i) {
        const Placement& p = pair.placements[i];
        std::printf("%-24s %-22s %-28s %2d kernels  predicted %8.2f us  measured %8.2f us%s\n", pair.layer.c_str(),
                    pair.shape.c_str(), p.name.c_str(), p.kernels, p.predicted_us, us[i],
                    i == chosen ? "  chosen" : "");
        out << (i == 0 ? "" : ",\n") << "  {\"name\": "
            << quoted("placement/" + pair.layer + "/" + pair.shape + "/" + p.name) << ", \"layer\": "
            << quoted(pair.layer) << ", \"shape\": " << quoted(pair.shape) << ", \"placement\": " << quoted(p.name)
            << ", \"kernels\": " << p.kernels << ", \"predicted_us\": " << p.predicted_us << ", \"us\": " << us[i]
            << ", \"chosen\": " << (i == chosen ? "true" : "false") << ", \"planned_us\": " << pair.planned_us
            << ", \"copies\": " << replays[i].launches() << ", \"relative_l2\": " << apart[i]
            << ", \"dtype\": \"fp16\"}";
    }
    std::fflush(stdout);
    return out.str();
}

}  // namespace

int main(int argc, char** argv) {
    std::map<std::string, std::string> said{
        {"--out", "bench/results/gpu"}, {"--commit", "unknown"}, {"--driver", ""}, {"--filter", ""}, {"--shapes", ""}};
    bool quick = false, predict = false;
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        if (a == "--quick") quick = true;
        else if (a == "--predict") predict = true;
        else if (said.contains(a) && i + 1 < argc) said[a] = argv[++i];
        else {
            std::fprintf(stderr,
                         "%s [--out DIR] [--commit NAME] [--driver TEXT] [--filter LAYER] [--quick] [--predict]\n"
                         "Times placements of layers beside their prices and writes DIR/%s.json.\n"
                         "  --filter LAYER   only layers whose name begins so\n"
                         "  --quick          fewer replays\n"
                         "  --predict        prints the prices, and runs nothing\n",
                         argv[0], suite);
            return a == "--help" ? 0 : 2;
        }
    }
    std::vector<Pair> all = pairs();
    std::erase_if(all, [&](const Pair& p) { return !p.layer.starts_with(said["--filter"]); });
    if (predict) {
        for (const Pair& pair : all)
            for (const Placement& p : pair.placements)
                std::printf("%-24s %-22s %-28s %2d kernels  predicted %8.2f us, planner's cover %8.2f us\n",
                            pair.layer.c_str(), pair.shape.c_str(), p.name.c_str(), p.kernels, p.predicted_us,
                            pair.planned_us);
        return 0;
    }
    inlay::Cuda gpu(0);
    bool failed = false;
    std::string rows;
    for (const Pair& pair : all)
        rows += (rows.empty() ? "" : ",\n") +
                rows_of(gpu, pair, quick ? Rounds{30, 5} : Rounds{settled_ms, 9}, failed);
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::filesystem::create_directories(said["--out"]);
    std::ofstream file(said["--out"] + "/" + suite + ".json");
    file << "{\"commit\": " << quoted(said["--commit"]) << ", \"date\": " << quoted(date) << ", \"driver\": "
         << quoted(said["--driver"]) << ",\n \"busy_ms\": " << (quick ? 30 : settled_ms)
         << ", \"in_turn\": true, \"quick\": " << (quick ? "true" : "false") << ",\n \"rows\": [\n"
         << rows << "\n]}\n";
    return failed || !file.good() ? 1 : 0;
}
