// SPDX-License-Identifier: Apache-2.0
/// The worked example of a frame in docs/adding.md: rows scaled to length 1, on the host and on the oracle.
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace inlay;

/// The row operation. Its functions run on the host and on the device.
struct NormalizeRow {
    double eps;

    template <class Row>
    INLAY_FN void operator()(Row& row) const {
        using F = typename Row::value;
        const F by = F(1) / math::sqrt(row.sum_of_squares() + static_cast<F>(eps));
        row.each([by](const auto& x) { return x * by; });
    }
};

/// y = x / √(Σ x² + Eps) over the last axis. Holes: input expression, epilogue over Out, sink.
template <class In = Buf<0>, class Epilogue = Out, class S = Store<0>, double Eps = 1e-12, class Schedule = Auto>
struct Normalize : frame_tag {
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    using calls = rows_member;
    static constexpr int weights = 0;
    static constexpr const char* kind = "normalize";

    template <int R>
    static Problem<R> shape(const Extents<R>& in) {
        static_assert(R >= 1, "inlay: the input of Normalize has extents [..., C]");
        require(in.back(0) > 0, name<Normalize>(), ": the input ", text(in), " has no channels");
        return {in, 3.0 * static_cast<double>(count(in))};
    }
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        target.rows(p.problem.out, get<0>(p.in), NormalizeRow{Eps}, p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

struct cosine : Normalize<Silu<Buf<0>>, Mul<Out, Param<0>>, Permuted<Store<0>, 1, 0>> {};

TEST(DocsFrame, RunsOnTheHostAndTheOracle) {
    std::vector<float> x, y(12);
    std::vector<double> exact(12);
    for (int i = 0; i < 12; ++i) x.push_back(0.5f * static_cast<float>(i) - 2);
    const auto in = tensor(x.data(), 3, 4);
    Host cpu;
    prepare<cosine>(tensor(y.data(), 4, 3), in, 2.0).run(cpu);
    Oracle oracle;
    prepare<cosine>(tensor(exact.data(), 4, 3), in, 2.0).run(oracle);
    for (std::size_t row = 0; row < 3; ++row) {
        double squares = 0;
        const auto silu = [&](std::size_t j) {
            const double v = x[row * 4 + j];
            return v / (1 + std::exp(-v));
        };
        for (std::size_t j = 0; j < 4; ++j) squares += silu(j) * silu(j);
        for (std::size_t j = 0; j < 4; ++j) {
            const double expected = 2 * silu(j) / std::sqrt(squares + 1e-12);
            EXPECT_NEAR(y[j * 3 + row], expected, 1e-6);
            EXPECT_NEAR(exact[j * 3 + row], expected, 1e-12);
        }
    }
}

TEST(DocsFrame, RefusesRowsOfNothing) {
    std::vector<float> none(1);
    EXPECT_THROW(prepare<Normalize<>>(tensor(none.data(), 3, 0), tensor(none.data(), 3, 0)), Error);
}

}  // namespace
