// SPDX-License-Identifier: Apache-2.0
/// scheduler_config.json as one scheduler reads it: diffusers' `from_config` of that class. The file may be written for
/// another class (SD1.5's is PNDM's); keys that the asked scheduler does not have are ignored, absent ones and null
/// take its default, and a value it cannot follow is an error that names the key and the value.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/model/scheduler/config.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// The keys of one scheduler config, read with their types checked.
class SchedulerKeys {
public:
    explicit SchedulerKeys(const nlohmann::json& json) : json_(json) {
        require(json.is_object(), "scheduler config is a JSON ", json.type_name(), ", expected an object");
    }

    void read(const char* key, bool& value) const {
        if (const auto* found = find(key)) {
            if (!found->is_boolean()) reject(key, "true or false");
            value = found->get<bool>();
        }
    }
    void read(const char* key, int& value) const {
        if (const auto* found = find(key)) {
            if (!found->is_number_integer()) reject(key, "an integer");
            const auto wide = found->get<std::int64_t>();
            if (wide < 0 || wide > 1'000'000) reject(key, "an integer from 0 to 1000000");
            value = static_cast<int>(wide);
        }
    }
    void read(const char* key, double& value) const {
        if (const auto* found = find(key)) {
            if (!found->is_number()) reject(key, "a number");
            value = found->get<double>();
        }
    }
    template <class T>
    void read(const char* key, std::optional<T>& value) const {
        if (find(key) == nullptr) return;
        value.emplace();
        read(key, *value);
    }
    template <class Enum, std::size_t N>
    void read(const char* key, Enum& value, const std::array<std::pair<const char*, Enum>, N>& names) const {
        const auto* found = find(key);
        if (found == nullptr) return;
        std::string expected;
        for (std::size_t i = 0; i < N; ++i) {
            if (*found == names[i].first) {
                value = names[i].second;
                return;
            }
            expected += std::string(i == 0 ? "" : i + 1 == N ? " or " : ", ") + "\"" + names[i].first + "\"";
        }
        reject(key, expected);
    }
    /// A key of diffusers that is followed only at this value.
    void only(const char* key, const nlohmann::json& supported) const {
        const auto* found = find(key);
        if (found != nullptr && *found != supported) reject(key, supported.dump());
    }

private:
    const nlohmann::json* find(const char* key) const {
        const auto it = json_.find(key);
        return it == json_.end() || it->is_null() ? nullptr : &*it;
    }
    [[noreturn]] void reject(const char* key, const std::string& expected) const {
        std::string value = json_.at(key).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
        if (value.size() > 80) value = value.substr(0, 80) + "...";
        fail("scheduler config has " + std::string(key) + " = " + value + ", expected " + expected);
    }

    const nlohmann::json& json_;
};

}  // namespace detail

/// The config of scheduler `kind` in `json`. Throws for a key of that scheduler whose value has the wrong type or is
/// not supported.
inline model::SchedulerConfig scheduler_config(const nlohmann::json& json, model::SchedulerKind kind) {
    using model::BetaSchedule, model::FinalSigma, model::Prediction, model::SchedulerKind, model::SolverType,
        model::TimestepSpacing;
    using std::array, std::pair;
    const detail::SchedulerKeys keys(json);
    const bool ddim = kind == SchedulerKind::ddim;
    const bool euler = kind == SchedulerKind::euler;
    const bool multistep = kind == SchedulerKind::dpmpp_2m;

    model::SchedulerConfig out;
    keys.read("num_train_timesteps", out.num_train_timesteps);
    keys.read("beta_start", out.beta_start);
    keys.read("beta_end", out.beta_end);
    keys.read("beta_schedule", out.beta_schedule,
              array{pair{"linear", BetaSchedule::linear}, pair{"scaled_linear", BetaSchedule::scaled_linear},
                    pair{"squaredcos_cap_v2", BetaSchedule::squaredcos_cap_v2}});
    keys.read("prediction_type", out.prediction_type,
              array{pair{"epsilon", Prediction::epsilon}, pair{"v_prediction", Prediction::v_prediction},
                    pair{"sample", Prediction::sample}});
    TimestepSpacing spacing = out.spacing(kind);
    keys.read("timestep_spacing", spacing,
              array{pair{"leading", TimestepSpacing::leading}, pair{"linspace", TimestepSpacing::linspace},
                    pair{"trailing", TimestepSpacing::trailing}});
    out.timestep_spacing = spacing;
    keys.read("steps_offset", out.steps_offset);
    keys.only("trained_betas", nullptr);
    keys.only("rescale_betas_zero_snr", false);
    if (ddim) {
        keys.read("set_alpha_to_one", out.set_alpha_to_one);
        keys.read("clip_sample", out.clip_sample);
        keys.read("clip_sample_range", out.clip_sample_range);
    }
    if (ddim || multistep) keys.only("thresholding", false);
    if (euler || multistep) {
        keys.read("use_karras_sigmas", out.use_karras_sigmas);
        keys.read("final_sigmas_type", out.final_sigmas_type,
                  array{pair{"zero", FinalSigma::zero}, pair{"sigma_min", FinalSigma::sigma_min}});
        keys.only("use_exponential_sigmas", false);
        keys.only("use_beta_sigmas", false);
    }
    if (euler) {
        keys.read("sigma_min", out.sigma_min);
        keys.read("sigma_max", out.sigma_max);
        keys.only("interpolation_type", "linear");
        keys.only("timestep_type", "discrete");
    }
    if (multistep) {
        keys.only("algorithm_type", "dpmsolver++");
        keys.only("solver_order", 2);
        keys.read("solver_type", out.solver_type,
                  array{pair{"midpoint", SolverType::midpoint}, pair{"heun", SolverType::heun}});
        keys.read("lower_order_final", out.lower_order_final);
        keys.read("euler_at_final", out.euler_at_final);
        keys.only("use_lu_lambdas", false);
        keys.only("use_flow_sigmas", false);
        keys.only("variance_type", nullptr);
        keys.only("lambda_min_clipped", nullptr);
    }
    return out;
}

}  // namespace inlay::inline INLAY_ABI::io
