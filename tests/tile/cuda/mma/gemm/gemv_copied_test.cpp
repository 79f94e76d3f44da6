// SPDX-License-Identifier: Apache-2.0
/// Products of a few rows that are read as they are stored: every number of rows, shares that do not divide the
/// columns, more blocks than multiprocessors, sums of less than a slot, of fewer slots than warps and of many; rows
/// apart, rows of zeros, batches of weights, weights that are packed; what an epilogue reads and where a sink writes.
#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/exec/packed.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs products with the kernel, whatever their sizes would choose.
struct Streamed {
    static constexpr int schedule = 0;
    on_gpu::Launcher& l;
    int parts;

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        const auto a = on_gpu::matmul_args(s, w, in, rows, epilogue, sink, place);
        ASSERT_TRUE(s.m <= gemv_rows && streams_weights<Rows>(s, a.w, in));
        on_gpu::gemv_copied(l, a);
    }
    template <class S>
    void publish_stats(const S&) {}
};

struct plain : Linear<> {};
struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct sliced : Linear<Slice<Buf<0>, -1, 8, 136>, Add<Mul<Out, Buf<1>>, Buf<2>>> {};
struct pieces : Linear<Buf<0>, Add<Mul<Out, Concat<-1, Buf<1>, Buf<2>>>, Buf<3>>> {};
struct places : Linear<Buf<0>, Add<Out, Mul<Buf<1>, Coord<-1>>>> {};
struct parted : Linear<Buf<0>, Add<Out, Buf<1>>, Partition<-1, Store<0>, Store<1>>> {};
struct padded : Conv2D<Filter<1, 1, 1, 1, 0>, Buf<0>, Silu<Add<Out, Buf<1>>>> {};

template <class T>
Array<T, 2> weight(index_t n, index_t k) {
    return gaussian<T>(2, 0, 1 / std::sqrt(static_cast<double>(k)), n, k);
}
template <class T>
void expect(index_t m, index_t n, index_t k) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
    auto x = normal<T>(1, m, k), w = weight<T>(n, k);
    auto b = normal<T>(3, n);
    expect_schedule<biased, Streamed, T>(1, Extents<2>{{m, n}}, w, x, b);
}

TEST(GemvCopied, EveryNumberOfRows) {
    for (index_t m = 1; m <= gemv_rows; ++m) expect<fp16>(m, 70, 328);
}
TEST(GemvCopied, Columns) {
    const index_t units = executor().launcher().device().multiprocessors;
    for (const index_t n : {index_t(1), index_t(17), units + 1, 16 * units, 16 * units + 1, 32 * units, 33 * units})
        expect<fp16>(3, n, 64);
}
TEST(GemvCopied, Sums) {
    for (const index_t k : {8, 40, 64, 72, 1024, 1032, 2048, 3080, 4096, 6152, 8128}) expect<fp16>(5, 40, k);
}
TEST(GemvCopied, Bf16) {
    expect<bf16>(8, 700, 72);
    expect<bf16>(2, 33, 1288);
}
TEST(GemvCopied, RowsApart) {
    auto x = normal<fp16>(1, 2, 3, 160), r = normal<fp16>(4, 2, 3, 50);
    auto w = weight<fp16>(50, 136);
    auto b = normal<fp16>(3, 50);
    expect_schedule<sliced, Streamed, fp16>(1, Extents<3>{{2, 3, 50}}, w, x, b, r);
}
TEST(GemvCopied, RowsOfZeros) {
    auto x = normal<fp16>(1, 1, 1, 2, 72), w = gaussian<fp16>(2, 0, 0.1, 40, 1, 1, 72);
    auto b = normal<fp16>(3, 40);
    expect_schedule<padded, Streamed, fp16>(1, Extents<4>{{1, 2, 3, 40}}, w, x, b);
}
TEST(GemvCopied, BatchesOfWeights) {
    const index_t units = executor().launcher().device().multiprocessors;
    for (const index_t batch : {index_t(3), 2 * units}) {
        auto x = normal<fp16>(1, batch, 2, 72), w = gaussian<fp16>(2, 0, 0.1, batch, 35, 72);
        expect_schedule<plain, Streamed, fp16>(1, Extents<3>{{batch, 2, 35}}, w, x);
    }
}
/// Leaves of other types, pieces and coordinates: what is kept in registers while the sum is made, and what is not.
TEST(GemvCopied, Epilogues) {
    auto x = normal<fp16>(1, 3, 72), w = weight<fp16>(40, 72);
    auto left = normal<fp16>(4, 3, 24);
    auto right = normal<bf16>(5, 3, 16);
    auto b = normal<float>(3, 40);
    expect_schedule<pieces, Streamed, fp16>(1, Extents<2>{{3, 40}}, w, x, left, right, b);
    Array<std::int32_t, 1> whole(Extents<1>{{40}}, 0);
    for (int i = 0; i < 40; ++i) whole.v[static_cast<std::size_t>(i)] = i % 5 - 2;
    expect_schedule<places, Streamed, fp16>(1, Extents<2>{{3, 40}}, w, x, whole);
}
/// Outputs of one type, and of two.
template <class Second>
void expect_parts() {
    auto x = normal<fp16>(1, 3, 72), w = weight<fp16>(40, 72);
    auto b = normal<fp16>(3, 40);
    Array<fp16, 2> y(Extents<2>{{3, 40}}, 0), first(Extents<2>{{3, 24}}, 0);
    Array<Second, 2> second(Extents<2>{{3, 16}}, 0);
    execute<biased>(executor(), *y, *w, *x, *b);
    Placed in(x), weights(w), to_first(first);
    Placed bias(b);
    Placed to_second(second);
    Streamed target{executor().launcher(), 1};
    prepare<parted>(*to_first, *to_second, *weights, *in, *bias).run(target);
    to_first.fetch(), to_second.fetch();
    for (std::size_t i = 0; i < 120; ++i) {
        const std::size_t r = i / 40, j = i % 40;
        EXPECT_EQ(float(y.v[i]), j < 24 ? float(first.v[r * 24 + j]) : float(fp16(float(second.v[r * 16 + j - 24]))));
    }
}
TEST(GemvCopied, Outputs) {
    expect_parts<fp16>();
    expect_parts<float>();
}
/// Packed weights are loaded before the kernel before has ended; nothing else is.
TEST(GemvCopied, PackedWeights) {
    auto x = normal<fp16>(1, 5, 2056), w = weight<fp16>(40, 2056);
    auto b = normal<fp16>(3, 40);
    Array<fp16, 2> y(Extents<2>{{5, 40}}, 0), of_packed(y);
    Placed in(x), weights(w), to(y), to_packed(of_packed);
    Placed bias(b);
    Streamed target{executor().launcher(), 1};
    prepare<biased>(*to, *weights, *in, *bias).run(target);
    prepare<biased>(*to_packed, Packed<fp16, 2>{(*weights).data, w.extents}, *in, *bias).run(target);
    to.fetch(), to_packed.fetch();
    EXPECT_EQ(std::memcmp(y.v.data(), of_packed.v.data(), y.v.size() * sizeof(fp16)), 0);
}
/// Memory behind a row of weights does not count, not even as a product with 0. As the frame chooses kernels.
TEST(GemvCopied, InfinityInTheNextRow) {
    auto x = normal<fp16>(1, 1, 72), w = weight<fp16>(20, 72);
    x.v[0] = fp16(1.0f), w.v[72] = fp16::from_bits(0x7c00);
    Array<fp16, 2> y(Extents<2>{{1, 20}}, 0);
    execute<plain>(executor(), *y, *w, *x);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(std::isinf(float(y.v[i])), i == 1) << float(y.v[i]);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_FALSE(std::isnan(float(y.v[i])));
}

}  // namespace
