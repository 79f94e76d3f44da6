// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/convert.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

template <class T>
void loads_like_the_scalar() {
    for (unsigned b = 0; b < 65536; b += host_lanes) {
        T x[host_lanes];
        for (int i = 0; i < host_lanes; ++i) x[i] = T::from_bits(static_cast<std::uint16_t>(b + i));
        const fvec v = load<T>(x);
        for (int i = 0; i < host_lanes; ++i) {
            const float f = static_cast<float>(x[i]);
            const std::uint32_t quiet = std::isnan(f) ? 0x400000u : 0u;  // a signalling NaN may arrive quiet
            ASSERT_EQ(std::bit_cast<std::uint32_t>(v[i]) | quiet, std::bit_cast<std::uint32_t>(f) | quiet) << b + i;
        }
    }
}
TEST(Convert, LoadsLikeTheScalar) {
    loads_like_the_scalar<fp16>();
    loads_like_the_scalar<bf16>();
}

template <class T>
void stores_like_the_scalar(std::uint32_t first, std::uint32_t step, std::uint64_t count) {
    for (std::uint64_t n = 0; n < count; n += host_lanes) {
        float x[host_lanes];
        for (int i = 0; i < host_lanes; ++i)
            x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + (n + i) * step));
        T y[host_lanes];
        store<T>(y, fvec::load(x));
        for (int i = 0; i < host_lanes; ++i) ASSERT_EQ(y[i].bits, T(x[i]).bits) << std::bit_cast<std::uint32_t>(x[i]);
    }
}
TEST(Convert, StoresLikeTheScalar) {
    stores_like_the_scalar<fp16>(0, 4799, 1u << 20);
    stores_like_the_scalar<bf16>(0, 4799, 1u << 20);
    // Around every threshold of the conversion, each float in turn; and the NaNs of both signs.
    for (const std::uint32_t at : {0u, 0x33000000u, 0x33800000u, 0x387fe000u, 0x38800000u, 0x477fe000u, 0x477ff000u,
                                   0x7f7f8000u, 0x7f800000u, 0x7fc00000u, 0x7ffff000u})
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            stores_like_the_scalar<fp16>((at | sign) - 4096u, 1, 8192);
            stores_like_the_scalar<bf16>((at | sign) - 4096u, 1, 8192);
        }
}

template <class T>
void tails() {
    for (index_t n = 0; n < 3 * host_lanes; ++n) {
        // Exact sizes, so that the address sanitizer sees a step too far.
        std::vector<T> x, z(static_cast<std::size_t>(n));
        for (index_t i = 0; i < n; ++i) x.push_back(to_storage<T>(float(i) - 3));
        std::vector<float> y(static_cast<std::size_t>(n));
        load_row(x.data(), y.data(), n);
        store_row(y.data(), z.data(), n);
        for (index_t i = 0; i < n; ++i) {
            EXPECT_EQ(y[static_cast<std::size_t>(i)], float(i) - 3);
            EXPECT_EQ(from_storage<float>(z[static_cast<std::size_t>(i)]), float(i) - 3);
        }
        if (n < host_lanes) {
            const fvec v = load_n<T>(x.data(), n);
            for (int i = 0; i < host_lanes; ++i) EXPECT_EQ(v[i], i < n ? float(i) - 3 : 0.f);
        }
    }
}
TEST(Convert, Tails) {
    tails<float>();
    tails<fp16>();
    tails<bf16>();
    tails<std::int32_t>();
    tails<double>();
}

TEST(Convert, IntegersTruncate) {
    std::int32_t y[host_lanes];
    store<std::int32_t>(y, fvec(-2.75f));
    EXPECT_EQ(y[0], -2);
}

}  // namespace
