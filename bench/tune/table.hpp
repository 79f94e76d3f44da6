// SPDX-License-Identifier: Apache-2.0
/// The table of schedules that measured times make: of each product the fastest schedule that the kernels have, beside
/// the rule's. It is written as a header, the same bytes for the same times.
#pragma once

#include "records.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace inlay_bench::tune {

/// The times of all files, in their order.
inline Records read_files(const std::vector<std::filesystem::path>& files) {
    Records all;
    for (const auto& f : files) {
        std::ifstream in(f);
        require(in.is_open(), "cannot read ", f.string());
        const Records r = read_records(in, f.string());
        all.notes.insert(all.notes.end(), r.notes.begin(), r.notes.end());
        all.all.insert(all.all.end(), r.all.begin(), r.all.end());
    }
    return all;
}

/// A product of a shape, with an epilogue that suits every tile.
inline WgmmaGrid work_of(const WgmmaShape& s) {
    WgmmaGrid w;
    w.windows = s.input == WgmmaInput::halo || s.input == WgmmaInput::evaluated_halo ? 3 : 0;
    w.evaluates = s.input == WgmmaInput::evaluated || s.input == WgmmaInput::evaluated_halo;
    w.batch = s.batch, w.m = s.images * s.height * s.width, w.n = s.n, w.k = s.k, w.taps = s.taps;
    w.steps = s.taps * ((s.k + 63) / 64);
    w.rows.images = static_cast<int>(s.images);
    w.rows.height = static_cast<int>(s.height);
    w.rows.width = static_cast<int>(s.width);
    w.pairs = s.pairs;
    return w;
}

/// True if a product's kernels have a schedule.
inline bool has_schedule(const WgmmaShape& s, const Record& r, int units) {
    const WgmmaTuned row{s, r.m, r.n, r.ping_pong, r.parts, 0, 0};
    return choose_wgmma(WgmmaTable{"", units, &row, 1}, work_of(s), units).measured;
}

struct Table {
    std::vector<WgmmaTuned> rows;
    std::vector<std::string> left_out;      ///< shapes whose choice by rule was not timed
};
/// Of several times of one schedule the least counts. What is not faster than the rule's choice by more than 1 %, which
/// times differ by anyway, does not take its place.
inline Table table_of(const std::vector<Record>& records, int units) {
    using Way = std::tuple<int, int, bool, int>;
    std::map<WgmmaShape, std::map<Way, double>> times;
    for (const Record& r : records) {
        if (!has_schedule(r.shape, r, units)) continue;
        double& us = times[r.shape].try_emplace({r.m, r.n, r.ping_pong, r.parts}, r.us).first->second;
        us = std::min(us, r.us);
    }
    Table t;
    for (const auto& [shape, ways] : times) {
        const ChosenWgmma by_rule = choose_wgmma_by_rule(work_of(shape), units);
        const WgmmaSchedule& s = by_rule.schedule;
        const Way rule{s.m, s.n, s.ping_pong, by_rule.choice.parts};
        const auto timed = ways.find(rule);
        if (timed == ways.end()) {
            t.left_out.push_back(text(shape) + ": " + tile_name(s.m, s.n, s.ping_pong) + " in " +
                                 std::to_string(by_rule.choice.parts));
            continue;
        }
        const auto least = std::min_element(ways.begin(), ways.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
        const auto& [way, us] = least->second < 0.99 * timed->second ? *least : *timed;
        t.rows.push_back({shape, std::get<0>(way), std::get<1>(way), std::get<2>(way), std::get<3>(way), us,
                          timed->second});
    }
    return t;
}

/// The distance of the rule from a table, all of whose rows count alike.
struct Distance {
    double worst = 1, mean = 1;     ///< of the rule's time over the table's; the mean is geometric
    int slower = 0;                 ///< rows where the rule is slower
};
inline Distance distance_of(const std::vector<WgmmaTuned>& rows) {
    Distance d;
    double logs = 0;
    for (const WgmmaTuned& r : rows) {
        d.worst = std::max(d.worst, r.rule_us / r.us);
        d.slower += r.rule_us > r.us;
        logs += std::log(r.rule_us / r.us);
    }
    if (!rows.empty()) d.mean = std::exp(logs / static_cast<double>(rows.size()));
    return d;
}

/// The header of a device's table.
inline std::string header_of(const std::vector<WgmmaTuned>& rows, const std::vector<std::string>& notes,
                             const std::string& device, const std::string& name, int units) {
    require(!rows.empty(), "a table has a row at least");
    std::string s = "// SPDX-License-Identifier: Apache-2.0\n"
                    "/// Schedules of sm_90a's products as measured on an " + device + ". Written by bench/tune.\n";
    for (const std::string& n : notes) s += "/// " + n + "\n";
    s += "#pragma once\n\n#include <inlay/plan/gemm/wgmma_table.hpp>\n\nnamespace inlay::inline INLAY_ABI {\n\n"
         "namespace detail {\n\ninline constexpr WgmmaTuned " + name + "_rows[] = {\n"
         "    // input, two sums, batch, images, height, width, taps, n, k; tile, alternate, parts, us, us by rule\n";
    for (const WgmmaTuned& r : rows) {
        const WgmmaShape& h = r.shape;
        s += "    {{WgmmaInput::" + std::string(tune::name(h.input)) + (h.pairs ? ", true" : ", false");
        for (const index_t x : {h.batch, h.images, h.height, h.width, h.taps, h.n, h.k}) s += ", " + std::to_string(x);
        char way[96];
        std::snprintf(way, sizeof way, "}, %d, %d, %s, %d, %.2f, %.2f},\n", r.m, r.n, r.ping_pong ? "true" : "false",
                      r.parts, r.us, r.rule_us);
        s += way;
    }
    return s + "};\n\n}  // namespace detail\n\ninline constexpr WgmmaTable " + name + "{\"" + device + "\", " +
           std::to_string(units) + ", detail::" + name + "_rows,\n" + std::string(30 + name.size(), ' ') +
           "sizeof detail::" + name + "_rows / sizeof(WgmmaTuned)};\n\n}  // namespace inlay::inline INLAY_ABI\n";
}

/// The whole text or, where that fails, what was there.
inline void write_atomically(const std::filesystem::path& to, const std::string& text) {
    std::filesystem::path next = to;
    next += ".next";
    {
        std::ofstream out(next, std::ios::binary | std::ios::trunc);
        out << text;
        out.flush();
        require(out.good(), "cannot write ", next.string());
    }
    std::error_code error;
    std::filesystem::rename(next, to, error);
    if (!error) return;
    std::filesystem::remove(next);
    fail("cannot put " + next.string() + " in the place of " + to.string() + ": " + error.message());
}

}  // namespace inlay_bench::tune
