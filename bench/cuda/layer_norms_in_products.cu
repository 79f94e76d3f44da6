// SPDX-License-Identifier: Apache-2.0
#include "layer_norms.hpp"

namespace inlay_bench {

std::vector<NormsJob> jobs_in_products(Cuda& gpu) { return norms_jobs<nn::LayerNorms::in_products>(gpu); }

}  // namespace inlay_bench
