// SPDX-License-Identifier: Apache-2.0
/// The fused program alone, for builds in which headers of ablation/without/ replace those of the library's
/// instructions.
///
///     ablation_without_… REFERENCE    # a line: "everything", kernels, microseconds, distance
#include "measure.hpp"

int main(int argc, char** argv) {
    using namespace inlay_study;
    return study_main(argc, argv, [](Cuda& gpu, const std::string& file, bool writes) {
        Model model(gpu, 0);
        Study study(gpu);
        study.add("everything", gpu, fused<Cuda>(model));
        return study.run(file, writes);
    });
}
