// SPDX-License-Identifier: Apache-2.0
/// Tensors of the tests, random ones among them, and how far apart two are.
#pragma once

#include <inlay/exec/tensor.hpp>

#include <cmath>
#include <limits>
#include <random>
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
    const double r = error == 0 ? 0 : std::sqrt(error / norm);
    return std::isnan(r) ? std::numeric_limits<double>::infinity() : r;  // of an infinity: std::max would lose NaN
}
/// The least error an output in T can have.
template <class T>
double rounding_of(const std::vector<double>& exact) {
    std::vector<double> r;
    for (const double x : exact) r.push_back(inlay::from_storage<double>(inlay::to_storage<T>(x)));
    return relative_l2(r, exact);
}

}  // namespace inlay_test
