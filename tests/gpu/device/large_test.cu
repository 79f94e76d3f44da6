// SPDX-License-Identifier: Apache-2.0
/// Tensors of more than 2^31 elements: every kernel counts them in 64 bits. They are filled and checked on the device,
/// where each element follows from its index.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

constexpr index_t beyond = (index_t(1) << 31) + 12345;

struct negated : Elementwise<Neg<Buf<0>>> {};
struct joined_turned : Elementwise<Permute<Concat<0, Buf<0>, Neg<Buf<0>>>, 1, 0>> {};
struct softmax : Softmax<Mul<Buf<0>, Const<0.0>>, Mul<Out, Buf<0>>> {};
struct row_maxima : Reduce<reduction::Max, Axes<-1>> {};
struct columns : Reduce<reduction::Max, Axes<0>> {};
struct product : Linear<Buf<0>, Out, Store<0>, Tiled<64, 64, 64>> {};

/// Whole numbers that fp16 holds, different for neighbours in any layout.
struct Pattern {
    __host__ __device__ float operator()(index_t i) const {
        return static_cast<float>((static_cast<unsigned long long>(i) * 2654435761ull >> 12) % 1021) - 510;
    }
};

__global__ void fill(fp16* x, index_t n) {
    for (index_t i = blockIdx.x * index_t(blockDim.x) + threadIdx.x; i < n; i += index_t(gridDim.x) * blockDim.x)
        x[i] = fp16(Pattern()(i));
}
/// Counts the elements that are not want(i).
template <class F>
__global__ void compare(const fp16* x, index_t n, F want, unsigned long long* wrong) {
    for (index_t i = blockIdx.x * index_t(blockDim.x) + threadIdx.x; i < n; i += index_t(gridDim.x) * blockDim.x)
        if (!(static_cast<float>(x[i]) == want(i))) atomicAdd(wrong, 1ull);
}

class Large : public ::testing::Test {
protected:
    static Cuda& gpu() {
        static Cuda one(0);
        return one;
    }
    /// n halves, or a skipped test where the device has no room.
    fp16* take(index_t n, bool filled) {
        const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(fp16);
        const auto use = on_gpu::memory_use(gpu().device());
        if (use.total - use.used < bytes + (std::size_t(1) << 30)) return nullptr;
        memory.emplace_back(bytes);
        auto* x = static_cast<fp16*>(memory.back().data());
        if (filled) {
            fill<<<4096, 256, 0, gpu().stream()>>>(x, n);
            on_gpu::check(cudaGetLastError(), "fill");
        }
        else on_gpu::check(cudaMemsetAsync(x, 0xff, bytes, gpu().stream()), "cudaMemsetAsync");
        return x;
    }
    template <class F>
    void expect(const fp16* x, index_t n, F want) {
        DeviceMemory count(sizeof(unsigned long long));
        auto* wrong = static_cast<unsigned long long*>(count.data());
        on_gpu::check(cudaMemsetAsync(wrong, 0, sizeof *wrong, gpu().stream()), "cudaMemsetAsync");
        compare<<<4096, 256, 0, gpu().stream()>>>(x, n, want, wrong);
        on_gpu::check(cudaGetLastError(), "compare");  // else the count would stay 0
        unsigned long long n_wrong = 1;
        on_gpu::check(cudaMemcpyAsync(&n_wrong, wrong, sizeof n_wrong, cudaMemcpyDeviceToHost, gpu().stream()),
                       "cudaMemcpyAsync");
        gpu().synchronize();
        EXPECT_EQ(n_wrong, 0u);
    }

    std::vector<DeviceMemory> memory;
};

#define INLAY_TAKE(x, n, filled) \
    fp16* const x = take(n, filled); \
    if (!x) GTEST_SKIP() << "the GPU has no room for " << (n) << " halves"

struct Negated {
    __device__ float operator()(index_t i) const { return -Pattern()(i); }
};
TEST_F(Large, Map) {
    INLAY_TAKE(x, beyond, true);
    INLAY_TAKE(y, beyond, false);
    prepare<negated>(tensor(y, beyond), tensor(x, beyond)).run(gpu());
    expect(y, beyond, Negated());
}

/// Of [rows, 2], whose second column is the first one negated: more than 2^31 elements, with a stride of that many.
struct Turned {
    __device__ float operator()(index_t i) const { return i % 2 ? -Pattern()(i / 2) : Pattern()(i / 2); }
};
TEST_F(Large, Views) {
    constexpr index_t rows = beyond / 2 + 3;
    INLAY_TAKE(x, rows, true);
    INLAY_TAKE(y, 2 * rows, false);
    prepare<joined_turned>(tensor(y, rows, 2), tensor(x, 1, rows)).run(gpu());
    expect(y, 2 * rows, Turned());
}

/// The softmax of equal numbers is 1 / width, which the epilogue multiplies with them.
struct Scaled {
    float by;
    __device__ float operator()(index_t i) const { return Pattern()(i) * by; }
};
TEST_F(Large, Rows) {
    constexpr index_t width = 1024, rows = beyond / width + 3;
    INLAY_TAKE(x, rows * width, true);
    INLAY_TAKE(y, rows * width, false);
    prepare<softmax>(tensor(y, rows, width), tensor(x, rows, width)).run(gpu());
    expect(y, rows * width, Scaled{1.0f / width});
}

struct Greatest {
    index_t n, step, stride;
    __device__ float operator()(index_t i) const {
        float most = -1000;
        for (index_t j = 0; j < n; ++j) most = fmaxf(most, Pattern()(i * step + j * stride));
        return most;
    }
};
TEST_F(Large, Reductions) {
    constexpr index_t width = 1032, rows = beyond / width + 3;
    INLAY_TAKE(x, rows * width, true);
    INLAY_TAKE(most, rows, false);
    prepare<row_maxima>(tensor(most, rows, 1), tensor(x, rows, width)).run(gpu());
    expect(most, rows, Greatest{width, width, 1});
    INLAY_TAKE(column, width, false);
    prepare<columns>(tensor(column, 1, width), tensor(x, rows, width)).run(gpu());
    expect(column, width, Greatest{rows, 1, width});
}

/// w has one 1 in each row, so that the product repeats columns of x.
struct Repeated {
    index_t n, k;
    __device__ float operator()(index_t i) const { return Pattern()(i / n * k + i % n % k); }
};
TEST_F(Large, Product) {
    constexpr index_t m = 70000, n = 32768, k = 64;
    INLAY_TAKE(x, m * k, true);
    INLAY_TAKE(w, n * k, false);
    INLAY_TAKE(y, m * n, false);
    std::vector<fp16> ones(n * k, fp16(0.0f));
    for (index_t j = 0; j < n; ++j) ones[static_cast<std::size_t>(j * k + j % k)] = fp16(1.0f);
    gpu().upload(w, ones.data(), ones.size() * sizeof(fp16));
    prepare<product>(tensor(y, m, n), tensor(w, n, k), tensor(x, m, k)).run(gpu());
    expect(y, m * n, Repeated{n, k});
}

}  // namespace
