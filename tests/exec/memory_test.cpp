// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/memory.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace inlay;

TEST(HostMemory, IsAlignedForAnArena) {
    const HostMemory m(1000);
    EXPECT_EQ(m.size(), 1000u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.data()) % Arena::alignment, 0u);
}

TEST(HostMemory, Moves) {
    HostMemory a(100);
    void* const p = a.data();
    HostMemory b = std::move(a);
    EXPECT_EQ(b.data(), p);
    HostMemory c;
    EXPECT_EQ(c.size(), 0u);
    c = std::move(b);
    EXPECT_EQ(c.data(), p);
    EXPECT_EQ(c.size(), 100u);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INLAY_TEST_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define INLAY_TEST_ASAN
#endif

TEST(HostMemory, MoreThanThereIs) {
#ifdef INLAY_TEST_ASAN
    GTEST_SKIP() << "AddressSanitizer ends the program where memory runs out";
#endif
    try {
        const HostMemory m(std::size_t(1) << 62);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: out of memory: 4611686018427387904 bytes were asked for");
    }
}

}  // namespace
