// SPDX-License-Identifier: Apache-2.0
/// Targets as data, so that any build explains any of them. Numbers of a chip stand here, with where they come from.
#pragma once

#include <inlay/core/error.hpp>

namespace inlay::inline INLAY_ABI {

/// The matrix instructions of a GPU, which decide the tables of its schedules: `mma.sync`, AMD's of gfx9 and of gfx11.
enum class MatrixUnit { mma, mfma, wmma };

/// Lanes of the narrowest warp of any device: sizes go by it that are the same on all, as kernels are that host and
/// device share.
inline constexpr int narrowest_warp = 32;

struct TargetInfo {
    Letters name;
    Letters copy;          ///< the copy that stages tiles of contiguous data
    Letters place;         ///< the place at which a pointwise prologue is applied
    Letters atom;          ///< the matrix atom of fp16 and bf16
    Letters atom_fp32;
    int vector_bytes;               ///< of one access of one lane
    int element_bytes = 0;          ///< of an element in such a vector; 0: as stored
    bool aligned = true;            ///< vectors must start at a multiple of their size and divide their run
    bool turns = true;              ///< a matrix operand may lie the other way round in a tile
    int shared_bytes = 0;           ///< a block may stage at most; 0: no such limit
    int units = 0;                  ///< multiprocessors or cores the rules assume; 0: not known
    double matrix_tflops = 0;       ///< fp16, fp32 accumulation; 0: not known
    double matrix_tflops_fp32 = 0;  ///< with the atom of fp32
    double bandwidth_gbs = 0;       ///< of memory; 0: not known
    bool sm90a = false;             ///< products go to sm_90a's engine where it takes them
    int box = 0;                    ///< elements of a row that a copy engine brings; 0: threads copy vectors
    double rows_us = 0;             ///< of a launch of few rows, which moves next to nothing; 0: not known
    double group_norm_us = 0;       ///< of a GroupNorm of few pixels by the portable kernel
    double clock_ghz = 0;           ///< at which the matrix unit has these rates; 0: not known
    int warp = 32;                  ///< lanes of a warp, or of a wave
    MatrixUnit matrix = MatrixUnit::mma;

    constexpr bool amd() const { return matrix != MatrixUnit::mma; }
};

/// The CPU executor of this build, which computes in fp32 whatever the storage; where `host_multiplies_bf16`, factors
/// of bf16 are multiplied as they are. Units and rates are the machine's own.
inline constexpr TargetInfo host_target{.name = "host",
                                        .copy = "vector loads",
                                        .place = "as rows are staged",
                                        .atom = host_multiplies_bf16 ? "vdpbf16ps microkernel" : "FMA microkernel",
                                        .atom_fp32 = "FMA microkernel",
                                        .vector_bytes = host_vector_bytes,
                                        .element_bytes = 4,
                                        .aligned = false,
                                        .turns = false};
/// NVIDIA A100 SXM 80 GB: 108 multiprocessors, 312 TFLOP/s fp16, 156 tf32 of which 3xTF32 keeps a third, 2039 GB/s
/// (NVIDIA A100 datasheet); 163 KiB of shared memory for a block (CUDA programming guide, compute capability 8.0);
/// ldmatrix.trans reads tiles that lie the other way round.
inline constexpr TargetInfo sm80_target{.name = "sm_80",
                                        .copy = "cp.async",
                                        .place = "in shared memory a stage ahead",
                                        .atom = "mma.sync.m16n8k16",
                                        .atom_fp32 = "3 x mma.sync.m16n8k8 tf32",
                                        .vector_bytes = 16,
                                        .shared_bytes = 163 * 1024,
                                        .units = 108,
                                        .matrix_tflops = 312,
                                        .matrix_tflops_fp32 = 52,
                                        .bandwidth_gbs = 2039};

/// NVIDIA H100 SXM 80 GB with the portable engine: 132 multiprocessors, 3352 GB/s (NVIDIA H100 datasheet), 227 KiB of
/// shared memory for a block (CUDA programming guide, compute capability 9.0). `mma.sync` does not reach the 989
/// TFLOP/s of fp16 and 495 of tf32 that the datasheet gives for wgmma: about 62% of them, a third of that for 3xTF32.
/// Launches of norms, in a graph on an H200: fp16 LayerNorm of 154x768, GroupNorm of 2x8x8x1280.
inline constexpr TargetInfo sm90_target{.name = "sm_90",
                                        .copy = "cp.async",
                                        .place = "in shared memory a stage ahead",
                                        .atom = "mma.sync.m16n8k16",
                                        .atom_fp32 = "3 x mma.sync.m16n8k8 tf32",
                                        .vector_bytes = 16,
                                        .shared_bytes = 227 * 1024,
                                        .units = 132,
                                        .matrix_tflops = 620,
                                        .matrix_tflops_fp32 = 102,
                                        .bandwidth_gbs = 3352,
                                        .rows_us = 1.9,
                                        .group_norm_us = 5.2};

/// The same with code for sm_90a, which has an engine for products (`plan/gemm/wgmma.hpp`) and attention
/// (`plan/attention/wgmma.hpp`) beside the portable one.
inline constexpr TargetInfo sm90a_target = [] {
    TargetInfo t = sm90_target;
    t.name = "sm_90a";
    t.sm90a = true;
    return t;
}();
/// The rate of products and attention on this engine: 989 TFLOP/s of fp16, which are 4096 FLOP a clock of each of 132
/// multiprocessors at 1.83 GHz (NVIDIA H100 datasheet).
inline constexpr TargetInfo sm90a_products = [] {
    TargetInfo t = sm90a_target;
    t.copy = "TMA";
    t.place = "in shared memory by warps of their own";
    t.atom = "wgmma.m64nNk16";
    t.turns = false;
    t.matrix_tflops = 989;
    t.box = 64;
    t.clock_ghz = 1.83;
    return t;
}();

/// One of the two dies of an AMD Instinct MI250X, which are two devices: 110 compute units at 1.7 GHz, 191.5 TFLOP/s of
/// fp16 and bf16 matrices, 47.9 of fp32, 1638 GB/s (half of each number of AMD's MI250X datasheet); 64 KiB of LDS for a
/// block (AMD Instinct MI200 instruction set manual).
inline constexpr TargetInfo gfx90a_target{.name = "gfx90a",
                                          .copy = "16-byte loads through registers",
                                          .place = "in shared memory a stage ahead",
                                          .atom = "v_mfma_f32_16x16x16_f16",
                                          .atom_fp32 = "v_mfma_f32_16x16x4_f32",
                                          .vector_bytes = 16,
                                          .shared_bytes = 64 * 1024,
                                          .units = 110,
                                          .matrix_tflops = 191.5,
                                          .matrix_tflops_fp32 = 47.9,
                                          .bandwidth_gbs = 1638,
                                          .clock_ghz = 1.7,
                                          .warp = 64,
                                          .matrix = MatrixUnit::mfma};
/// AMD Instinct MI300X: 304 compute units at 2.1 GHz, 1307.4 TFLOP/s of fp16 and bf16 matrices, 163.4 of fp32, 5325 GB/s
/// (AMD's MI300X datasheet); 64 KiB of LDS for a block (AMD Instinct MI300 instruction set manual).
inline constexpr TargetInfo gfx942_target = [] {
    TargetInfo t = gfx90a_target;
    t.name = "gfx942";
    t.units = 304;
    t.matrix_tflops = 1307.4;
    t.matrix_tflops_fp32 = 163.4;
    t.bandwidth_gbs = 5325;
    t.clock_ghz = 2.1;
    return t;
}();
/// AMD Radeon RX 7900 XTX: 96 compute units in 48 pairs, which HIP counts as multiprocessors, at 2.5 GHz; 122.8 TFLOP/s
/// of fp16 and bf16 matrices, 960 GB/s (AMD's product page); 64 KiB of LDS for a block (RDNA3 instruction set manual).
/// It has no fp32 matrix instruction: 30.7 TFLOP/s are one FMA a lane and clock, half of the page's number, which counts
/// pairs of instructions.
inline constexpr TargetInfo gfx1100_target{.name = "gfx1100",
                                           .copy = "16-byte loads through registers",
                                           .place = "in shared memory a stage ahead",
                                           .atom = "v_wmma_f32_16x16x16_f16",
                                           .atom_fp32 = "v_fmac_f32 with row_share",
                                           .vector_bytes = 16,
                                           .shared_bytes = 64 * 1024,
                                           .units = 48,
                                           .matrix_tflops = 122.8,
                                           .matrix_tflops_fp32 = 30.7,
                                           .bandwidth_gbs = 960,
                                           .clock_ghz = 2.5,
                                           .matrix = MatrixUnit::wmma};

inline constexpr TargetInfo known_targets[] = {host_target,   sm80_target,   sm90_target,   sm90a_target,
                                               gfx90a_target, gfx942_target, gfx1100_target};

/// Throws when there is no such target.
inline const TargetInfo& target_named(Letters name) {
    Text names;
    for (const TargetInfo& t : known_targets) {
        if (t.name == name) return t;
        names += (names.empty() ? "" : ", ") + Text(t.name);
    }
    fail("target '" + Text(name) + "' is not known, expected one of " + names);
}

}  // namespace inlay::inline INLAY_ABI
