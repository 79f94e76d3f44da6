// SPDX-License-Identifier: Apache-2.0
/// Helpers of the tests of expressions: data, environments, and an expression evaluated everywhere by the host's
/// vectors, by single floats and by the double oracle, which must agree.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/expr/reference.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/row.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace inlay_test {

using namespace inlay;

/// A tensor that owns its data: first, first + step, …
template <class T, int R>
struct Data {
    std::vector<T> memory;
    Tensor<T, R> tensor;

    Data(const Extents<R>& e, double first, double step) : memory(static_cast<std::size_t>(count(e))) {
        for (std::size_t i = 0; i < memory.size(); ++i)
            memory[i] = to_storage<T>(first + step * static_cast<double>(i));
        tensor = Tensor<T, R>(memory.data(), e);
    }
    Data(const Extents<R>& e, std::initializer_list<double> values) : Data(e, 0, 0) {
        std::size_t i = 0;
        for (double v : values) memory[i++] = to_storage<T>(v);
    }
    double at(const Extents<R>& c) const { return from_storage<double>(tensor(c)); }
};
template <class T = float, class... I>
auto ramp(double first, double step, I... extents) {
    return Data<T, static_cast<int>(sizeof...(I))>({{static_cast<index_t>(extents)...}}, first, step);
}

/// Slots bound in order.
template <class... D>
auto slots(const D&... d) {
    return Env<-1, 0, std::remove_cvref_t<decltype(d.tensor)>...>{make_pack(d.tensor...), {}, {}};
}
template <int P, class... D>
auto slots_and(const std::array<Scalar, P>& scalars, const D&... d) {
    Env<-1, P, std::remove_cvref_t<decltype(d.tensor)>...> env{make_pack(d.tensor...), {}, {}};
    for (int i = 0; i < P; ++i) env.scalars[i] = scalars[static_cast<std::size_t>(i)];
    return env;
}

/// The values of E in row-major order, in float. Fails where vectors, single floats and the oracle (within `tolerance`,
/// relative to 1 or the value) disagree.
template <class E, class Environment>
std::vector<float> values(const Environment& env, double tolerance = 1e-6) {
    constexpr int R = rank_of<E, Environment>;
    const Extents<R> e = extents_of<E>(env);
    const auto bound = bind<E>(env);
    std::vector<float> v(static_cast<std::size_t>(count(e)));
    if constexpr (R == 0) {
        v[0] = value_at<float>(bound, e);
    } else if (count(e) > 0) {
        const index_t n = e.back(0);
        for (index_t i = 0; i < count(e); i += n) on_host::evaluate_row(bound, unravel(i, e), n, v.data() + i);
    }
    for (index_t i = 0; i < count(e); ++i) {
        const auto c = unravel(i, e);
        const double exact = reference<E>(env, c);
        const float x = v[static_cast<std::size_t>(i)], one = value_at<float>(bound, c);
        const double twice = value_at<double>(bound, c);
        if (std::isnan(exact)) {
            EXPECT_TRUE(std::isnan(x) && std::isnan(one) && std::isnan(twice)) << name<E>() << " at " << text(c);
        } else if (std::isinf(exact)) {
            EXPECT_TRUE(x == exact && one == exact && twice == exact) << name<E>() << " at " << text(c);
        } else {
            const double room = tolerance * std::max(1.0, std::fabs(exact));
            EXPECT_NEAR(x, exact, room) << name<E>() << " at " << text(c);
            EXPECT_NEAR(one, exact, room) << name<E>() << " at " << text(c);
            EXPECT_NEAR(twice, exact, 1e-12 * std::max(1.0, std::fabs(exact))) << name<E>() << " at " << text(c);
        }
    }
    return v;
}

/// The sentence of the error that f throws, or "".
template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

}  // namespace inlay_test
