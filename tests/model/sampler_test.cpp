// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/oracle.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/model/sampler.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;
using namespace inlay::model;

// The kernels of a step are what the coefficients say, guided and not, clipped or not.
TEST(Sampler, KernelsAreTheCoefficientsUpdate) {
    constexpr index_t images = 2, n = 5, all = images * n;
    std::vector<double> output(2 * all), x(all), before(all), noise(all), to(all), clean(all);
    for (int i = 0; i < 2 * all; ++i) output[static_cast<std::size_t>(i)] = 0.7 * (i % 7) - 2;
    for (int i = 0; i < all; ++i) {
        const auto at = static_cast<std::size_t>(i);
        x[at] = 0.3 * i - 1, before[at] = 0.1 * i, noise[at] = 1 - 0.2 * i;
    }
    StepCoefficients k;
    k.c_x = 0.9f, k.c_out = -0.2f, k.c_denoised = 0.4f, k.c_prev = -0.3f, k.c_noise = 0.6f;
    k.d_x = 1.1f, k.d_out = -0.8f;
    const double guidance = 7.5;
    Oracle oracle;
    for (const float clip : {1.5f, 1e30f})
        for (const bool guided : {false, true}) {
            k.clip = clip;
            const auto shaped = [&](auto& v, index_t batch) { return tensor(v.data(), batch, n); };
            const auto run = [&]<class K>(K, std::vector<double>& y, auto... history) {
                prepare<K>(shaped(y, images), shaped(output, 2 * images), shaped(x, images), history..., images,
                           guidance, k.c_x, k.c_out, k.c_denoised, k.c_prev, k.c_noise, k.d_x, k.d_out, k.clip)
                    .run(oracle);
            };
            if (guided) run(sampler_step_guided{}, to, shaped(before, images), shaped(noise, images));
            else run(sampler_step{}, to, shaped(before, images), shaped(noise, images));
            for (std::size_t i = 0; i < all; ++i) {
                const double plain = output[i], out = guided ? plain + guidance * (output[i + all] - plain) : plain;
                const float d = denoised(k, static_cast<float>(x[i]), static_cast<float>(out));
                EXPECT_NEAR(to[i],
                            stepped(k, static_cast<float>(x[i]), static_cast<float>(out), d,
                                    static_cast<float>(before[i]), static_cast<float>(noise[i])),
                            1e-4)
                    << i << (guided ? " guided" : "") << ", clip " << clip;
            }
        }
}

}  // namespace
