// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace inlay_bench {

namespace {

constexpr std::size_t rotated_bytes = std::size_t(128) << 20;
constexpr int least_launches = 8, most_launches = 4096;

int copies_of(std::size_t bytes) {
    const std::size_t n = rotated_bytes / std::max<std::size_t>(bytes, 1) + 1;
    return static_cast<int>(std::clamp<std::size_t>(n, 2, most_launches));
}

/// Two right kernels may differ by their rounding; more is an error.
double tolerance(DType type) {
    return type == DType::f16 ? 2e-3 : type == DType::bf16 ? 1.6e-2 : 1e-4;
}

std::string field(const std::string& key, double v) {
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, ", \"%s\": %.5g", key.c_str(), v);
    return std::isfinite(v) ? buffer : ", \"" + key + "\": null";
}

}  // namespace

std::size_t Case::declare(index_t n, DType type, bool input, float deviation) {
    inlay::require(launches_ == 0, name_, ": an operand is declared after the first one was used");
    slots_.push_back({n, type, input, deviation});
    return slots_.size() - 1;
}

void Case::place() {
    if (launches_ != 0) return;
    std::size_t inputs = 0;
    for (Slot& s : slots_) {
        s.stride = (static_cast<std::size_t>(s.elements) * inlay::bytes(s.type) + 511) / 512 * 512;
        if (s.input) inputs += s.stride;
    }
    const int copies = copies_of(inputs);
    launches_ = std::max(copies, least_launches);
    double total = 0;
    std::uint64_t seed = 1;
    for (Slot& s : slots_) {
        total += static_cast<double>(s.elements) * static_cast<double>(inlay::bytes(s.type));
        s.copies = s.input ? copies : std::min(copies, copies_of(s.stride));
        const std::size_t bytes = s.stride * static_cast<std::size_t>(s.copies);
        s.base = bench_.arena(bytes);
        if (s.input)
            fill_normals(bench_.stream(), s.base, static_cast<index_t>(bytes / inlay::bytes(s.type)), s.type, seed++,
                         s.deviation);
    }
    if (bytes_ == 0) bytes_ = total;
}

int Case::launches() {
    place();
    return launches_;
}

void* Case::at(std::size_t slot, int i) {
    place();
    const Slot& s = slots_[slot];
    return s.base + s.stride * static_cast<std::size_t>(i % s.copies);
}

std::size_t Case::result() const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
        if (!slots_[i].input) return i;
    inlay::fail(name_ + ": no output was declared");
}

void Case::poison() {
    void* const p = at(result(), 0);
    inlay::on_gpu::check(cudaMemsetAsync(p, 0xff, slots_[result()].stride, bench_.stream()), "cudaMemsetAsync");
}

void Case::enter(const std::string& name, bool peer, std::function<void(int)> launch) {
    inlay::require(us_.empty(), name_, ": ", name, " is added after all was timed");
    place();
    poison();
    launch(0);
    bench_.synchronize();
    entries_.push_back(
        {name, peer, std::make_unique<Replay>(bench_.device(), bench_.stream(), launches_, std::move(launch))});
    entries_.back().replay->run();  // the timed results are also the compared ones
}

void Case::measure() {
    if (!us_.empty()) return;
    inlay::require(!entries_.empty(), name_, ": there is nothing to time");
    std::vector<Replay*> replays;
    for (const Entry& e : entries_) replays.push_back(e.replay.get());
    const std::vector<double> us = in_turn(replays, bench_.rounds());
    for (std::size_t i = 0; i < us.size(); ++i) {
        const auto [at, fresh] = (entries_[i].peer ? peers_ : us_).emplace(entries_[i].name, us[i]);
        if (!fresh) at->second = std::min(at->second, us[i]);
    }
}

void Case::keep_result() {
    const Slot& s = slots_[result()];
    kept_ = bench_.arena(s.stride);
    inlay::on_gpu::check(cudaMemcpyAsync(kept_, s.base, s.stride, cudaMemcpyDeviceToDevice, bench_.stream()),
                          "cudaMemcpyAsync");
    const Distance d = distance(bench_.stream(), kept_, kept_, s.elements, s.type);
    if (d.nans > 0) text("wrong", std::to_string(d.nans) + " elements are NaN or were not written");
}

void Case::compare(const std::string& with) {
    const Slot& s = slots_[result()];
    if (!kept_) return;
    const Distance d = distance(bench_.stream(), kept_, s.base, s.elements, s.type);
    compared_ = true;
    worst_l2_ = std::max(worst_l2_, d.relative_l2);
    if (!(d.relative_l2 <= tolerance(s.type)))
        text("wrong", "relative L2 distance " + std::to_string(d.relative_l2) + " from " + with);
}

void Case::peer(const std::string& library, const std::vector<Candidate>& candidates) {
    place();
    const auto run = [this](const Candidate& c, int i) {
        Operands o{};
        std::size_t n = 0;
        for (std::size_t s = 0; s < slots_.size(); ++s)
            if (slots_[s].input && n < 4) o.in[n++] = at(s, i);
        o.out = at(result(), i);
        c.launch(o, bench_.stream());
    };
    const Candidate* best = nullptr;
    double least = 0;
    std::string why = "the library has no way to do it";
    for (const Candidate& c : candidates) {
        try {
            run(c, 0);
            bench_.synchronize();
            const double us = bench_.time(
                std::min(launches_, 256), [&](int i) { run(c, i); }, true);
            if (!best || us < least) best = &c, least = us;
        } catch (const inlay::Error& e) {  // one that does not take these operands
            why = e.what();
        }
    }
    if (!best) {
        std::printf("%s: %s is no peer: %s\n", name_.c_str(), library.c_str(), why.c_str());
        return;
    }
    enter(library, true, [run, c = *best](int i) { run(c, i); });
    compare(library);
}

void Case::number(const std::string& key, double v) {
    extra_ += field(key, v);
}
void Case::text(const std::string& key, const std::string& v) {
    extra_ += ", \"" + key + "\": \"" + v + "\"";
}

std::string Case::row() {
    std::string row = "{\"name\": \"" + name_ + "\"";
    for (const auto& [key, us] : us_) row += field(key, us);
    const auto best =
        std::min_element(peers_.begin(), peers_.end(), [](auto& a, auto& b) { return a.second < b.second; });
    if (best != peers_.end()) {
        row += ", \"peer\": \"" + best->first + "\"" + field("peer_us", best->second) +
               field("ratio", best->second / us());
        std::string all;
        for (const auto& [name, us] : peers_) all += field(name, us);
        row += ", \"peers\": {" + all.substr(2) + "}";
    }
    const double gbs = 1e-3 * bytes_ / us(), tflops = 1e-6 * flops_ / us();
    const double of_copy = gbs / bench_.ceilings().copy_gbs();
    // The matrix ceiling is that of the 16-bit units.
    const bool matrix = flops_ > 0 && slots_[result()].type != DType::f32 && bench_.ceilings().matrix_tflops() > 0;
    const double of_matrix = matrix ? tflops / bench_.ceilings().matrix_tflops() : 0;
    row += field("gbs", gbs);
    if (flops_ > 0) row += field("tflops", tflops) + field("flops", flops_) + ", \"accumulator\": \"fp32\"";
    row += field("bytes", bytes_) + field("fraction", std::max(of_copy, of_matrix));
    row += std::string(", \"bound\": \"") + (of_matrix > of_copy ? "matrix" : "memory") + "\"";
    row += std::string(", \"dtype\": \"") + inlay::name(slots_[result()].type) + "\"";
    if (compared_) row += field("relative_l2", worst_l2_);
    std::printf("%-64s %9.2f us  %3.0f%% of %s", name_.c_str(), us(), 100 * std::max(of_copy, of_matrix),
                of_matrix > of_copy ? "matrix" : "memory");
    if (best != peers_.end())
        std::printf("  %s %9.2f us  x%.2f", best->first.c_str(), best->second, best->second / us());
    if (extra_.find("\"wrong\"") != std::string::npos) std::printf("  WRONG");
    std::printf("\n");
    return row + extra_ + "}";
}

}  // namespace inlay_bench
