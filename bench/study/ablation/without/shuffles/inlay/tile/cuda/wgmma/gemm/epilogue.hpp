// SPDX-License-Identifier: Apache-2.0
/// The library's epilogue, whose lanes trade columns by shuffles still: that is no reduction, and its kernels have no
/// shared memory left. Headers below it come first, so that they have the replaced shuffles.
#pragma once

#include <inlay/tile/gpu/epilogue/generic.hpp>
#include <inlay/tile/gpu/epilogue/prefetch.hpp>
#include <inlay/tile/gpu/epilogue/row_stats.hpp>

#define shuffle_xor shuffle_xor_by_registers
#include_next <inlay/tile/cuda/wgmma/gemm/epilogue.hpp>
#undef shuffle_xor
