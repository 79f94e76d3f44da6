// SPDX-License-Identifier: Apache-2.0
/// Times reads of memory: `read_memory [THREADS [BYTES [TIMES]]]` prints the bytes a second of each read, in GB/s.
/// Threads read a share each, from its beginning to its end, and add the numbers up.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

/// Sums of 16 numbers side by side, which is enough of them for any vector unit.
std::uint64_t sum_of(const std::uint64_t* from, std::size_t count) {
    std::uint64_t sums[16] = {}, all = 0;
    for (std::size_t i = 0; i + 16 <= count; i += 16)
        for (std::size_t j = 0; j < 16; ++j) sums[j] += from[i + j];
    for (const std::uint64_t sum : sums) all += sum;
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int i, double otherwise) { return argc > i ? std::atof(argv[i]) : otherwise; };
    const auto threads = static_cast<std::size_t>(number(1, 2)), times = static_cast<std::size_t>(number(3, 7));
    const auto share = static_cast<std::size_t>(number(2, 1e9)) / threads / 8;
    std::vector<std::uint64_t> memory(threads * share, 1);
    std::vector<std::uint64_t> sums(threads);
    for (std::size_t t = 0; t < times; ++t) {
        const auto begin = std::chrono::steady_clock::now();
        std::vector<std::thread> readers;
        for (std::size_t i = 0; i < threads; ++i)
            readers.emplace_back([&, i] { sums[i] = sum_of(memory.data() + i * share, share); });
        for (std::thread& r : readers) r.join();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        for (const std::uint64_t sum : sums)
            if (sum != share / 16 * 16) return std::fputs("read_memory: a sum is wrong\n", stderr), 1;
        std::printf("%.3f\n", static_cast<double>(8 * threads * share) / spent.count() * 1e-9);
    }
}
