// SPDX-License-Identifier: Apache-2.0
/// Comparisons of the tests of the frames: a kernel runs on the executor under test in several ways (the CPU with one,
/// two and three threads; a GPU twice, and on unaligned tensors), and on the oracle in double from the same stored
/// inputs; outputs are NaN before. What must be equal bit for bit is, and all is as near the oracle as the storage type
/// allows. g++ and clang test `Host`, nvcc tests `Cuda`, clang as HIP `Hip`.
#pragma once

#if defined(__CUDACC__) || defined(__HIP__)
#include "on_gpu.hpp"
#else
#include "on_host.hpp"
#endif
#include "torch_cases.hpp"

#include <exec/sentence.hpp>

#include <inlay/exec/oracle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace inlay_test {

/// Extents of the outputs of a kernel with several.
template <int... R>
std::tuple<Extents<R>...> outputs(const Extents<R>&... e) {
    return {e...};
}
template <int... R>
std::tuple<Extents<R>...> as_outputs(const std::tuple<Extents<R>...>& e) {
    return e;
}
template <int R>
std::tuple<Extents<R>> as_outputs(const Extents<R>& e) {
    return {e};
}

/// One run of K on a target into fresh outputs full of NaN.
template <class K, Storage T, class Target, int... R, class... Args>
std::tuple<Array<T, R>...> run(Target& target, const std::tuple<Extents<R>...>& outs, const Args&... args) {
    constexpr double poison = std::numeric_limits<double>::quiet_NaN();
    auto arrays =
        std::apply([](const auto&... e) { return std::tuple<Array<T, R>...>(Array<T, R>(e, poison)...); }, outs);
    std::apply([&](auto&... a) { execute<K>(target, *a..., args...); }, arrays);
    return arrays;
}
/// A weight rearranged for the executor under test. `groups`: of a convolution.
template <Storage T, int R>
class PackedWeight {
    using Target = std::remove_reference_t<decltype(executor())>;

public:
    explicit PackedWeight(const Tensor<T, R>& w, index_t groups = 1)
        : memory_(sizeof(T) * static_cast<std::size_t>(Target::packed_size(
                                  groups, w.extents[0] / groups, w.size() / w.extents[0]))),
          packed_(executor().pack(w, static_cast<T*>(memory_.data()), groups)) {}
    const auto& operator*() const { return packed_; }

private:
    typename Target::Memory memory_;
    inlay::Packed<T, R> packed_;
};

template <class... A>
std::vector<double> joined(const std::tuple<A...>& arrays) {
    std::vector<double> all;
    std::apply([&](const auto&... a) {
        (..., [&] {
            const auto d = doubles(a.v);
            all.insert(all.end(), d.begin(), d.end());
        }());
    }, arrays);
    return all;
}
template <class... A>
bool same_bits(const std::tuple<A...>& a, const std::tuple<A...>& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (... && (std::get<I>(a).v.size() == std::get<I>(b).v.size() &&
                        (std::get<I>(a).v.empty() ||
                         std::memcmp(std::get<I>(a).v.data(), std::get<I>(b).v.data(),
                                     std::get<I>(a).v.size() * sizeof std::get<I>(a).v[0]) == 0)));
    }(std::index_sequence_for<A...>{});
}

struct Compared {
    std::vector<double> values, oracle;
    double error = 0, rounding = 0;
};

/// Runs K with outputs of T on the executor under test, in every way it has, and on the oracle.
template <class K, Storage T, class Outs, class... Args>
Compared compare(const Outs& out, const Args&... args) {
    const auto outs = as_outputs(out);
    const auto first = run<K, T>(executor(1), outs, args...);
    inlay::Oracle oracle;
    Compared c{joined(first), joined(run<K, double>(oracle, outs, args...)), 0, 0};
    c.error = relative_l2(c.values, c.oracle);
    c.rounding = rounding_of<T>(c.oracle);
    every_other_way([&](auto& target, Same same, const char* way) {
        const auto again = run<K, T>(target, outs, args...);
        if (same == Same::bits) EXPECT_TRUE(same_bits(first, again)) << inlay::name<K>() << ": other results " << way;
        else c.error = std::max(c.error, relative_l2(joined(again), c.oracle));
    });
    return c;
}

/// fp32 kernels may be off by this much, relative L2; 16-bit outputs besides by 1.25 times what rounding them costs.
inline constexpr double fp32_error = 1e-6;
inline double tolerance(const Compared& c) { return fp32_error + 1.25 * c.rounding; }
/// Of a matrix product whose operands are computed in the kernel, by a prologue or as an attention's probabilities: an
/// engine of 16 bits rounds them to `Operand`.
template <Storage Operand>
double tolerance_computing(const Compared& c) {
    return fp32_error + 1.25 * std::hypot(c.rounding, rounds_operands<Operand> ? rounding_of<Operand>(c.oracle) : 0);
}

template <class K, Storage T, class Outs, class... Args>
void expect_oracle(const Outs& out, const Args&... args) {
    const Compared c = compare<K, T>(out, args...);
    EXPECT_LE(c.error, tolerance(c)) << inlay::name<K>() << " in " << inlay::name(inlay::dtype_of<T>) << ", "
                                     << c.values.size() << " elements";
}
template <class K, Storage T, Storage Operand = T, class Outs, class... Args>
void expect_oracle_computing(const Outs& out, const Args&... args) {
    const Compared c = compare<K, T>(out, args...);
    EXPECT_LE(c.error, tolerance_computing<Operand>(c))
        << inlay::name<K>() << " in " << inlay::name(inlay::dtype_of<T>) << ", " << c.values.size() << " elements";
}

#ifndef INLAY_TEST_SEEDS
#define INLAY_TEST_SEEDS 5
#endif
/// `error(case, seed)` for every case of an op, median of the seeds, is at most 1.25 times PyTorch's.
template <Storage T, class F>
void expect_torch(const std::string& op, F&& error) {
    const std::vector<TorchCase> cases = torch_cases(torch_errors, op);
    EXPECT_FALSE(cases.empty()) << "golden/" << torch_errors << " has no cases of " << op;
    for (const TorchCase& c : cases) {
        std::vector<double> e;
        for (unsigned seed = 0; seed < INLAY_TEST_SEEDS; ++seed) e.push_back(error(c, seed));
        std::sort(e.begin(), e.end());
        std::string shape;
        for (const index_t n : c.shape) (shape += ' ') += std::to_string(n);
        const std::string type = inlay::name(inlay::dtype_of<T>);
        EXPECT_LE(e[e.size() / 2], 1.25 * c.errors.at(type))
            << op << shape << ", mean " << c.mean << ", " << type << ": PyTorch's error is " << c.errors.at(type);
    }
}

/// A schedule for tests to which it does not matter: `Auto` compiles several, each of seconds on a GPU.
using Small = inlay::Tiled<32, 32, 32, 2>;

// A unit of the GPU's tests takes one of them, for the compiler's sake.
#ifndef INLAY_TEST_TYPES
#define INLAY_TEST_TYPES float, inlay::fp16, inlay::bf16
#endif
using StorageTypes = ::testing::Types<INLAY_TEST_TYPES>;
struct StorageNames {
    template <class T>
    static std::string GetName(int) {
        return inlay::name(inlay::dtype_of<T>);
    }
};

}  // namespace inlay_test
