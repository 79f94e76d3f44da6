// SPDX-License-Identifier: Apache-2.0
/// A GPU as a target: its stream, and how data gets there and back. What the frames call is tested in tests/frame.
#include <frame/check.hpp>

#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/norm.hpp>

#include <algorithm>
#include <cstring>

namespace {

using namespace inlay;
using namespace inlay_test;

struct twice : Elementwise<Mul<Buf<0>, Const<2.0>>> {};

/// A kernel may be chosen by partial specialisations, which nvcc's two passes must both find.
struct TakesRowsAsStored {
    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const Extents<R>&, const In&, const Op&, const Epilogue&, const Sink&) {
        static_assert(inlay::detail::StoredRows<In, Op, Epilogue, Sink>::packed);
        found = true;
    }
    template <class S>
    void publish_stats(const S&) {}
    bool found = false;
};
struct layer : LayerNorm<> {};
struct rms : RMSNorm<> {};

TEST(Cuda, NormsTakeRowsAsTheyAreStored) {
    auto x = normal<fp16>(1, 3, 64), y = unwritten<fp16>(3, 64);
    auto g = normal<fp16>(2, 64), b = normal<fp16>(3, 64);
    TakesRowsAsStored layers, squares;
    prepare<layer>(*y, *g, *b, *x).run(layers);
    prepare<rms>(*y, *g, *x).run(squares);
    EXPECT_TRUE(layers.found && squares.found);
}

TEST(Cuda, HasAStreamOfItsOwn) {
    Cuda first(0), second(0);
    EXPECT_NE(first.stream(), nullptr);
    EXPECT_NE(first.stream(), second.stream());
    EXPECT_EQ(first.device().index, 0);
}

// On a stream of the caller's, kernels are ordered by it.
TEST(Cuda, RunsOnTheCallersStream) {
    cudaStream_t stream;
    on_gpu::check(cudaStreamCreate(&stream), "cudaStreamCreate");
    {
        Cuda gpu(0, stream);
        EXPECT_EQ(gpu.stream(), stream);
        auto a = normal<float>(1, 5000), b = unwritten<float>(5000);
        Placed x(a), y(b);
        prepare<twice>(*y, *x).run(gpu);
        on_gpu::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        y.fetch();
        for (std::size_t i = 0; i < a.v.size(); ++i) EXPECT_EQ(b.v[i], 2 * a.v[i]);
    }
    cudaStreamDestroy(stream);
}

std::vector<unsigned char> bytes_of(std::size_t n, unsigned seed) {
    std::vector<unsigned char> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<unsigned char>((i * 2654435761u + seed) >> 13);
    return v;
}

// Nothing, less than a piece of the pinned memory, its edges, and more than all of it.
TEST(Cuda, UploadsAndDownloadsAnySize) {
    Cuda gpu(0);
    constexpr std::size_t piece = 4 << 20;
    for (const std::size_t n : {std::size_t(0), std::size_t(1), piece - 1, piece, piece + 1, 5 * piece + 77}) {
        const DeviceMemory there = gpu.allocate(n + 2);
        char* to = static_cast<char*>(there.data()) + 1;  // of no alignment
        gpu.zero(there.data(), n + 2);
        const auto sent = bytes_of(n, 1);
        auto source = sent;
        gpu.upload(to, source.data(), n);
        std::fill(source.begin(), source.end(), static_cast<unsigned char>(0));  // the caller's again
        std::vector<unsigned char> back(n + 2, 1);
        gpu.download(back.data(), there.data(), n + 2);
        EXPECT_EQ(back.front(), 0) << n;
        EXPECT_EQ(back.back(), 0) << n;
        EXPECT_TRUE(std::equal(sent.begin(), sent.end(), back.begin() + 1)) << n;
    }
}
TEST(Cuda, UploadsFollowTheOrderOfTheStream) {
    Cuda gpu(0);
    constexpr index_t n = 1 << 20;
    const DeviceMemory in = gpu.allocate(n * sizeof(float)), out = gpu.allocate(n * sizeof(float));
    const auto k =
        prepare<twice>(tensor(static_cast<float*>(out.data()), n), tensor(static_cast<float*>(in.data()), n));
    std::vector<float> host(n), back(n);
    for (int round = 0; round < 20; ++round) {
        std::fill(host.begin(), host.end(), static_cast<float>(round));
        gpu.upload(in.data(), host.data(), n * sizeof(float));
        k.run(gpu);
    }
    gpu.download(back.data(), out.data(), n * sizeof(float));
    EXPECT_TRUE(std::all_of(back.begin(), back.end(), [](float v) { return v == 38; }));
}
TEST(Cuda, CopiesAndZeroes) {
    Cuda gpu(0);
    const auto sent = bytes_of(1000, 2);
    const DeviceMemory a = gpu.allocate(1000), b = gpu.allocate(1000);
    gpu.upload(a.data(), sent.data(), 1000);
    gpu.copy(b.data(), a.data(), 1000);
    gpu.zero(b.data(), 10);
    std::vector<unsigned char> back(1000);
    gpu.download(back.data(), b.data(), 1000);
    for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(back[i], i < 10 ? 0 : sent[i]) << i;
}
TEST(Cuda, PacksDenseWeightsAsTheyLie) {
    Cuda gpu(0);
    EXPECT_EQ(Cuda::packed_size(3, 1 << 20, 1 << 20), index_t(3) << 40);
    auto w = normal<fp16>(1, 6, 10);
    const DeviceMemory there = gpu.allocate(w.v.size() * sizeof(fp16));
    const auto packed = gpu.pack(*w, static_cast<fp16*>(there.data()));
    EXPECT_EQ(packed.extents, w.extents);
    std::vector<fp16> back(w.v.size());
    gpu.download(back.data(), there.data(), back.size() * sizeof(fp16));
    EXPECT_EQ(std::memcmp(back.data(), w.v.data(), back.size() * sizeof(fp16)), 0);
    const Tensor<fp16, 2> gaps(w.v.data(), {{6, 5}}, {{10, 1}});
    EXPECT_EQ(sentence([&] { gpu.pack(gaps, static_cast<fp16*>(there.data())); }),
              "inlay: a weight [6, 5] is not dense");
}

}  // namespace
