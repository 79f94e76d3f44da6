// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/dtype.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace {

using inlay::bf16;
using inlay::bytes;
using inlay::DType;
using inlay::dtype_of;
using inlay::from_storage;
using inlay::fp16;
using inlay::fp8;
using inlay::Storage;
using inlay::to_storage;

static_assert(Storage<float> && Storage<const float> && Storage<fp16> && Storage<bf16> && Storage<double>);
static_assert(Storage<std::int32_t> && !Storage<std::int64_t> && !Storage<std::uint32_t> && !Storage<bool>);
static_assert(!Storage<float&> && !Storage<float*> && !Storage<void>);
static_assert(dtype_of<const fp16> == DType::f16 && dtype_of<bf16> == DType::bf16);

template <class T>
void is(DType t, const char* name) {
    EXPECT_EQ(dtype_of<T>, t);
    EXPECT_EQ(dtype_of<const T>, t);
    EXPECT_EQ(bytes(t), sizeof(T));
    EXPECT_EQ(inlay::name(t), std::string(name));
}
TEST(DType, NamesAndSizesAreThoseOfTheType) {
    is<double>(DType::f64, "fp64");
    is<float>(DType::f32, "fp32");
    is<fp16>(DType::f16, "fp16");
    is<bf16>(DType::bf16, "bf16");
    is<std::int32_t>(DType::i32, "int32");
    is<fp8>(DType::f8, "fp8");
}
// A byte from a file, for example.
TEST(DType, ANumberThatIsNoneHasNoSize) {
    EXPECT_EQ(bytes(static_cast<DType>(200)), 0u);
    EXPECT_EQ(inlay::name(static_cast<DType>(200)), std::string("?"));
}

// Spacing, least and greatest numbers: IEEE 754 binary16 and the upper half of binary32.
template <class H>
void format(float epsilon, float greatest, float least_normal, float least) {
    const auto through = [](float x) { return from_storage<float>(to_storage<H>(x)); };
    EXPECT_EQ(through(1 + epsilon), 1 + epsilon);
    EXPECT_EQ(through(1 + epsilon / 2), 1.f);
    EXPECT_EQ(through(1 + 3 * epsilon / 2), 1 + 2 * epsilon);
    for (const float x : {greatest, least_normal, least, -greatest, -least}) EXPECT_EQ(through(x), x);
    EXPECT_EQ(through(least / 2), 0.f);
    EXPECT_EQ(through(-least / 2), 0.f);
    EXPECT_TRUE(std::signbit(through(-least / 2)));
    EXPECT_EQ(through(std::numeric_limits<float>::max()), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(through(std::numeric_limits<float>::quiet_NaN())));
}
TEST(DType, RangesOfTheSixteenBitTypes) {
    format<fp16>(0x1p-10f, 65504.f, 0x1p-14f, 0x1p-24f);
    format<bf16>(0x1p-7f, 0x1.fep127f, 0x1p-126f, 0x1p-133f);
}

TEST(DType, StoresRoundOnceFromFloat) {
    EXPECT_EQ(to_storage<fp16>(2049.f).bits, fp16(2048.f).bits);  // ties to even
    EXPECT_EQ(to_storage<fp16>(2051.f).bits, fp16(2052.f).bits);
    EXPECT_EQ(to_storage<bf16>(257).bits, bf16(256.f).bits);
    EXPECT_EQ(to_storage<float>(16777217.0), 16777216.f);
    EXPECT_EQ(to_storage<double>(0.1), 0.1);
    static_assert(to_storage<fp16>(1.5).bits == 0x3e00);
}
TEST(DType, IntegersTruncateAndKeepAllTheirBits) {
    EXPECT_EQ(to_storage<std::int32_t>(2.9f), 2);
    EXPECT_EQ(to_storage<std::int32_t>(-2.9), -2);
    constexpr std::int32_t greatest = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(to_storage<std::int32_t>(2147483647.0), greatest);
    EXPECT_EQ(from_storage<double>(greatest), 2147483647.0);
    EXPECT_EQ(from_storage<float>(std::int32_t(16777217)), 16777216.f);
}
TEST(DType, ReadsAsEitherPrecision) {
    EXPECT_EQ(from_storage<double>(fp16(0.1f)), 0.0999755859375);
    EXPECT_EQ(from_storage<double>(bf16(0.1f)), 0.10009765625);
    static_assert(std::is_same_v<decltype(from_storage<double>(fp16(0.f))), double>);
    static_assert(std::is_same_v<decltype(from_storage<float>(0.0)), float>);
}

}  // namespace
