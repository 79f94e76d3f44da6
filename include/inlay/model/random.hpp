// SPDX-License-Identifier: Apache-2.0
/// Latents bit for bit as `torch.randn(..., generator=torch.Generator("cpu"))` of PyTorch 2.15 on x86-64 with AVX2.
///
/// The engine is mt19937, seeded by the low 32 bits. What is drawn from it depends on the length and the dtype:
/// - fewer than 16 numbers: Box-Muller in double, one pair for two numbers; the second waits for the next short call;
/// - 16 or more: one 24-bit uniform each, Box-Muller in fp32 over blocks of 16 (eight radii, then eight angles). A rest
///   that fills no block is covered by a last, overlapping block with uniforms of its own. fp32 draws the uniforms of
///   the rest too and throws them away; fp16 and bf16 work block by block and never draw them. So they are fp32's
///   numbers, rounded, when 16 divides the length, as it does for latents; otherwise the last 16 are others.
///
/// Older versions of PyTorch (2.7, for one) fill fp16 and bf16 in arithmetic of the dtype itself: those numbers are not
/// reproduced here. The fill without AVX2 takes the logarithm and sine of the C library, other in the last bit.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <vector>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::model {

namespace detail {

/// a · b + c, rounded once. Not std::fma, whose body in the standard library clang may take apart under the flags that
/// `INLAY_ORDERED_BEGIN` is for.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/// log of a normal number in (0, 1], by Cephes' polynomial as PyTorch's AVX2 fill evaluates it. The places of the fused
/// multiply-adds are those GCC's contraction chose in PyTorch's build; with these, all of 2^24 normals agree. No other
/// product here is an operand of a plain sum, so no compiler contracts further.
inline float cephes_log(float u) {
    constexpr std::array<float, 8> coefficients = {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
                                                   1.4249322787e-1f,  -1.6668057665e-1f, 2.0000714765e-1f,
                                                   -2.4999993993e-1f, 3.3333331174e-1f};
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(u);
    float exponent = static_cast<float>(static_cast<int>(bits >> 23) - 126);
    float x = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);  // in [1/2, 1)
    if (x < 0.707106781186547524f) {
        exponent -= 1.f;
        x = (x - 1.f) + x;
    } else {
        x = x - 1.f;
    }
    const float z = x * x;
    float y = 7.0376836292e-2f;
    for (const float c : coefficients) y = fused(y, x, c);
    y = y * x;
    y = fused(y, z, exponent * -2.12194440e-4f);
    y = fused(z, -0.5f, y);
    return fused(exponent, 0.693359375f, x + y);
}

struct SinCos {
    float sin, cos;
};

/// Sine and cosine of an angle in [0, 2π], with the same provenance.
inline SinCos cephes_sincos(float angle) {
    const int octant = (static_cast<int>(angle * 1.27323954473516f) + 1) & ~1;  // 4/π, rounded up to even
    const float y = static_cast<float>(octant);
    float x = fused(y, -0.78515625f, angle);  // π/4 in three parts
    x = fused(y, -2.4187564849853515625e-4f, x);
    x = fused(y, -3.77489497744594108e-8f, x);
    const float z = x * x;

    float c = fused(2.443315711809948e-5f, z, -1.388731625493765e-3f);
    c = fused(c, z, 4.166664568298827e-2f);
    c = fused(c * z, z, z * -0.5f);
    c = c + 1.f;

    float s = fused(-1.9515295891e-4f, z, 8.3321608736e-3f);
    s = fused(s, z, -1.6666654611e-1f);
    s = fused(s * z, x, x);

    const bool swapped = (octant & 2) != 0;
    const float sine = swapped ? c : s;
    const float cosine = swapped ? s : c;
    return {(octant & 4) != 0 ? -sine : sine, ((octant + 2) & 4) != 0 ? -cosine : cosine};
}

/// Eight radii and eight angles, uniform in [0, 1), become sixteen normals in place.
inline void box_muller(std::span<float, 16> block) {
    constexpr float two_pi = 6.283185307179586f;
    for (std::size_t i = 0; i < 8; ++i) {
        const float radius = std::sqrt(-2.f * cephes_log(1.f - block[i]));
        const SinCos turn = cephes_sincos(two_pi * block[i + 8]);
        block[i] = radius * turn.cos + 0.f;  // the mean, which turns a −0 into 0
        block[i + 8] = radius * turn.sin + 0.f;
    }
}

inline float rounded_to(DType dtype, float x) {
    switch (dtype) {
        case DType::f16: return static_cast<float>(fp16(x));
        case DType::bf16: return static_cast<float>(bf16(x));
        default: return x;
    }
}

}  // namespace detail

/// `torch.Generator("cpu").manual_seed(seed)`, for normals.
class TorchGenerator {
public:
    explicit TorchGenerator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

    /// `torch.randn(out.size(), generator=*this, dtype=dtype)`: values rounded to the dtype (fp32, fp16 or bf16).
    void randn(std::span<float> out, DType dtype) {
        require(dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16, "random normals are ", name(dtype),
                ", expected fp32, fp16 or bf16");
        if (out.size() < 16) {
            for (float& x : out) x = detail::rounded_to(dtype, static_cast<float>(next_normal()));
            return;
        }
        for (float& x : out.first(dtype == DType::f32 ? out.size() : out.size() / 16 * 16)) x = uniform();
        for (std::size_t i = 0; i + 16 <= out.size(); i += 16) detail::box_muller(out.subspan(i).first<16>());
        if (out.size() % 16 != 0) {
            const std::span<float, 16> end = out.last<16>();
            for (float& x : end) x = uniform();
            detail::box_muller(end);
        }
        for (float& x : out) x = detail::rounded_to(dtype, x);
    }

    std::vector<float> randn(std::size_t n, DType dtype) {
        std::vector<float> out(n);
        randn(out, dtype);
        return out;
    }

private:
    float uniform() { return static_cast<float>(engine_() & 0xffffffu) * 0x1p-24f; }

    double uniform53() {
        const std::uint64_t high = engine_();
        const std::uint64_t low = engine_();
        return static_cast<double>((high << 32 | low) & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
    }

    double next_normal() {
        if (waiting_) {
            const double x = *waiting_;
            waiting_.reset();
            return x;
        }
        const double angle = 2. * std::numbers::pi * uniform53();
        const double radius = std::sqrt(-2. * std::log1p(-uniform53()));
        waiting_ = radius * std::sin(angle);
        return radius * std::cos(angle);
    }

    std::mt19937 engine_;
    std::optional<double> waiting_;
};

/// `torch.randn(n, generator=torch.Generator("cpu").manual_seed(seed), dtype=dtype)`.
inline std::vector<float> torch_randn(std::uint64_t seed, std::size_t n, DType dtype) {
    return TorchGenerator(seed).randn(n, dtype);
}

/// Noise for a batch: `n` numbers from each image's own generator, one image after the other, as diffusers draws it for
/// a list of generators. In torch's order, so an image's numbers run over [channel, row, column].
inline std::vector<float> torch_randn(std::span<TorchGenerator> images, std::size_t n, DType dtype) {
    std::vector<float> out(images.size() * n);
    for (std::size_t i = 0; i < images.size(); ++i) images[i].randn(std::span(out).subspan(i * n, n), dtype);
    return out;
}

/// Noise for the latents of a batch, [images, h, w, channels], as diffusers draws it: each image from its own
/// generator, in the order [channels, h, w], in the network's dtype. Keeps its memory.
class LatentNoise {
public:
    /// Valid until the next call. `pixels`: h · w.
    std::span<const float> draw(std::span<TorchGenerator> images, index_t channels, index_t pixels, DType dtype,
                                float scale) {
        const auto each = static_cast<std::size_t>(channels * pixels);
        one_.resize(each);
        all_.resize(images.size() * each);
        float* to = all_.data();
        for (TorchGenerator& image : images) {
            image.randn(one_, dtype);
            for (index_t c = 0; c < channels; ++c)
                for (index_t p = 0; p < pixels; ++p)
                    to[p * channels + c] = scale * one_[static_cast<std::size_t>(c * pixels + p)];
            to += each;
        }
        return all_;
    }

private:
    std::vector<float> one_, all_;
};

}  // namespace inlay::inline INLAY_ABI::model

INLAY_ORDERED_END
