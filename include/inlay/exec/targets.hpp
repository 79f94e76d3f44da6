// SPDX-License-Identifier: Apache-2.0
/// The executors that `inlay.hpp` brings: those of the compiler in use. A host compiler's is `Host`. nvcc and HIP parse
/// a header three times and time is what an include costs there, so device code that also uses the CPU names
/// `inlay/exec/host.hpp`.
#pragma once

#include <inlay/core/config.hpp>

#if !defined(__CUDACC__) && !defined(__HIP__)
#include <inlay/exec/host.hpp>
#endif
