// SPDX-License-Identifier: Apache-2.0
/// Plain loads and stores of device code, which g++ announces here (`-fsanitize=kernel-address`): those of the device's
/// memory lie in one allocation, to the byte.
#include "block.hpp"
#include "memory.hpp"

namespace emulator {
namespace {

void check_plain(const void* p, std::size_t bytes, const char* does) {
    if (!in_window(p) || !running_block || is_allocated(p, bytes)) return;
    fail("it ", does, " ", bytes, " bytes at ", describe(p), ", not all in one allocation");
}

}  // namespace
}  // namespace emulator

#define EMULATOR_ACCESS(bytes)                                                                                \
    void __asan_load##bytes##_noabort(void* p) { emulator::check_plain(p, bytes, "reads"); }                  \
    void __asan_store##bytes##_noabort(void* p) { emulator::check_plain(p, bytes, "writes"); }
extern "C" {
EMULATOR_ACCESS(1)
EMULATOR_ACCESS(2)
EMULATOR_ACCESS(4)
EMULATOR_ACCESS(8)
EMULATOR_ACCESS(16)
void __asan_loadN_noabort(void* p, std::size_t bytes) { emulator::check_plain(p, bytes, "reads"); }
void __asan_storeN_noabort(void* p, std::size_t bytes) { emulator::check_plain(p, bytes, "writes"); }
// Stacks and globals have no guards of their own here.
void __asan_handle_no_return() {}
void __asan_before_dynamic_init(const void*) {}
void __asan_after_dynamic_init() {}
}
#undef EMULATOR_ACCESS
