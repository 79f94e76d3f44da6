// SPDX-License-Identifier: Apache-2.0
/// The errors of PyTorch's own kernels, from golden/kernel_errors*.json. Read in a unit of its own: nvcc should not see
/// the JSON library in every test.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace inlay_test {

struct TorchCase {
    std::vector<long> shape;
    double mean;
    std::map<std::string, double> errors;  ///< of each storage type
};

/// The cases of an op in a file of tests/golden.
std::vector<TorchCase> torch_cases(const std::string& file, const std::string& op);

}  // namespace inlay_test
