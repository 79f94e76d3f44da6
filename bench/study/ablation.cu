// SPDX-License-Identifier: Apache-2.0
/// The ablation of docs/study.md, as far as types, tensors and a target switch something off. A build for sm_90a runs
/// its engine (wgmma, the copy engine), one for sm_90 the portable engine (mma.sync, cp.async) on the same GPU.
///
///     ablation REFERENCE [--write]    # a line for each program: name, kernels, microseconds, distance
#include "ablation/fma.hpp"
#include "ablation/measure.hpp"

int main(int argc, char** argv) {
    using namespace inlay_study;
    return study_main(argc, argv, [](Cuda& gpu, const std::string& file, bool writes) {
        Model model(gpu, 0), uneven(gpu, 1);
        WithoutMatrixUnits without_matrix_units{gpu};
        Study study(gpu);
        study.add("everything", gpu, fused<Cuda>(model));
        study.add("matrix units", without_matrix_units, fused<WithoutMatrixUnits>(model));
        study.add("flash attention", gpu, scores_in_memory<Cuda>(model));
        study.add("fusion", gpu, unfused<Cuda>(model));
        study.add("wide loads", gpu, fused<Cuda>(uneven));
        return study.run(file, writes);
    });
}
