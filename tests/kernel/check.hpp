// SPDX-License-Identifier: Apache-2.0
/// How the tests of the frames compare: a kernel runs on the host with one, two and three threads, and on the oracle in
/// double from the same stored inputs; outputs are NaN before. The host's results must be equal bit for bit, and as
/// near the oracle as the storage type allows.
#pragma once

#include <inlay/exec/host.hpp>
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace inlay_test {

using inlay::Extents;
using inlay::index_t;
using inlay::Storage;
using inlay::Tensor;

/// A dense tensor that owns its elements.
template <Storage T, int R>
struct Array {
    std::vector<T> v;
    Extents<R> extents;

    Array(const Extents<R>& e, double value)
        : v(static_cast<std::size_t>(count(e)), inlay::to_storage<T>(value)), extents(e) {}
    Tensor<T, R> operator*() { return {v.data(), extents}; }
    Tensor<const T, R> operator*() const { return {v.data(), extents}; }
    double at(const Extents<R>& c) const { return inlay::from_storage<double>((**this)(c)); }
};

/// Full of NaN.
template <Storage T, class... I>
auto unwritten(I... extents) {
    return Array<T, sizeof...(I)>({{static_cast<index_t>(extents)...}}, std::numeric_limits<double>::quiet_NaN());
}
/// mean + deviation times a standard normal, rounded to T.
template <Storage T, class... I>
auto gaussian(unsigned seed, double mean, double deviation, I... extents) {
    Array<T, sizeof...(I)> a({{static_cast<index_t>(extents)...}}, 0);
    std::mt19937 engine(seed * 7919u + 1);
    std::normal_distribution<double> draw(mean, deviation);
    for (T& x : a.v) x = inlay::to_storage<T>(draw(engine));
    return a;
}
template <Storage T, class... I>
auto normal(unsigned seed, I... extents) {
    return gaussian<T>(seed, 0, 1, extents...);
}

inline inlay::Host& threads(int n) {
    static inlay::Host one(1), two(2), three(3);
    return n == 1 ? one : n == 2 ? two : three;
}

template <class T>
std::vector<double> doubles(const std::vector<T>& v) {
    std::vector<double> d;
    for (const T& x : v) d.push_back(inlay::from_storage<double>(x));
    return d;
}
inline double relative_l2(const std::vector<double>& x, const std::vector<double>& exact) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i]) != std::isnan(exact[i])) return std::numeric_limits<double>::infinity();
        if (std::isnan(exact[i]) || x[i] == exact[i]) continue;
        error += (x[i] - exact[i]) * (x[i] - exact[i]);
        norm += exact[i] * exact[i];
    }
    return error == 0 ? 0 : std::sqrt(error / norm);
}
/// The least error an output in T can have.
template <class T>
double rounding_of(const std::vector<double>& exact) {
    std::vector<double> r;
    for (const double x : exact) r.push_back(inlay::from_storage<double>(inlay::to_storage<T>(x)));
    return relative_l2(r, exact);
}

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

/// One run of K into fresh outputs full of NaN.
template <class K, Storage T, class Target, int... R, class... Args>
std::tuple<Array<T, R>...> run(Target& target, const std::tuple<Extents<R>...>& outs, const Args&... args) {
    constexpr double poison = std::numeric_limits<double>::quiet_NaN();
    auto arrays =
        std::apply([](const auto&... e) { return std::tuple<Array<T, R>...>(Array<T, R>(e, poison)...); }, outs);
    std::apply([&](auto&... a) { inlay::prepare<K>(*a..., args...).run(target); }, arrays);
    return arrays;
}
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
    std::vector<double> host, oracle;
    double error = 0, rounding = 0;
};

/// Runs K with outputs of T on the host (three numbers of threads, one of them twice) and on the oracle.
template <class K, Storage T, class Outs, class... Args>
Compared compare(const Outs& out, const Args&... args) {
    const auto outs = as_outputs(out);
    const auto first = run<K, T>(threads(1), outs, args...);
    for (const int n : {2, 3, 3})
        EXPECT_TRUE(same_bits(first, run<K, T>(threads(n), outs, args...)))
            << inlay::name<K>() << " depends on the number of threads (" << n << ") or on the run";
    inlay::Oracle oracle;
    Compared c{joined(first), joined(run<K, double>(oracle, outs, args...)), 0, 0};
    c.error = relative_l2(c.host, c.oracle);
    c.rounding = rounding_of<T>(c.oracle);
    return c;
}

/// fp32 kernels may be off by this much, relative L2; 16-bit outputs besides by 1.25 times what rounding them costs.
inline constexpr double fp32_error = 1e-6;

template <class K, Storage T, class Outs, class... Args>
void expect_oracle(const Outs& out, const Args&... args) {
    const Compared c = compare<K, T>(out, args...);
    EXPECT_LE(c.error, fp32_error + 1.25 * c.rounding)
        << inlay::name<K>() << " in " << inlay::name(inlay::dtype_of<T>) << ", " << c.host.size() << " elements";
}

/// What PyTorch's own kernels are off by, from golden/kernel_errors.json.
struct TorchCase {
    std::vector<index_t> shape;
    double mean;
    nlohmann::json errors;
    double error(inlay::DType t) const { return errors.at(inlay::name(t)); }
};
inline std::vector<TorchCase> torch_cases(const std::string& op) {
    std::ifstream file(INLAY_TESTS_DIR "/golden/kernel_errors.json");
    std::vector<TorchCase> found;
    const auto golden = nlohmann::json::parse(file);
    for (const auto& c : golden.at("cases"))
        if (c.at("op") == op) found.push_back({c.at("shape"), c.at("mean"), c.at("errors")});
    if (found.empty()) ADD_FAILURE() << "golden/kernel_errors.json has no cases of " << op;
    return found;
}
/// `error(case, seed)` for every case of an op, median of 5 seeds, is at most 1.25 times PyTorch's.
template <Storage T, class F>
void expect_torch(const std::string& op, F&& error) {
    for (const TorchCase& c : torch_cases(op)) {
        std::vector<double> e;
        for (unsigned seed = 0; seed < 5; ++seed) e.push_back(error(c, seed));
        std::sort(e.begin(), e.end());
        std::string shape;
        for (const index_t n : c.shape) shape += " " + std::to_string(n);
        EXPECT_LE(e[2], 1.25 * c.error(inlay::dtype_of<T>))
            << op << shape << ", mean " << c.mean << ", " << inlay::name(inlay::dtype_of<T>) << ": PyTorch's error is "
            << c.error(inlay::dtype_of<T>);
    }
}

using StorageTypes = ::testing::Types<float, inlay::half, inlay::bf16>;
struct StorageNames {
    template <class T>
    static std::string GetName(int) {
        return inlay::name(inlay::dtype_of<T>);
    }
};

/// The sentence of the error that `f` throws; empty when it does not.
template <class F>
std::string sentence(F&& f) {
    try {
        f();
    } catch (const inlay::Error& e) {
        return e.what();
    }
    return "";
}

}  // namespace inlay_test
