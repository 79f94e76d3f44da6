// SPDX-License-Identifier: Apache-2.0
/// Host time of an op beyond that of its kernel: a small product launched bare and through PyTorch's dispatcher, and the
/// time of preparing it, which the op saves where it is called with the same memory. The least of 40 rounds, one
/// thread. On a GPU a round is what its queue takes, and the device ends it outside of the time.
#include "geglu_linear.cpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#if defined(__CUDACC__)
constexpr at::DeviceType place = at::kCUDA;
Cuda& own_target() {
    static Cuda target(0, c10::cuda::getCurrentCUDAStream(0));
    return target;
}
#else
constexpr at::DeviceType place = at::kCPU;
Host& own_target() {
    static Host cpu(1);
    return cpu;
}
#endif

template <class F>
double nanoseconds(F f) {
    constexpr int runs = 500;
    double least = 1e9;
    for (int round = 0; round < 40; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (int n = 0; n < runs; ++n) f();
        const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
        least = std::min(least, time.count() / runs);
        own_target().synchronize();
    }
    return least;
}

int main() {
    const c10::InferenceMode no_gradients;
    const at::Tensor x = at::randn({1, 16, 32}, place), weight = at::randn({1024, 16}, place),
                     bias = at::randn({1024}, place), residual = at::randn({1, 16, 1024}, place);
    at::Tensor y = at::empty({1, 16, 1024}, place);
    const Call<float> call{y.device()};
    const auto with = [&](auto f) {
        const auto both = read<3>(call, x, "x");
        return f(write<3>(call, y), read<2>(call, weight, "weight"), narrow(both, 2, 0, 16), narrow(both, 2, 16, 16),
                 read<1>(call, bias, "bias"), read<3>(call, residual, "residual"));
    };
    const auto kernel = with([](const auto&... t) { return prepare<geglu>(t...); });
    const auto op = c10::Dispatcher::singleton()
                        .findSchemaOrThrow("inlay_ops::geglu_linear", "")
                        .typed<decltype(geglu_linear::result)>();
    at::set_num_threads(1);

    const double bare = nanoseconds([&] { kernel.run(own_target()); });
    for (int n = 0; n < 1000; ++n) op.call(x, weight, bias, residual);  // all memory that the allocator takes turns with
    const double called = nanoseconds([&] { op.call(x, weight, bias, residual); });
    const double preparing = nanoseconds([&] { with([](const auto&... t) { prepare<geglu>(t...); }); });
    const double finding = nanoseconds([&] { with([](const auto&... t) { prepared<geglu>(t...); }); });
    std::printf("bare launch %.0f ns, op %.0f ns: %.0f ns more; its tensors bound and prepared %.0f ns, found again "
                "%.0f ns\n",
                bare, called, called - bare, preparing, finding);
}
