// SPDX-License-Identifier: Apache-2.0
/// tune_table TIMES.csv... [--write HEADER]: the table that times make, and how far the rule is from it.
#include "table.hpp"

#include <cstdio>

namespace {

using namespace inlay_bench::tune;

int run(const std::vector<std::string>& files, const std::string& header) {
    const Records records = read_files({files.begin(), files.end()});
    const WgmmaTable& device = wgmma_table_h200;
    const Table t = table_of(records.all, device.units);
    std::printf("%-44s %-16s %9s %9s %6s\n", "input,sums,batch,images,height,width,taps,n,k", "schedule", "us",
                "rule us", "rule");
    for (const WgmmaTuned& r : t.rows) {
        const std::string way = tile_name(r.m, r.n, r.ping_pong) + (r.parts > 1 ? "/" + std::to_string(r.parts) : "");
        std::printf("%-44s %-16s %9.2f %9.2f %6.3f\n", text(r.shape).c_str(), way.c_str(), r.us, r.rule_us,
                    r.rule_us / r.us);
    }
    for (const std::string& s : t.left_out) std::printf("%s, the rule's choice, was not timed: left out\n", s.c_str());
    const Distance d = distance_of(t.rows);
    std::printf("%zu rows; the rule is slower in %d, by %.1f %% on average and %.1f %% at worst\n", t.rows.size(),
                d.slower, 100 * (d.mean - 1), 100 * (d.worst - 1));
    if (!header.empty())
        write_atomically(header,
                         header_of(t.rows, records.notes, device.device, "wgmma_table_h200", device.units));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> files;
    std::string header;
    bool asks = false;
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        if (a == "--write" && i + 1 < argc) header = argv[++i];
        else if (a.starts_with("-")) asks = true;
        else files.push_back(a);
    }
    if (asks || files.empty()) {
        std::fprintf(stderr, "usage: tune_table TIMES.csv... [--write HEADER]\n");
        return 2;
    }
    try {
        return run(files, header);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "tune_table: %s\n", e.what());
        return 1;
    }
}
