// SPDX-License-Identifier: Apache-2.0
/// Targets as data, so that any build explains any of them. Numbers of a chip stand here, with where they come from.
#pragma once

#include <inlay/core/error.hpp>

#include <string_view>

namespace inlay::inline INLAY_ABI {

struct TargetInfo {
    std::string_view name;
    std::string_view copy;         ///< how tiles of contiguous data are staged
    std::string_view place;        ///< where a pointwise prologue is applied
    std::string_view atom;         ///< the matrix atom of fp16 and bf16
    std::string_view atom_fp32;
    int vector_bytes;              ///< of one access of one lane
    int element_bytes;             ///< of an element in such a vector; 0: as stored
    bool aligned;                  ///< whether vectors must start at a multiple of their size and divide their run
    bool turns;                    ///< whether a matrix operand may lie the other way round in a tile
    int shared_bytes;              ///< a block may stage at most; 0: no such limit
    int units;                     ///< multiprocessors or cores the rules assume; 0: not known
    double matrix_tflops;          ///< fp16, fp32 accumulation; 0: not known
    double matrix_tflops_fp32;     ///< with the atom of fp32
    double bandwidth_gbs;          ///< of memory; 0: not known
};

/// The CPU executor with AVX-512, which computes in fp32 whatever the storage. Units and rates are the machine's own.
inline constexpr TargetInfo host_target{
    "host", "vector loads", "as rows are staged", "FMA microkernel", "FMA microkernel", 64, 4, false, false, 0, 0, 0, 0, 0};
/// NVIDIA A100 SXM 80 GB: 108 multiprocessors, 312 TFLOP/s fp16, 156 tf32 of which 3xTF32 keeps a third, 2039 GB/s
/// (NVIDIA A100 datasheet); ldmatrix.trans; 163 KiB of shared memory for a block (CUDA programming guide, compute capability 8.0).
inline constexpr TargetInfo sm80_target{
    "sm_80", "cp.async", "between ldmatrix and mma", "mma.sync.m16n8k16", "3 x mma.sync.m16n8k8 tf32",
    16, 0, true, true, 163 * 1024, 108, 312, 52, 2039};

inline constexpr TargetInfo known_targets[] = {host_target, sm80_target};

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
