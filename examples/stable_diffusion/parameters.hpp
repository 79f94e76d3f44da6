// SPDX-License-Identifier: Apache-2.0
/// The text that a picture carries under "parameters": AUTOMATIC1111's lines, which the tools of the field read.
#pragma once

#include "options.hpp"

#include <inlay/io/json_file.hpp>
#include <inlay/io/tokenizer/unicode.hpp>
#include <inlay/model/scheduler/config.hpp>
#include <inlay/version.hpp>

#include <sstream>
#include <string>

namespace parameters {

/// A value of the last line. One with a comma, a colon or a new line, which would end it there, is a JSON string.
inline std::string quoted(const std::string& text) {
    return text.find_first_of(",:\n\"") == text.npos ? text : inlay::io::Json(text).dump();
}

/// The model's own name, whichever way the path to it is written: "sd15/", ".", "v1-5.safetensors".
inline std::string model_name(const std::filesystem::path& model) {
    auto path = std::filesystem::absolute(model).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    const auto name = std::filesystem::is_directory(path) ? path.filename() : path.stem();
    return inlay::io::unicode::repaired(name.string());
}

/// Names as AUTOMATIC1111's program has them in its menus.
inline std::string sampler_name(inlay::model::SchedulerKind kind) {
    using inlay::model::SchedulerKind;
    switch (kind) {
        case SchedulerKind::ddim: return "DDIM";
        case SchedulerKind::euler: return "Euler";
        case SchedulerKind::euler_ancestral: return "Euler a";
        case SchedulerKind::dpmpp_2m: return "DPM++ 2M";
    }
    return "";
}

/// Always UTF-8: the prompts are, or the tokenizer has refused them.
inline std::string text(const Options& o, const inlay::model::SchedulerConfig& scheduler, const Drawing& drawing) {
    std::ostringstream s;
    s << drawing.prompt;
    if (!drawing.negative.empty()) s << "\nNegative prompt: " << drawing.negative;
    s << "\nSteps: " << o.steps << ", Sampler: " << sampler_name(inlay::model::scheduler_kind(o.scheduler));
    if (scheduler.use_karras_sigmas) s << ", Schedule type: Karras";
    s << ", CFG scale: " << o.guidance << ", Seed: " << drawing.seed << ", Size: " << o.width << "x" << o.height
      << ", Model: " << quoted(model_name(o.model));
    if (!o.vae.empty()) s << ", VAE: " << quoted(model_name(o.vae));
    if (!o.init.empty()) s << ", Denoising strength: " << o.strength;
    s << ", Precision: " << o.dtype << ", Version: inlay " << INLAY_VERSION_MAJOR << "." << INLAY_VERSION_MINOR << "."
      << INLAY_VERSION_PATCH;
    return s.str();
}

}  // namespace parameters
