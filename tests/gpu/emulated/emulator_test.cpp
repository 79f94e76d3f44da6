// SPDX-License-Identifier: Apache-2.0
/// The emulator itself: wrong kernels end with the sentence that says what is wrong with them, right ones compute.
#include "check.hpp"

#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/cuda/mma/atom.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cmath>
#include <cstring>
#include <random>

namespace emulator_test {

// Launches by address.

__global__ void adds(float* to, char by, double twice) { *to += static_cast<float>(by + 2 * twice); }
TEST(Emulator, TakesArgumentsByTheirAddresses) {
    const Floats to(std::vector<float>(1, 5.0f));
    char by = 3;
    double twice = 10;
    float* where = to.p;
    void* arguments[] = {&where, &by, &twice};
    cudaLaunchConfig_t config{};
    config.blockDim = 1;
    config.gridDim = 1;
    const auto address = reinterpret_cast<const void*>(adds);
    EXPECT_EQ(cudaLaunchKernelExC(&config, address, arguments), cudaErrorInvalidDeviceFunction)
        << "its types are not there yet";
    cudaFuncAttributes attributes;
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, adds), cudaSuccess);
    EXPECT_EQ(cudaLaunchKernelExC(&config, address, arguments), cudaSuccess);
    EXPECT_EQ(to.get()[0], 28.0f);
}

// Copies in the background.

/// Two groups of copies, of which all but `Left` are waited for before the words are read.
template <int Left, bool AtLast>
__global__ void copies(float* to, const float* from) {
    extern __shared__ __align__(16) char memory[];
    const std::uint32_t here = shared_address(memory) + threadIdx.x * 32;
    copy_async(here, from + threadIdx.x * 8);
    copy_commit();
    copy_async_part<16>(here + 16, from + threadIdx.x * 8 + 4, 8);
    copy_commit();
    copy_wait<Left>();
    for (int i = 0; i < 8; ++i) to[threadIdx.x * 8 + i] = reinterpret_cast<const float*>(memory)[threadIdx.x * 8 + i];
    if (AtLast) copy_wait<0>();
}
TEST(Emulator, CopiesArriveAtTheWaitForTheirGroup) {
    const Floats from(counting(512)), to(std::vector<float>(512));
    EXPECT_EQ(error_of({1, 64, 2048}, copies<0, true>, to.p, from.p), "");
    for (int i = 0; i < 512; ++i) EXPECT_EQ(to.get()[i], i % 8 < 6 ? i : 0);
    EXPECT_EQ(error_of({1, 64, 2048}, copies<1, true>, to.p, from.p), "");
    for (int i = 0; i < 512; ++i) EXPECT_EQ(std::isnan(to.get()[i]), i % 8 >= 4);
    EXPECT_SAYS(error_of({1, 64, 2048}, copies<2, false>, to.p, from.p),
                "it returns while a copy of 16 bytes is under way for which it has not waited");
}
__global__ void copies_from(const char* from) {
    extern __shared__ __align__(16) char memory[];
    copy_async(shared_address(memory), from);
    copy_commit();
    copy_wait<0>();
}
TEST(Emulator, CopiesAreChecked) {
    const Floats from(counting(16));
    const char* const p = reinterpret_cast<const char*>(from.p);
    EXPECT_EQ(error_of({1, 1, 16}, copies_from, p + 48), "");
    EXPECT_SAYS(error_of({1, 1, 16}, copies_from, p + 4), "not a multiple of as many");
    EXPECT_SAYS(error_of({1, 1, 16}, copies_from, p + 52), "cp.async of 16 bytes at");
    EXPECT_SAYS(error_of({1, 1, 8}, copies_from, p),
                "cp.async of 16 bytes at byte 0 of dynamic shared memory, of which there are 8");
}

// Addresses.

__global__ void stores_shared(int at) {
    extern __shared__ __align__(16) char memory[];
    store_shared(shared_address(memory) + 4 * at, 1.0f);
}
__global__ void stores_plainly(int at) {
    extern __shared__ __align__(16) char memory[];
    reinterpret_cast<float*>(memory)[at] = 1;
}
TEST(Emulator, SharedMemoryHasAnEnd) {
    EXPECT_EQ(error_of({3, 64, 64}, stores_shared, 15), "");
    EXPECT_SAYS(error_of({3, 64, 64}, stores_shared, 16),
                "st.shared of 4 bytes at byte 64 of dynamic shared memory, of which there are 64");
    EXPECT_SAYS(error_of({3, 64, 64}, stores_shared, 16), "emulator_test::stores_shared(int), block ");
    EXPECT_EQ(error_of({3, 64, 64}, stores_plainly, 15), "");
    EXPECT_SAYS(error_of({3, 64, 64}, stores_plainly, 16), "a thread wrote byte 64 of dynamic shared memory");
}
__global__ void stores_global(char* to, int at) { store_global(to + at, 1, 2, 3, 4); }
__global__ void adds_one(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
TEST(Emulator, GlobalMemoryHasAnEnd) {
    const Floats x(counting(64));
    char* const p = reinterpret_cast<char*>(x.p);
    EXPECT_EQ(error_of({1, 1}, stores_global, p, 240), "");
    EXPECT_SAYS(error_of({1, 1}, stores_global, p, 248), "st.global of 16 bytes at");
    EXPECT_SAYS(error_of({1, 1}, stores_global, p, 8), "not a multiple of 16");
    EXPECT_EQ(error_of({2, 32}, adds_one, x.p), "");
    EXPECT_SAYS(error_of({2, 33}, adds_one, x.p), "it reads 4 bytes at");
    EXPECT_SAYS(error_of({1, 65}, adds_one, x.p), "(0 bytes behind an allocation of 256), not all in one allocation");
    EXPECT_EQ(error_of({2, 32}, adds_one, x.p), "") << "an error leaves the device as it was";
}
/// A vector that ends behind an allocation lies in the same 16 bytes as its last elements.
template <class V>
__global__ void loads_plainly(const V* from, V* to, int at) {
    to[0] = from[at];
}
template <class V>
__global__ void stores_plainly_to(V* to, int at) {
    to[at] = V{};
}
TEST(Emulator, GlobalMemoryEndsAtTheByte) {
    const Device<std::uint16_t> x(std::vector<std::uint16_t>(11)), y(std::vector<std::uint16_t>(16));
    const auto* const from = reinterpret_cast<const uint4*>(x.p);
    auto* const to = reinterpret_cast<uint4*>(y.p);
    EXPECT_EQ(error_of({1, 1}, loads_plainly<uint4>, from, to, 0), "");
    EXPECT_SAYS(error_of({1, 1}, loads_plainly<uint4>, from, to, 1), "it reads 16 bytes at");
    EXPECT_SAYS(error_of({1, 1}, loads_plainly<uint4>, from, to, 1), "(byte 16 of an allocation of 22), not all");
    EXPECT_SAYS(error_of({1, 1}, loads_plainly<std::uint16_t>, x.p, y.p, 11), "it reads 2 bytes at");
    EXPECT_SAYS(error_of({1, 1}, loads_plainly<std::uint16_t>, x.p, y.p, -1), "(2 bytes before an allocation of 22)");
    EXPECT_SAYS(error_of({1, 1}, stores_plainly_to<std::uint16_t>, x.p, 11), "it writes 2 bytes at");
    EXPECT_SAYS(error_of({1, 1}, stores_plainly_to<uint4>, reinterpret_cast<uint4*>(x.p), 1), "it writes 16 bytes at");
    EXPECT_EQ(error_of({1, 1}, stores_plainly_to<std::uint16_t>, x.p, 10), "");
}
__global__ void prefetches(const char* p, int at) {
    prefetch_line(p + at);
    after_previous_kernel();
}
TEST(Emulator, PrefetchesNameMemoryThatIsThere) {
    const Floats x(counting(64));
    const char* const p = reinterpret_cast<const char*>(x.p);
    const Grid early{.blocks = 1, .threads = 32, .overlaps = true};
    EXPECT_EQ(error_of(early, prefetches, p, 255), "");
    EXPECT_SAYS(error_of(early, prefetches, p, 256), "a prefetch of what is at");
    EXPECT_SAYS(error_of(early, prefetches, p, 256), "(0 bytes behind an allocation of 256), in no");
}
__global__ void reads_shared(float* to) {
    extern __shared__ __align__(16) char memory[];
    __shared__ float variable[4];
    *to = reinterpret_cast<const float*>(memory)[0] + variable[3];
    variable[3] = reinterpret_cast<float*>(memory)[0] = 0;
}
TEST(Emulator, SharedMemoryBeginsAsNaN) {
    const Floats x({0});
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(error_of({1, 1, 64}, reads_shared, x.p), "");
        EXPECT_TRUE(std::isnan(x.get()[0]));
    }
}
__global__ void recurses(int depth, float* to) {
    volatile float local[1000];
    local[depth % 1000] = static_cast<float>(depth);
    if (depth > 0) recurses(depth - 1, to);
    *to += local[depth % 1000];
}
TEST(Emulator, LocalVariablesHaveAnEnd) {
    const Floats x({0});
    EXPECT_EQ(error_of({1, 1}, recurses, 10, x.p), "");
    EXPECT_SAYS(error_of({1, 1}, recurses, 1000, x.p), "its local variables need more than");
}

// Threads that wait for each other.

__global__ void half_come_to_barrier() {
    if (threadIdx.x < 32) block_sync();
}
__global__ void barriers_differ() {
    if (threadIdx.x < 32) block_sync();
    else block_sync_all(true);
}
__global__ void one_lane_leaves(float* to) {
    if (threadIdx.x == 5) return;
    to[threadIdx.x] = shuffle_xor(1.0f, 1);
}
__global__ void lanes_part(float* to) {
    if (threadIdx.x < 16) to[threadIdx.x] = shuffle_xor(1.0f, 1);
    else warp_sync();
}
__global__ void multiplies_alone(float* to) {
    Atom<fp16>::C c;
    if (threadIdx.x < 31) Atom<fp16>::mma(c, {}, {});
    to[threadIdx.x] = c.r[0];
}
TEST(Emulator, WhoWaitsForNobodyIsNamed) {
    const Floats x(counting(32));
    EXPECT_SAYS(error_of({1, 64}, half_come_to_barrier),
                "deadlock: thread 0 to 31 waits at block_sync (barrier 0); thread 32 to 63 returned");
    EXPECT_SAYS(error_of({1, 64}, barriers_differ), "others wait at ");
    EXPECT_SAYS(error_of({1, 32}, one_lane_leaves, x.p), "thread 5 returned; thread 6 to 31 waits at shuffle_xor");
    EXPECT_SAYS(error_of({1, 32}, lanes_part, x.p), "its warp is torn: lane ");
    EXPECT_SAYS(error_of({1, 32}, multiplies_alone, x.p), "thread 0 to 30 waits at mma.m16n8k16 with mask 0xffffffff");
    EXPECT_SAYS(error_of({1, 16}, multiplies_alone, x.p), "names lanes that the warp does not have");
}
/// Each thread reads what another has written.
template <bool Barrier>
__global__ void turns_around(float* to) {
    __shared__ float row[256];
    row[threadIdx.x] = static_cast<float>(threadIdx.x);
    if (Barrier) block_sync();
    to[threadIdx.x] = row[255 - threadIdx.x];
}
TEST(Emulator, AMissingBarrierShows) {
    const Floats x(counting(256));
    int wrong = 0;
    for (int run = 0; run < 4; ++run) {
        EXPECT_EQ(error_of({1, 256}, turns_around<true>, x.p), "");
        for (int i = 0; i < 256; ++i) EXPECT_EQ(x.get()[static_cast<std::size_t>(i)], 255 - i);
        EXPECT_EQ(error_of({1, 256}, turns_around<false>, x.p), "");
        for (const float v : x.get()) wrong += std::isnan(v);
    }
    EXPECT_GT(wrong, 0);
}

// Blocks that wait for each other.

__global__ void meet_all(unsigned* come, float* to) {
    if (threadIdx.x == 0) {
        add_atomically(come, 1u);
        while (add_atomically(come, 0u) < gridDim.x) {}
    }
    block_sync();
    to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
TEST(Emulator, ResidentBlocksMeet) {
    const Floats come({0}), x(std::vector<float>(8 * 64));
    auto* const counter = reinterpret_cast<unsigned*>(come.p);
    EXPECT_EQ(error_of({8, 64, 0, true}, meet_all, counter, x.p), "");
    for (const float v : x.get()) EXPECT_EQ(v, 1);
    check(cudaMemset(counter, 0, 4), "cudaMemset");
    EXPECT_SAYS(error_of({9, 64, 0, true}, meet_all, counter, x.p), "cudaErrorCooperativeLaunchTooLarge");
    EXPECT_SAYS(error_of({9, 32}, meet_all, counter, x.p), "its threads wait for ever");
}

// Products.

/// C of one atom, from A [16, k] and B [k, 8] of whole numbers.
template <class T>
__global__ void multiplies(float* to, const float* a, const float* b) {
    using Atom = on_gpu::Atom<T>;
    const int lane = static_cast<int>(threadIdx.x);
    typename Atom::A fa;
    typename Atom::B fb;
    typename Atom::C fc;
    const auto word = [&](const float* m, on_gpu::Place first, on_gpu::Place second, int columns) {
        const float x = m[first.row * columns + first.column];
        if constexpr (Atom::per_register == 1) return float_bits(x);
        else return Atom::pack(x, m[second.row * columns + second.column]);
    };
    for (int i = 0; i < 4; ++i) {
        const on_gpu::Place p = Atom::place_a(lane, i);
        fa.r[i] = word(a, p, {p.row, p.column + 1}, Atom::k);
    }
    for (int i = 0; i < 2; ++i) {
        const on_gpu::Place p = Atom::place_b(lane, i);
        fb.r[i] = word(b, p, {p.row + 1, p.column}, 8);
    }
    Atom::mma(fc, fa, fb);
    for (int i = 0; i < 4; ++i) {
        const on_gpu::Place p = Atom::place_c(lane, i);
        to[p.row * 8 + p.column] = fc.r[i];
    }
}
template <class T>
void expect_products() {
    constexpr int k = Atom<T>::k;
    std::mt19937 draw(1);
    std::vector<float> a(16 * k), b(k * 8), want(16 * 8);
    for (float& x : a) x = static_cast<float>(draw() % 17) - 8;
    for (float& x : b) x = static_cast<float>(draw() % 17) - 8;
    for (int i = 0; i < 16 * 8; ++i)
        for (int j = 0; j < k; ++j)
            want[static_cast<std::size_t>(i)] +=
                a[static_cast<std::size_t>(i / 8 * k + j)] * b[static_cast<std::size_t>(j * 8 + i % 8)];
    const Floats da(a), db(b), dc(std::vector<float>(16 * 8));
    EXPECT_EQ(error_of({1, 32}, multiplies<T>, dc.p, da.p, db.p), "");
    EXPECT_EQ(dc.get(), want);
}
TEST(Emulator, Products) {
    expect_products<fp16>();
    expect_products<bf16>();
    expect_products<float>();
}
/// Four matrices as `ldmatrix` spreads them, plain and transposed.
template <bool Transposed>
__global__ void spreads(std::uint32_t* to) {
    extern __shared__ __align__(16) char memory[];
    const unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 256; i += 32)
        reinterpret_cast<std::uint16_t*>(memory)[i] = static_cast<std::uint16_t>(i);
    warp_sync();
    std::uint32_t r[4];
    if (Transposed) load_matrices_transposed(r, shared_address(memory) + lane * 16);
    else load_matrices(r, shared_address(memory) + lane * 16);
    for (int j = 0; j < 4; ++j) to[lane * 4 + j] = r[j];
}
TEST(Emulator, Matrices) {
    const Floats x(std::vector<float>(128));
    for (const bool transposed : {false, true}) {
        EXPECT_EQ(
            error_of({1, 32, 512}, transposed ? spreads<true> : spreads<false>, reinterpret_cast<std::uint32_t*>(x.p)),
            "");
        std::uint32_t words[128];
        std::memcpy(words, x.get().data(), sizeof words);
        for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned j = 0; j < 4; ++j) {
                const unsigned row = lane / 4, column = lane % 4 * 2;
                const auto at = [&](unsigned c) { return j * 64 + (transposed ? c * 8 + row : row * 8 + c); };
                EXPECT_EQ(words[lane * 4 + j], at(column) | at(column + 1) << 16);
            }
    }
}

}  // namespace emulator_test
