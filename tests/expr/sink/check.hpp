// SPDX-License-Identifier: Apache-2.0
/// A result written through a sink by the oracle and by the host's rows, which must agree.
#pragma once

#include <expr/check.hpp>

#include <inlay/exec/oracle.hpp>
#include <inlay/frame/elementwise.hpp>

namespace {
using namespace inlay_test;

/// Runs Elementwise<Buf<0>, S> through the oracle and the host's rows.
template <class S, class X, class... Y>
void store(const X& x, Y&... y) {
    const auto k = prepare<Elementwise<Buf<0>, S>>(y.tensor..., x.tensor);
    Oracle oracle;
    k.run(oracle);
    const auto expected = std::make_tuple(y.memory...);
    const auto clear = [](auto& d) {
        for (auto& v : d.memory) v = to_storage<std::remove_reference_t<decltype(v)>>(-1.0);
    };
    (clear(y), ...);
    constexpr int R = std::remove_cvref_t<decltype(k.problem.out)>::rank;
    const auto& e = k.problem.out;
    for (index_t i = 0; i < count(e); i += e.back(0)) {
        const auto c = unravel(i, e);
        std::vector<float> row(static_cast<std::size_t>(e.back(0)));
        on_host::evaluate_row(get<0>(k.in), c, e.back(0), row.data());
        // In two halves, as a tile would.
        auto half = c;
        half[R - 1] = e.back(0) / 2;
        on_host::write_row(k.sink, c, half[R - 1], row.data());
        on_host::write_row(k.sink, half, e.back(0) - half[R - 1], row.data() + half[R - 1]);
    }
    EXPECT_TRUE(expected == std::make_tuple(y.memory...)) << name<S>();
}

const auto x = ramp(1, 1, 2, 3, 8);

}  // namespace
