// SPDX-License-Identifier: Apache-2.0
/// Tensors of doubles with extents of run time, and plain loops over them, for an interpreter of terms.
#pragma once

#include <inlay/core/extents.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace inlay_test {

using inlay::index_t;
using Sizes = std::vector<index_t>;

struct Value {
    Sizes extents;
    std::vector<double> v;

    Value() = default;
    explicit Value(Sizes e) : extents(std::move(e)), v(static_cast<std::size_t>(elements(extents))) {}
    static index_t elements(const Sizes& e) {
        index_t n = 1;
        for (const index_t x : e) n *= x;
        return n;
    }
    int rank() const { return static_cast<int>(extents.size()); }
    index_t size() const { return elements(extents); }
    index_t last() const { return extents.back(); }
    index_t rows() const { return size() / last(); }

    std::size_t place(const Sizes& c) const {
        index_t i = 0;
        for (std::size_t a = 0; a < extents.size(); ++a) {
            if (c.at(a) < 0 || c[a] >= extents[a]) throw std::out_of_range("a coordinate outside its tensor");
            i = i * extents[a] + c[a];
        }
        return static_cast<std::size_t>(i);
    }
    double& operator()(const Sizes& c) { return v.at(place(c)); }
    double operator()(const Sizes& c) const { return v.at(place(c)); }
    double& operator[](index_t i) { return v.at(static_cast<std::size_t>(i)); }
    double operator[](index_t i) const { return v.at(static_cast<std::size_t>(i)); }
    /// As an operand of a pointwise operation at a coordinate of the result.
    double broadcast(const Sizes& c) const {
        Sizes own(extents.size());
        for (std::size_t a = 0; a < own.size(); ++a) {
            const index_t x = c.at(c.size() - own.size() + a);
            own[a] = extents[a] == 1 ? 0 : x;
        }
        return (*this)(own);
    }
    Sizes coordinate(index_t i) const {
        Sizes c(extents.size());
        for (std::size_t a = extents.size(); a-- > 0; i /= extents[a]) c[a] = i % extents[a];
        return c;
    }
};

/// Calls f with each coordinate and stores the result there.
template <class F>
Value filled(Sizes extents, F f) {
    Value r(std::move(extents));
    for (index_t i = 0; i < r.size(); ++i) r[i] = f(r.coordinate(i));
    return r;
}
inline Value normal_value(std::mt19937& random, Sizes extents, double mean = 0) {
    std::normal_distribution<double> normal(mean, 1);
    return filled(std::move(extents), [&](const Sizes&) { return normal(random); });
}

/// Extents of operands under NumPy's broadcasting.
template <class... T>
Sizes broadcast_sizes(const T&... t) {
    Sizes r;
    const auto join = [&](const Sizes& e) {
        if (e.size() > r.size()) r.insert(r.begin(), e.size() - r.size(), 1);
        for (std::size_t i = 1; i <= e.size(); ++i) {
            index_t& x = r[r.size() - i];
            const index_t y = e[e.size() - i];
            if (x != 1 && y != 1 && x != y) throw std::invalid_argument("extents that do not broadcast");
            x = x == 1 ? y : x;
        }
    };
    (join(t.extents), ...);
    return r;
}
template <class F, class... T>
Value pointwise_value(F f, const T&... t) {
    return filled(broadcast_sizes(t...), [&](const Sizes& c) { return f(t.broadcast(c)...); });
}
inline std::size_t axis_of_value(index_t axis, const Value& x) {
    return static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
}

/// |got − want| / |want|; extents that differ are an infinite error.
inline double error_of(const Value& got, const Value& want) {
    if (got.extents != want.extents) return HUGE_VAL;
    double difference = 0, whole = 0;
    for (std::size_t i = 0; i < want.v.size(); ++i) {
        difference += (got.v[i] - want.v[i]) * (got.v[i] - want.v[i]);
        whole += want.v[i] * want.v[i];
    }
    return whole == 0 ? std::sqrt(difference) : std::sqrt(difference / whole);
}

}  // namespace inlay_test
