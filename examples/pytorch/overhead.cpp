// SPDX-License-Identifier: Apache-2.0
/// Host time of an op beyond that of its kernel: a product of 16 elements, launched bare, through PyTorch's dispatcher,
/// and prepared anew at each call. Medians of 5 rounds.
#include "geglu_linear.cpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

template <class F>
double nanoseconds(F f) {
    constexpr int runs = 20000;
    std::array<double, 5> rounds;
    for (double& round : rounds) {
        const auto begin = std::chrono::steady_clock::now();
        for (int n = 0; n < runs; ++n) f();
        round = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / runs;
    }
    std::ranges::sort(rounds);
    return rounds[2];
}

int main() {
    const c10::InferenceMode no_gradients;
    const at::Tensor x = at::randn({1, 1, 32}), weight = at::randn({16, 16}), bias = at::randn({16}),
                     residual = at::randn({1, 1, 16});
    at::Tensor y = at::empty({1, 1, 16});
    const Call<float> call{y.device()};
    const auto with = [&](auto f) {
        return f(write<3>(call, y), read<2>(call, weight, "weight"), read<3>(call, x.narrow(2, 0, 16), "x"),
                 read<3>(call, x.narrow(2, 16, 16), "x"), read<1>(call, bias, "bias"),
                 read<3>(call, residual, "residual"));
    };
    const auto kernel = with([](const auto&... t) { return prepare<geglu>(t...); });
    Host cpu(1);
    const auto op = c10::Dispatcher::singleton()
                        .findSchemaOrThrow("inlay_ops::geglu_linear", "")
                        .typed<decltype(geglu_linear::result)>();
    at::set_num_threads(1);

    const double bare = nanoseconds([&] { kernel.run(cpu); });
    const double called = nanoseconds([&] { op.call(x, weight, bias, residual); });
    const double again = nanoseconds([&] { with([&](const auto&... t) { prepare<geglu>(t...).run(cpu); }); });
    const double product = nanoseconds([&] { at::linear(x.narrow(2, 0, 16), weight, bias); });
    std::printf("bare launch %.0f ns, op %.0f ns: %.0f ns over it; prepared at each call %.0f ns over it; "
                "at::linear of these sizes takes %.0f ns\n",
                bare, called, called - bare, again - bare, product);
}
