// SPDX-License-Identifier: Apache-2.0
/// Any bytes as JSON, and as every config: an error, or values that the networks and schedulers can take.
#include <inlay/io/config/model.hpp>
#include <inlay/io/config/model_index.hpp>
#include <inlay/io/config/scheduler.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace inlay;

namespace {

void check(bool ok) {
    if (!ok) std::abort();
}

template <class F>
void unless_refused(F&& read) {
    try {
        read();
    } catch (const Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    io::stand_in(text);
    io::Json json;
    // JSON is read as it is; other text may be Python's.
    const bool valid = io::Json::accept(text);
    try {
        json = io::parse_json(text, "fuzz");
    } catch (const Error&) {
        return check(!valid), 0;
    }
    check(valid ? json == io::Json::parse(text) : text.find("NaN") != text.npos || text.find("Infinity") != text.npos);
    io::shown(json);
    unless_refused([&] { io::check_model_index(json, "fuzz"); });
    unless_refused([&] {
        const auto c = io::clip_config(json);
        check(c.heads > 0 && c.hidden % c.heads == 0);
    });
    unless_refused([&] {
        const auto c = io::unet_config(json);
        check(c.channels.size() == c.down_attention.size() && c.channels.size() == c.up_attention.size());
        for (const index_t n : c.channels) check(n % c.groups == 0 && n % c.heads == 0);
    });
    unless_refused([&] {
        const auto c = io::vae_config(json);
        check(std::isfinite(c.scaling_factor) && c.scaling_factor != 0);
    });
    for (const auto kind : {model::SchedulerKind::ddim, model::SchedulerKind::euler,
                            model::SchedulerKind::euler_ancestral, model::SchedulerKind::dpmpp_2m})
        unless_refused([&] {
            const auto c = io::scheduler_config(json, kind);
            check(c.num_train_timesteps >= 0 && std::isfinite(c.beta_start) && std::isfinite(c.beta_end));
        });
    return 0;
}
