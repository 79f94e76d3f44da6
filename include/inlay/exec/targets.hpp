// SPDX-License-Identifier: Apache-2.0
/// The executors that `inlay.hpp` brings: those of the compiler in use. A host compiler's is `Host`, whose loops nvcc and
/// HIP do not take: a program that runs on both has files of both kinds.
#pragma once

#include <inlay/core/config.hpp>

#if !defined(__CUDACC__) && !defined(__HIP__)
#include <inlay/exec/host.hpp>
#endif
