// SPDX-License-Identifier: Apache-2.0
/// The instruction sets that the processor of a run has, of those that paths of a program are compiled for.
#pragma once

#include <inlay/core/config.hpp>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace inlay::inline INLAY_ABI {

/// Environment variable that forces a path of a program by its name (`exec/host/paths.hpp`).
inline constexpr const char* host_path_variable = "INLAY_HOST_ISA";

// clang's HIP reads host code for the device as well, which has no cpuid.
#if defined(__x86_64__) && !defined(__HIP_DEVICE_COMPILE__)
/// True if this processor, and the system's care for its registers, runs code of -march=x86-64-v3.
inline bool processor_runs_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v3") != 0;
}
/// The same of -march=x86-64-v4 -mavx512bf16.
inline bool processor_runs_avx512() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v4") != 0 && __builtin_cpu_supports("avx512bf16") != 0;
}
/// The same of AMX with bf16, beside AVX-512. Linux permits tile registers to processes that request them. Older
/// compilers have no names for it.
inline bool processor_runs_amx() {
#if defined(__linux__) && (defined(__clang__) ? __clang_major__ >= 19 : __GNUC__ >= 12)
    constexpr long request_permission = 0x1023, tile_data = 18;
    return processor_runs_avx512() && __builtin_cpu_supports("amx-tile") != 0 &&
           __builtin_cpu_supports("amx-bf16") != 0 && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
    return false;
#endif
}
#else
inline bool processor_runs_avx2() { return false; }
inline bool processor_runs_avx512() { return false; }
inline bool processor_runs_amx() { return false; }
#endif

}  // namespace inlay::inline INLAY_ABI
