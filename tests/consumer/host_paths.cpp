// SPDX-License-Identifier: Apache-2.0
/// A portable program of another project: this file is its units of each path and, without a path's name, its main.
#include <inlay/exec/host/paths.hpp>

struct Numbers {
    int vector_bytes;
};
INLAY_HOST_PATHS(Numbers, numbers)

#if defined(INLAY_HOST_PATH_NAME)
INLAY_HOST_PATH(numbers){.vector_bytes = inlay::host_vector_bytes};
#else
int main() {
    static_assert(inlay::host_vector_bytes == 16);  // for any processor
    const int best = inlay::processor_runs_avx512() ? 64 : inlay::processor_runs_avx2() ? 32 : 16;
    return numbers().vector_bytes == best ? 0 : 1;
}
#endif
