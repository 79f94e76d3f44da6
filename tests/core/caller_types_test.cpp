// SPDX-License-Identifier: Apache-2.0
/// Types of callers that are laid out as a storage type: compilers', vendors' and a program's own.
#include <inlay/exec/arena.hpp>
#include <inlay/exec/recording.hpp>
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

namespace other {
struct Half {
    std::uint16_t bits;
};
struct alignas(4) Float {
    float value;
};
}  // namespace other
template <> struct inlay::StoredAs<other::Half> { using type = inlay::fp16; };
template <> struct inlay::StoredAs<other::Float> { using type = float; };

namespace {

using namespace inlay;

template <class From, class To>
inline constexpr bool tensor_of = std::is_same_v<decltype(tensor(std::declval<From*>(), 2, 3)), Tensor<To, 2>>;

static_assert(tensor_of<__half, fp16> && tensor_of<const __half, const fp16>);
static_assert(tensor_of<__nv_bfloat16, bf16> && tensor_of<const __nv_bfloat16, const bf16>);
static_assert(tensor_of<__hip_bfloat16, bf16> && tensor_of<const __hip_bfloat16, const bf16>);
static_assert(tensor_of<__nv_fp8_e4m3, fp8> && tensor_of<const __nv_fp8_e4m3, const fp8>);
static_assert(tensor_of<__hip_fp8_e4m3, fp8> && tensor_of<const __hip_fp8_e4m3, const fp8>);
static_assert(tensor_of<other::Half, fp16> && tensor_of<const other::Half, const fp16>);
static_assert(tensor_of<other::Float, float> && tensor_of<float, float> && tensor_of<const double, const double>);
#if INLAY_HAS_FLOAT16
static_assert(tensor_of<_Float16, fp16> && tensor_of<const _Float16, const fp16>);
#endif
#if INLAY_HAS_BFLOAT16
static_assert(tensor_of<__bf16, bf16> && tensor_of<const __bf16, const bf16>);
#endif
static_assert(!Stored<short> && !Stored<void> && !Stored<other::Half*>);
static_assert(std::is_convertible_v<decltype(tensor(std::declval<__half*>(), 2)), Tensor<const fp16, 1>>);
static_assert(!std::is_constructible_v<Tensor<fp16, 1>, const __half*, Extents<1>>);
static_assert(std::is_constructible_v<Tensor<const fp16, 1>, __half*, Extents<1>>);
static_assert(!std::is_constructible_v<Tensor<fp16, 1>, __nv_bfloat16*, Extents<1>>);
constexpr float number = 3;
static_assert(*tensor(&number, 1).data == 3);

struct product : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct twice : Elementwise<Add<Buf<0>, Buf<0>>> {};

/// m, n and k are no multiples of a vector's width. Values are small fractions, so that fp16 holds them.
template <class T>
struct Case {
    static constexpr int m = 5, n = 19, k = 37;
    std::vector<T> x, w, b, y;

    explicit Case(T (*make)(float)) : x(m * k), w(n * k), b(n), y(m * n) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = make(static_cast<float>(i % 11) / 4 - 1);
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = make(static_cast<float>(i % 7) / 8 - 0.25f);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = make(static_cast<float>(i) / 2);
    }
    void check(float (*value)(T)) const {
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = value(b[static_cast<std::size_t>(j)]);
                for (int l = 0; l < k; ++l) {
                    const double v = value(x[static_cast<std::size_t>(i * k + l)]);
                    sum += v / (1 + std::exp(-v)) * value(w[static_cast<std::size_t>(j * k + l)]);
                }
                EXPECT_NEAR(value(y[static_cast<std::size_t>(i * n + j)]), sum, std::abs(sum) / 256 + 1e-3);
            }
    }
};

template <class T>
void computes(T (*make)(float), float (*value)(T)) {
    using C = Case<T>;
    Host cpu(2);
    C plain(make);
    prepare<product>(tensor(plain.y.data(), C::m, C::n), tensor(std::as_const(plain.w).data(), C::n, C::k),
                     tensor(std::as_const(plain.x).data(), C::m, C::k), tensor(plain.b.data(), C::n))
        .run(cpu);
    plain.check(value);

    C packed(make);
    std::vector<T> data(static_cast<std::size_t>(Host::packed_size(1, C::n, C::k)));
    const auto w = cpu.pack(tensor(packed.w.data(), C::n, C::k), data.data());
    Program<Host> program;
    program.add<product>("product", tensor(packed.y.data(), C::m, C::n), w, tensor(packed.x.data(), C::m, C::k),
                         tensor(packed.b.data(), C::n));
    Recording<Host>(cpu, program).run();
    packed.check(value);

    alignas(Arena::alignment) char memory[1024];
    Arena arena(memory, sizeof memory);
    const Temporary<T, 1> in_arena(arena, {{3}});
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(*in_arena)>, Tensor<storage_type<T>, 1>>);
    std::vector<T> three{make(0.5f), make(-1), make(3)};
    prepare<twice>(*in_arena, tensor(three.data(), 3)).run(cpu);
    prepare<twice>(tensor(three.data(), 3), *in_arena).run(cpu);
    EXPECT_EQ(value(three[0]), 2);
    EXPECT_EQ(value(three[1]), -4);
    EXPECT_EQ(value(three[2]), 12);
}

TEST(CallerTypes, OfAProgram) {
    computes<other::Half>([](float f) { return std::bit_cast<other::Half>(fp16(f)); },
                          [](other::Half h) { return static_cast<float>(std::bit_cast<fp16>(h)); });
    computes<other::Float>([](float f) { return other::Float{f}; }, [](other::Float f) { return f.value; });
}
#if INLAY_HAS_FLOAT16
TEST(CallerTypes, OfCompilersInFp16) {
    computes<_Float16>([](float f) { return static_cast<_Float16>(f); },
                       [](_Float16 h) { return static_cast<float>(h); });
}
#endif
// clang 19 loses every __bf16 that is passed by value where its address sanitizer is on, without Inlay, too.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOSES_BFLOAT16 1
#endif
#endif
#if INLAY_HAS_BFLOAT16 && !defined(LOSES_BFLOAT16)
TEST(CallerTypes, OfCompilersInBf16) {
    computes<__bf16>([](float f) { return std::bit_cast<__bf16>(bf16(f)); },
                     [](__bf16 h) { return static_cast<float>(std::bit_cast<bf16>(h)); });
}
#endif

#if INLAY_HAS_FLOAT16
/// Writes as one type, runs and reads: all in one function, where a compiler that took the types for strangers to each
/// other would move them past one another.
TEST(CallerTypes, MayAliasStorage) {
    Host cpu(1);
    _Float16 x[4], y[4];
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i) x[i] = static_cast<_Float16>(i + round);
        const auto from = tensor(x, 4), to = tensor(y, 4);
        for (index_t i = 0; i < 4; ++i) to({{i}}) = fp16(2 * static_cast<float>(from({{i}})));
        for (int i = 0; i < 4; ++i) EXPECT_EQ(static_cast<float>(y[i]), 2 * (i + round));
    }
}
#endif

}  // namespace
