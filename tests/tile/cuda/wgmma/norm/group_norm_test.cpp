// SPDX-License-Identifier: Apache-2.0
/// GroupNorm by clusters: splits by hand at sizes that an emulator can take, with one block and several, pixels that do
/// not divide, groups that end within a chunk, every kind of input.
#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/frame/norm.hpp>
#include <inlay/tile/cuda/norm.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs GroupNorm in ranges of Span channels, with blocks of Threads; `parts`: blocks of a cluster.
template <int Span, int Threads>
struct With {
    static constexpr int schedule = Span;
    on_gpu::Launcher& l;
    int parts;

    template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
    void group_norm(const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
        on_gpu::read_and_written(e, in, epilogue, sink, [&](const auto& source, const auto& where, const auto& drain) {
            using Source = std::remove_cvref_t<decltype(source)>;
            const auto plan =
                GroupNormSplit::split(l.device().shared_bytes, e[0], count(e) / (e[0] * e[R - 1]), e[R - 1], Groups,
                                      sizeof(typename Source::element), Span, parts, Threads);
            ASSERT_EQ(plan.span, Span);
            on_gpu::group_norm(l, on_gpu::GroupNormClusters(plan), source, where, eps, gamma, beta, epilogue, drain);
        });
    }
    template <class S>
    void publish_stats(const S&) {}
};

struct plain : GroupNorm<8> {};
struct silu_of : GroupNorm<4, Buf<0>, Silu<Out>> {};
struct skip : GroupNorm<4, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};
struct sum : GroupNorm<4, Add<Buf<0>, Buf<1>>> {};

template <class K, int Span, int Threads, class T, int R, class... A>
void expect_teams(const Extents<R>& e, A&... arrays) {
    for (const int team : {1, 2, 6, 8}) expect_schedule<K, With<Span, Threads>, T>(team, e, arrays...);
}

TEST(GroupNormClusters, GroupsThatEndWithinAChunk) {
    auto x = gaussian<fp16>(1, 3, 1, 2, 7, 9, 80);
    auto g = normal<fp16>(2, 80), b = normal<fp16>(3, 80);
    expect_teams<plain, 40, 64, fp16>(x.extents, g, b, x);
    expect_teams<plain, 80, 128, fp16>(x.extents, g, b, x);
}
TEST(GroupNormClusters, Storage) {
    auto x = normal<bf16>(1, 2, 5, 9, 64);
    auto g = normal<bf16>(2, 64), b = normal<bf16>(3, 64);
    expect_teams<silu_of, 32, 32, bf16>(x.extents, g, b, x);
    auto f = gaussian<float>(1, 3, 1, 1, 11, 7, 64);
    auto gf = normal<float>(2, 64), bf = normal<float>(3, 64);
    expect_teams<silu_of, 16, 96, float>(f.extents, gf, bf, f);
}
TEST(GroupNormClusters, Inputs) {
    auto left = normal<fp16>(5, 2, 4, 6, 20), right = normal<fp16>(6, 2, 4, 6, 12);
    auto g = normal<fp16>(7, 32);
    expect_schedule<skip, With<16, 64>, fp16>(2, Extents<4>{{2, 4, 6, 32}}, g, g, left, right);
    auto x = normal<fp16>(1, 2, 5, 7, 32), add = normal<fp16>(2, 2, 1, 1, 32);
    expect_teams<sum, 16, 64, fp16>(x.extents, g, g, x, add);
}

// Sums of squares would lose the variance: at a mean of 1000 all of its digits.
TEST(GroupNormClusters, LargeMeans) {
    for (const double mean : {10.0, 1000.0}) {
        auto x = gaussian<fp16>(1, mean, 1, 2, 9, 15, 64);
        auto g = normal<fp16>(2, 64), b = normal<fp16>(3, 64);
        expect_teams<silu_of, 32, 32, fp16>(x.extents, g, b, x);
    }
}

}  // namespace
