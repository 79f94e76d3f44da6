// SPDX-License-Identifier: Apache-2.0
/// The two loops, called as the target calls them, where rows and columns end within a vector, a piece and a block. The
/// frame is tested in tests/frame.
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/reduce.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace inlay;

template <class Op>
double folded(const std::vector<float>& v, index_t first, index_t n, index_t step) {
    double r = Op::identity;
    for (index_t i = 0; i < n; ++i) r = Op::combine(r, double(v[static_cast<std::size_t>(first + i * step)]));
    return Op::finish(r, static_cast<double>(n));
}
std::vector<float> numbers(index_t n) {
    std::vector<float> v;
    for (index_t i = 0; i < n; ++i) v.push_back(static_cast<float>((i * 37) % 101) - 40);
    return v;
}

/// [m, n] by rows and by columns, with an epilogue that doubles.
template <class Op>
void both(index_t m, index_t n) {
    on_host::Threads threads(2);
    const auto v = numbers(m * n);
    const Tensor<const float, 2> in(v.data(), {{m, n}});
    std::vector<float> by_row(static_cast<std::size_t>(m), -1), by_column(static_cast<std::size_t>(n), -1);
    struct rows : Reduce<Op, Axes<1>, Buf<0>, Mul<Out, Const<2.0>>> {};
    struct columns : Reduce<Op, Axes<0>, Buf<0>, Mul<Out, Const<2.0>>> {};
    const auto r = prepare<rows>(Tensor<float, 2>(by_row.data(), {{m, 1}}), in);
    const auto c = prepare<columns>(Tensor<float, 2>(by_column.data(), {{1, n}}), in);
    on_host::reduce_rows<Op>(threads, Extents<2>{{m, 1}}, Extents<2>{{1, n}}, static_cast<double>(n), get<0>(r.in),
                             r.epilogue, r.sink);
    on_host::reduce_columns<Op>(threads, Extents<2>{{1, n}}, Extents<2>{{m, 1}}, static_cast<double>(m), get<0>(c.in),
                                c.epilogue, c.sink);
    for (index_t i = 0; i < m; ++i) {
        const double want = 2 * folded<Op>(v, i * n, n, 1);
        EXPECT_NEAR(by_row[static_cast<std::size_t>(i)], want, 1e-6 * std::abs(want)) << m << ' ' << n << " at " << i;
    }
    for (index_t j = 0; j < n; ++j) {
        const double want = 2 * folded<Op>(v, j, m, n);
        EXPECT_NEAR(by_column[static_cast<std::size_t>(j)], want, 1e-6 * std::abs(want))
            << m << ' ' << n << " at " << j;
    }
}

TEST(HostReduce, AnyEnd) {
    for (const index_t m : {1, 3, 64, 65, 130})
        for (const index_t n : {1, host_lanes - 1, host_lanes + 1, 1023, 1025, 2050}) {
            both<reduction::Sum>(m, n);
            both<reduction::Max>(m, n);
        }
    both<reduction::Mean>(65, 1025);
    both<reduction::Min>(65, 1025);
}
// 64 rows at a time in float: ones beyond 2^24 are still counted.
TEST(HostReduce, LongSumsDoNotStop) {
    on_host::Threads threads(1);
    const float one = 1;
    float row = 0, column = 0;
    const index_t n = (1 << 24) + 1024;
    struct rows : Reduce<reduction::Sum, Axes<1>> {};
    struct columns : Reduce<reduction::Sum, Axes<0>> {};
    const Extents<2> result{{1, 1}}, wide{{1, n}}, high{{n, 1}}, still{};
    const auto r = prepare<rows>(Tensor<float, 2>(&row, result), Tensor<const float, 2>(&one, wide, still));
    const auto c = prepare<columns>(Tensor<float, 2>(&column, result), Tensor<const float, 2>(&one, high, still));
    on_host::reduce_rows<reduction::Sum>(threads, result, wide, 0, get<0>(r.in), r.epilogue, r.sink);
    on_host::reduce_columns<reduction::Sum>(threads, result, high, 0, get<0>(c.in), c.epilogue, c.sink);
    EXPECT_EQ(row, static_cast<float>(n));
    EXPECT_EQ(column, static_cast<float>(n));
}

}  // namespace
