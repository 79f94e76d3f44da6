// SPDX-License-Identifier: Apache-2.0
#include "tiny.hpp"

#include <tests_folder.hpp>

#include <inlay/io/weights/checkpoint.hpp>
#include <inlay/io/tokenizer/clip.hpp>
#include <inlay/io/config/scheduler.hpp>
#include <inlay/model/scheduler.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

namespace inlay_test {

using namespace inlay;

namespace {

const std::string golden = tests_folder() + "/golden/";

const io::Checkpoint& files() {
    static const io::Checkpoint c = io::open_checkpoint(golden + "tiny-sd");
    return c;
}
const io::Safetensors& expected() {
    static const io::Safetensors f(golden + "tiny-sd-expected.safetensors");
    return f;
}
std::vector<float> values(const io::Safetensors& file, const std::string& name) {
    const auto view = file.at(name);
    index_t n = 1;
    for (const index_t e : view.shape) n *= e;
    std::vector<float> v(static_cast<std::size_t>(n));
    std::memcpy(v.data(), view.data, v.size() * sizeof v[0]);
    return v;
}

}  // namespace

std::unique_ptr<Networks> new_networks(DType t, int threads) {
#ifndef INLAY_TEST_FP32_NETWORKS
    if (t == DType::f16) return networks_f16(files(), threads);
    if (t == DType::bf16) return networks_bf16(files(), threads);
#endif
    require(t == DType::f32, "this program has no networks in ", name(t));
    return networks_f32(files(), threads);
}

Networks& networks(DType t) {
    static std::map<DType, std::unique_ptr<Networks>> kept;
    std::unique_ptr<Networks>& n = kept[t];
    if (!n) n = new_networks(t, 2);
    return *n;
}

std::vector<float> expected_values(const std::string& name) { return values(expected(), name); }
std::vector<float> exact_values(const std::string& name) {
    static const io::Safetensors f(golden + "tiny-sd-fp64.safetensors");
    return values(f, name);
}
double torch_error(const std::string& name, DType t) {
    static const io::Json errors = io::Json::parse(std::ifstream(golden + "model_errors.json")).at("errors");
    return errors.at(name).at(inlay::name(t)).get<double>();
}

Image expected_image(const std::string& name, index_t items) {
    const auto shape = expected().at(name).shape;
    Image i{items, shape[1], shape[2], shape[3], values(expected(), name)};
    i.v.resize(static_cast<std::size_t>(items * i.c * i.h * i.w));
    return i;
}
double relative_l2(const std::vector<float>& x, const std::vector<float>& y) {
    if (x.size() != y.size()) return INFINITY;
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        error += (double(x[i]) - double(y[i])) * (double(x[i]) - double(y[i]));
        norm += double(y[i]) * double(y[i]);
    }
    return std::sqrt(error / norm);
}

std::vector<float> text(index_t items) {
    auto v = values(expected(), "unet.context");
    v.resize(v.size() / 2 * static_cast<std::size_t>(items));
    return v;
}
std::vector<std::int32_t> ids() {
    std::vector<std::int32_t> v(2 * 77);
    std::memcpy(v.data(), expected().at("clip.ids").data, v.size() * sizeof v[0]);
    return v;
}
Image scaled_latents(const std::string& name) {
    Image z = expected_image(name, 1);
    for (float& x : z.v) x *= 0.18215f;  // the sampler's scale
    return z;
}

PictureOptions run_options(model::SchedulerKind kind, int steps, double strength) {
    const auto run = io::Json::parse(expected().metadata().at("golden")).at("run");
    const io::ClipTokenizer tokenizer(files().tokenizer);
    PictureOptions o;
    o.guidance = run.at("guidance").get<double>();
    o.schedule = model::make_schedule(kind, io::scheduler_config(files().scheduler_config, kind), steps, strength);
    for (const char* which : {"negative", "prompt"}) {
        const auto row = tokenizer.encode(run.at(which).get<std::string>()).ids;
        o.ids.insert(o.ids.end(), row.begin(), row.end());
    }
    o.seeds = {run.at("seed").get<std::uint64_t>()};
    return o;
}

}  // namespace inlay_test
