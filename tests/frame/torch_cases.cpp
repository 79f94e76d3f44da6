// SPDX-License-Identifier: Apache-2.0
#include "torch_cases.hpp"

#include <tests_folder.hpp>

#include <nlohmann/json.hpp>

#include <fstream>

namespace inlay_test {

std::vector<TorchCase> torch_cases(const std::string& name, const std::string& op) {
    std::ifstream file(tests_folder() + "/golden/" + name);
    std::vector<TorchCase> found;
    const auto golden = nlohmann::json::parse(file);
    for (const auto& c : golden.at("cases"))
        if (c.at("op") == op) found.push_back({c.at("shape"), c.at("mean"), c.at("errors")});
    return found;
}

}  // namespace inlay_test
