// SPDX-License-Identifier: Apache-2.0
/// The instruction sets that the processor of a run has, of those that paths of a program are compiled for.
#pragma once

#include <inlay/core/config.hpp>

#if defined(__x86_64__) && !defined(__HIP_DEVICE_COMPILE__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
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
/// The same of AMX with bf16, beside AVX-512. Linux gives a process the tile registers where it asks for them.
inline bool processor_runs_amx() {
#if defined(__linux__)
    constexpr unsigned amx_bf16 = 1u << 22, amx_tile = 1u << 24;
    constexpr long request_permission = 0x1023, tile_data = 18;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!processor_runs_avx512() || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    return (d & amx_bf16) && (d & amx_tile) && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
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
