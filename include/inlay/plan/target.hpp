// SPDX-License-Identifier: Apache-2.0
/// Targets as data, so that any build explains any of them. Numbers of a chip stand here, with where they come from.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/error.hpp>

#include <string_view>

namespace inlay::inline INLAY_ABI {

struct TargetInfo {
    std::string_view name;
    std::string_view copy;         ///< how contiguous data reaches a tile
    std::string_view atom;         ///< the matrix atom of fp16 and bf16
    std::string_view atom_fp32;
    int vector_bytes;              ///< of one access of one lane
    int units;                     ///< multiprocessors or cores the rules assume
    double matrix_tflops;          ///< fp16, fp32 accumulation; 0: not known
    double matrix_tflops_fp32;     ///< by `atom_fp32`
    double bandwidth_gbs;          ///< of memory; 0: not known
};

/// The CPU executor. Units and rates are the machine's own and not known here.
inline constexpr TargetInfo host_target{"host", "vector loads", "FMA microkernel", "FMA microkernel", 64, 0, 0, 0, 0};
/// NVIDIA A100 SXM 80 GB: 108 multiprocessors, 312 TFLOP/s (TF32 156, of which 3xTF32 leaves a third), 2039 GB/s
/// (vendor's datasheet).
inline constexpr TargetInfo sm80_target{"sm_80", "cp.async", "mma.sync.m16n8k16", "3 x mma.sync.m16n8k8 tf32",
                                        16, 108, 312, 52, 2039};

inline constexpr TargetInfo known_targets[] = {host_target, sm80_target};

/// The rate of the matrix unit for a storage type.
constexpr double matrix_rate(const TargetInfo& t, DType d) {
    return d == DType::f32 ? t.matrix_tflops_fp32 : t.matrix_tflops;
}

/// Throws when there is no such target.
inline const TargetInfo& target_named(std::string_view name) {
    std::string names;
    for (const TargetInfo& t : known_targets) {
        if (t.name == name) return t;
        names += (names.empty() ? "" : ", ") + std::string(t.name);
    }
    fail("target '" + std::string(name) + "' is not known, expected one of " + names);
}

}  // namespace inlay::inline INLAY_ABI
