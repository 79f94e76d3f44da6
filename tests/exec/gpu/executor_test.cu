// SPDX-License-Identifier: Apache-2.0
/// Work of executors of all vendors besides frames: data there and back, weights, plans and memory of runs.
#include <exec/in_parts.hpp>

#include <inlay/exec/gpu/executor.hpp>
#include <inlay/exec/gpu/target.hpp>
#include <inlay/frame/elementwise.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace {

using namespace inlay;
using namespace inlay_test;

struct twice : Elementwise<Mul<Buf<0>, Const<2.0>>> {};

std::vector<unsigned char> counted(std::size_t bytes, unsigned char from) {
    std::vector<unsigned char> v(bytes);
    std::iota(v.begin(), v.end(), from);
    return v;
}

// Parts of memory of odd sizes, at odd places, in the order in which they were enqueued.
TEST(GpuExecutor, DataGoesThereAndBack) {
    DeviceTarget gpu(0);
    const DeviceMemory memory = gpu.allocate(100), other = gpu.allocate(100);
    EXPECT_EQ(memory.size(), 100u);
    auto* const there = static_cast<unsigned char*>(memory.data());
    auto* const copied = static_cast<unsigned char*>(other.data());
    auto sent = counted(100, 1);
    gpu.upload(there, sent.data(), 100);
    std::fill(sent.begin(), sent.end(), static_cast<unsigned char>(0xee));  // the source may be reused at once
    gpu.zero(copied, 100);
    gpu.copy(copied + 3, there + 1, 77);
    gpu.zero(there + 40, 11);
    auto want = counted(100, 1), want_copied = std::vector<unsigned char>(100);
    std::copy(want.begin() + 1, want.begin() + 78, want_copied.begin() + 3);
    std::fill(want.begin() + 40, want.begin() + 51, static_cast<unsigned char>(0));
    std::vector<unsigned char> back(100), back_copied(100), part(7);
    gpu.download(back.data(), there, 100);
    gpu.download(back_copied.data(), copied, 100);
    gpu.download(part.data(), there + 93, 7);
    EXPECT_EQ(back, want);
    EXPECT_EQ(back_copied, want_copied);
    EXPECT_EQ(part, counted(7, 94));
}

TEST(GpuExecutor, HasAStreamOfItsOwnOrTheCallers) {
    DeviceTarget first(0), second(0);
    EXPECT_NE(first.stream(), nullptr);
    EXPECT_NE(first.stream(), second.stream());
    EXPECT_EQ(DeviceTarget(0, first.stream()).stream(), first.stream());
    // The one that has borrowed it is gone, and leaves it to its owner.
    const DeviceMemory memory = first.allocate(4);
    std::uint32_t word = 7;
    first.upload(memory.data(), &word, 4);
    first.zero(memory.data(), 4);
    first.download(&word, memory.data(), 4);
    EXPECT_EQ(word, 0u);
}

// From memory of the host or of the device: rows as they lie, so that a packed weight serves as the plain one does.
TEST(GpuExecutor, WeightsAreCopiedAsTheyLie) {
    DeviceTarget gpu(0);
    EXPECT_EQ(DeviceTarget::panel_columns, 0);
    EXPECT_EQ(DeviceTarget::packed_size(2, 5, 7), 70);
    EXPECT_EQ(sentence([] { DeviceTarget::packed_size(2, -5, 7); }),
              "inlay: a weight of 2 blocks [-5, 7] cannot be packed: expected no negative number, and no more than "
              "2^54 elements");
    std::vector<float> w(4 * 1 * 1 * 3), back(w.size());
    std::iota(w.begin(), w.end(), 1.0f);
    const auto want = w;
    const std::size_t bytes = w.size() * sizeof(float);
    const DeviceMemory first = gpu.allocate(bytes), second = gpu.allocate(bytes);
    const auto packed = gpu.pack(tensor(w.data(), 4, 1, 1, 3), static_cast<float*>(first.data()), 2);
    std::fill(w.begin(), w.end(), -1.0f);
    EXPECT_EQ(packed.data, first.data());
    EXPECT_EQ(packed.extents, (Extents<4>{{4, 1, 1, 3}}));
    EXPECT_EQ(packed.groups, 2);
    EXPECT_EQ(packed.panel_columns, 0);
    gpu.pack(tensor(static_cast<const float*>(first.data()), 4, 3), static_cast<float*>(second.data()));
    gpu.download(back.data(), second.data(), bytes);
    EXPECT_EQ(back, want);
    EXPECT_EQ(sentence([&] { gpu.pack(Tensor<float, 2>(w.data(), {{4, 3}}, {{1, 4}}), back.data()); }),
              "inlay: a weight [4, 3] is not dense");
    EXPECT_EQ(sentence([&] { gpu.pack(tensor(w.data(), 4, 1, 1, 3), back.data(), 3); }),
              "inlay: the 4 rows of a weight [4, 1, 1, 3] are not a multiple of 3 groups");
}

TEST(GpuExecutor, LoadsWithoutALaunch) {
    DeviceTarget gpu(0);
    auto a = normal<float>(1, 77), b = unwritten<float>(77);
    Placed x(a), y(b);
    const auto kernel = prepare<twice>(*y, *x);
    gpu.load(kernel);
    y.fetch();
    for (const float v : b.v) ASSERT_TRUE(std::isnan(v));
    kernel.run(gpu);
    gpu.synchronize();
    y.fetch();
    for (std::size_t i = 0; i < a.v.size(); ++i) ASSERT_EQ(b.v[i], 2 * a.v[i]);
}

/// The number of runs that reached a frame.
int frames = 0;
void run_counted(const void* kernel, void* target) {
    ++frames;
    static_cast<const decltype(prepare<twice>(std::declval<Tensor<float, 1>>(), std::declval<Tensor<float, 1>>()))*>(
        kernel)
        ->run(*static_cast<DeviceTarget*>(target));
}

// Told apart by their identities: a kernel that was planned does not reach its frame again, another one does.
TEST(GpuExecutor, RunsAsItWasPlanned) {
    DeviceTarget gpu(0);
    auto a = normal<float>(1, 77), b = unwritten<float>(77), c = unwritten<float>(77);
    Placed x(a), y(b), z(c);
    const auto first = prepare<twice>(*y, *x), second = prepare<twice>(*z, *y);
    const auto one = inlay::detail::new_identity(), two = inlay::detail::new_identity();
    frames = 0;
    gpu.run_planned({one, &first, &gpu, run_counted});
    gpu.run_planned({one, &first, &gpu, run_counted});
    EXPECT_EQ(frames, 1);
    gpu.run_planned({two, &second, &gpu, run_counted});
    EXPECT_EQ(frames, 2);
    gpu.synchronize();
    z.fetch();
    for (std::size_t i = 0; i < a.v.size(); ++i) ASSERT_EQ(c.v[i], 4 * a.v[i]);
}

TEST(GpuExecutor, RunsTakeMemoryThatIsLent) {
    DeviceTarget gpu(0);
    InParts s;
    const auto kernel = s.kernel();
    // 8 sums of the result, or those that are not the block's own.
    const std::size_t bytes = gpu.workspace_bytes(kernel);
    EXPECT_GE(bytes, 7u * 40 * 48 * sizeof(float));
    EXPECT_EQ(gpu.workspace_bytes(), 0u);
    const DeviceMemory memory = gpu.allocate(bytes);
    {
        const auto lent = gpu.lend({memory.data(), memory.size()});
        kernel.run(gpu);
        gpu.synchronize();
        EXPECT_EQ(s.unwritten_elements(), 0u);
        EXPECT_EQ(gpu.workspace_bytes(), 0u);
    }
    kernel.run(gpu);
    gpu.synchronize();
    EXPECT_GE(gpu.workspace_bytes(), 7u * 40 * 48 * sizeof(float));
}

}  // namespace
