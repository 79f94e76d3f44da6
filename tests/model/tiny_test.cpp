// SPDX-License-Identifier: Apache-2.0
/// The tiny pipeline of golden/tiny-sd against diffusers, component by component and over 20 guided steps. fp32 has the
/// bounds that the project promises, 1e-4 and 1e-3, and like the 16-bit types must be at most 1.25 times as far from an
/// fp64 run as diffusers itself in the same dtype (golden/model_errors.json).
#include "allocations.hpp"
#include "networks.hpp"

#include <tests_folder.hpp>

#include <inlay/io/clip_tokenizer.hpp>
#include <inlay/io/scheduler_config.hpp>
#include <inlay/model/scheduler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

namespace {

using namespace inlay;
using namespace inlay_test;

const std::string golden = tests_folder() + "/golden/";

const io::Checkpoint& files() {
    static const io::Checkpoint c = io::open_checkpoint(golden + "tiny-sd");
    return c;
}
const io::Safetensors& expected() {
    static const io::Safetensors f(golden + "tiny-sd-expected.safetensors");
    return f;
}
const io::Safetensors& exact() {
    static const io::Safetensors f(golden + "tiny-sd-fp64.safetensors");
    return f;
}
/// How far diffusers is from the fp64 run.
double torch_error(const std::string& name, DType t) {
    static const io::Json errors = io::Json::parse(std::ifstream(golden + "model_errors.json")).at("errors");
    return errors.at(name).at(inlay::name(t)).get<double>();
}

std::vector<float> values(const io::Safetensors& file, const std::string& name) {
    const auto view = file.at(name);
    index_t n = 1;
    for (const index_t e : view.shape) n *= e;
    std::vector<float> v(static_cast<std::size_t>(n));
    std::memcpy(v.data(), view.data, v.size() * sizeof v[0]);
    return v;
}
Image image(const std::string& name, index_t items) {
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

/// One set of networks for each dtype, kept: loading is quick, but the host's threads and memory are worth sharing.
Networks& networks(DType t) {
    static const std::unique_ptr<Networks> f32 = networks_f32(files(), 2), f16 = networks_f16(files(), 2),
                                           bf16 = networks_bf16(files(), 2);
    return t == DType::f32 ? *f32 : t == DType::f16 ? *f16 : *bf16;
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
    Image z = image(name, 1);
    for (float& x : z.v) x *= 0.18215f;  // the sampler's scale
    return z;
}

PictureOptions run_options(model::SchedulerKind kind, int steps) {
    const auto run = io::Json::parse(expected().metadata().at("golden")).at("run");
    const io::ClipTokenizer tokenizer(files().tokenizer);
    PictureOptions o;
    o.guidance = run.at("guidance").get<double>();
    o.schedule = model::make_schedule(kind, io::scheduler_config(files().scheduler_config, kind), steps);
    for (const char* which : {"negative", "prompt"}) {
        const auto row = tokenizer.encode(run.at(which).get<std::string>()).ids;
        o.ids.insert(o.ids.end(), row.begin(), row.end());
    }
    o.seeds = {run.at("seed").get<std::uint64_t>()};
    return o;
}

TEST(TinyF32, Clip) {
    EXPECT_LE(relative_l2(networks(DType::f32).clip(ids()), values(expected(), "clip.last_hidden_state")), 1e-4);
}

TEST(TinyF32, UNet) {
    for (const std::string size : {"16x16", "24x24", "16x24"})
        for (const int t : {1, 500, 999})
            for (const index_t batch : {1, 2}) {
                const auto noise = networks(DType::f32).unet(image("unet.sample." + size, batch), t, text(batch));
                const auto name = "unet.noise." + size + ".t" + std::to_string(t) + ".b" + std::to_string(batch);
                EXPECT_LE(relative_l2(noise.image.v, values(expected(), name)), 1e-4) << name;
            }
}

TEST(TinyF32, Vae) {
    for (const std::string size : {"16x16", "8x16"})
        EXPECT_LE(relative_l2(networks(DType::f32).vae(scaled_latents("vae.latent." + size)).v,
                              values(expected(), "vae.decoded." + size)),
                  1e-4)
            << size;
}

TEST(TinyF32, VaeEncoder) {
    std::vector<float> moments = values(expected(), "vae.mean");
    const std::vector<float> logvar = values(expected(), "vae.logvar");
    moments.insert(moments.end(), logvar.begin(), logvar.end());
    EXPECT_LE(relative_l2(networks(DType::f32).encode(image("vae.image", 1)).v, moments), 1e-4);
}

TEST(TinyF32, ImageToImage) {
    auto options = run_options(model::SchedulerKind::ddim, 10);
    options.schedule = model::make_schedule(model::SchedulerKind::ddim,
                                            io::scheduler_config(files().scheduler_config, model::SchedulerKind::ddim),
                                            10, 0.5);
    options.from = image("image_run.image", 1);
    const Picture p = networks(DType::f32).picture(options);
    EXPECT_LE(relative_l2(p.latents.v, values(expected(), "image_run.latents")), 1e-3);
}

TEST(TinyF32, TwentyGuidedSteps) {
    for (const auto kind : {model::SchedulerKind::ddim, model::SchedulerKind::euler,
                            model::SchedulerKind::euler_ancestral, model::SchedulerKind::dpmpp_2m}) {
        const Picture p = networks(DType::f32).picture(run_options(kind, 20));
        const std::string name = std::string("run.") + model::name(kind);
        EXPECT_LE(relative_l2(p.latents.v, values(expected(), name + ".latents")), 1e-3) << name;
        if (kind == model::SchedulerKind::ddim) {
            EXPECT_LE(relative_l2(p.image.v, values(expected(), "run.ddim.image")), 1e-3);
        }
    }
}

struct TinyAgainstDouble : ::testing::TestWithParam<DType> {
    static void compare(const std::vector<float>& x, const std::string& name, const std::string& run = "") {
        EXPECT_LE(relative_l2(x, values(exact(), name + run)), 1.25 * torch_error(name, GetParam()))
            << name << " in " << inlay::name(GetParam());
    }
};
INSTANTIATE_TEST_SUITE_P(Dtypes, TinyAgainstDouble, ::testing::Values(DType::f32, DType::f16, DType::bf16),
                         [](const auto& info) { return std::string(inlay::name(info.param)); });

TEST_P(TinyAgainstDouble, Components) {
    Networks& n = networks(GetParam());
    compare(n.clip(ids()), "clip.last_hidden_state");
    for (const std::string size : {"16x16", "16x24"})
        for (const int t : {1, 500, 999})
            compare(n.unet(image("unet.sample." + size, 2), t, text(2)).image.v,
                    "unet.noise." + size + ".t" + std::to_string(t) + ".b2");
    compare(n.vae(scaled_latents("vae.latent.8x16")).v, "vae.decoded.8x16");
}

// diffusers keeps the latents in the model's dtype, Inlay in fp32.
TEST_P(TinyAgainstDouble, TwentyGuidedSteps) {
    for (const auto kind : {model::SchedulerKind::ddim, model::SchedulerKind::dpmpp_2m})
        compare(networks(GetParam()).picture(run_options(kind, 20)).latents.v,
                std::string("run.") + model::name(kind) + ".latents", std::string(".") + inlay::name(GetParam()));
}

TEST(Tiny, ResultsDoNotDependOnTheNumberOfThreads) {
    if (networks_on_gpu) GTEST_SKIP() << "of the CPU executor";
    const auto options = run_options(model::SchedulerKind::euler, 3);
    const Picture two = networks(DType::f32).picture(options);
    for (const int threads : {1, 3}) {
        const Picture p = networks_f32(files(), threads)->picture(options);
        EXPECT_EQ(p.latents.v, two.latents.v) << threads << " threads";
        EXPECT_EQ(p.image.v, two.image.v) << threads << " threads";
    }
}

TEST(Tiny, RunsOfOnePipelineAreEqual) {
    for (const auto kind : {model::SchedulerKind::dpmpp_2m, model::SchedulerKind::euler_ancestral}) {
        auto options = run_options(kind, 4);
        const Picture once = networks(DType::f32).picture(options);
        options.repeats = 3;
        EXPECT_EQ(networks(DType::f32).picture(options).image.v, once.image.v) << model::name(kind);
    }
}

// An image is that of its own seed, whatever else is in the batch.
/// On the CPU to the last bit. A GPU has other schedules for a batch, which add in another order: a prediction may then
/// be as far off as a kernel may, 1e-6, and guidance g makes of the two up to g and g - 1 times as much.
TEST(Tiny, BatchOfSeeds) {
    auto options = run_options(model::SchedulerKind::euler_ancestral, 4);
    const auto row = options.ids;
    options.seeds = {7, 42, 8};
    options.ids.clear();
    for (const int half : {0, 1})
        for (int i = 0; i < 3; ++i)
            options.ids.insert(options.ids.end(), row.begin() + half * 77, row.begin() + half * 77 + 77);
    const Picture batch = networks(DType::f32).picture(options);
    options.ids = row;
    const double most = networks_on_gpu ? 1e-6 * (2 * options.guidance - 1) : 0;
    for (int i = 0; i < 3; ++i) {
        options.seeds = {std::vector<std::uint64_t>{7, 42, 8}[static_cast<std::size_t>(i)]};
        const Picture alone = networks(DType::f32).picture(options);
        const auto size = static_cast<std::ptrdiff_t>(alone.latents.v.size());
        const std::vector<float> item(batch.latents.v.begin() + i * size, batch.latents.v.begin() + (i + 1) * size);
        EXPECT_LE(relative_l2(item, alone.latents.v), most) << "image " << i;
    }
}

TEST(Tiny, WithoutGuidanceTheNegativePromptIsNotRead) {
    auto options = run_options(model::SchedulerKind::ddim, 2);
    options.guidance = 1;
    options.ids.erase(options.ids.begin(), options.ids.begin() + 77);
    const Picture p = networks(DType::f32).picture(options);
    EXPECT_TRUE(std::all_of(p.image.v.begin(), p.image.v.end(), [](float x) { return std::isfinite(x); }));
}

// The first run grows scratch memory; after that a step allocates nothing.
TEST(Tiny, StepsAllocateNothing) {
    for (const auto kind :
         {model::SchedulerKind::ddim, model::SchedulerKind::dpmpp_2m, model::SchedulerKind::euler_ancestral}) {
        auto options = run_options(kind, 5);
        options.watch = allocations;
        options.repeats = 2;
        const Picture p = networks(DType::f32).picture(options);
        ASSERT_EQ(p.watched.size(), 5u);
        for (std::size_t i = 1; i < 5; ++i)
            EXPECT_EQ(p.watched[i], p.watched[0]) << model::name(kind) << ", step " << i;
    }
}

TEST(Tiny, MemoryIsFlat) {
    auto options = run_options(model::SchedulerKind::dpmpp_2m, 200);
    Networks& n = networks(DType::f16);
    options.watch = [&] { return n.in_use(); };
    options.repeats = 2;
    const Picture p = n.picture(options);
    for (const std::size_t used : p.watched) EXPECT_EQ(used, p.watched[0]);
}

// On a GPU the first are the kernel nodes of the step's graph.
TEST(Tiny, LaunchesAreThoseOfThePrograms) {
    for (const auto kind : {model::SchedulerKind::ddim, model::SchedulerKind::dpmpp_2m}) {
        const Picture p = networks(DType::f16).picture(run_options(kind, 2));
        EXPECT_EQ(p.step_launches, p.explained_launches) << model::name(kind);
    }
}

TEST(Tiny, TwoHostThreads) {
    const auto options = run_options(model::SchedulerKind::euler_ancestral, 20);
    const std::unique_ptr<Networks> one = networks_f16(files(), 0), two = networks_bf16(files(), 0);
    const Picture alone_one = one->picture(options), alone_two = two->picture(options);
    Picture p, q;
    std::thread other([&] { q = two->picture(options); });
    p = one->picture(options);
    other.join();
    EXPECT_EQ(p.image.v, alone_one.image.v);
    EXPECT_EQ(q.image.v, alone_two.image.v);
}

// Layers share the arena: the whole pipeline fits in far less than the sum of its tensors.
TEST(Tiny, ArenaIsReused) {
    const auto options = run_options(model::SchedulerKind::ddim, 2);
    auto larger = options;
    larger.width = 256;
    const std::size_t small = networks(DType::f32).picture(options).arena;
    EXPECT_LT(small, 16u << 20);
    EXPECT_LT(networks(DType::f32).picture(larger).arena, 2 * small + (1u << 20));
}

TEST(Tiny, SizesThatAreNoMultipleOf64) {
    auto options = run_options(model::SchedulerKind::ddim, 2);
    options.width = 100;
    try {
        networks(DType::f32).picture(options);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: width is 100, expected a multiple of 64");
    }
}

// SD1.5's real topology. Unfused it is 791 launches.
TEST(SD15, LaunchesOfOneStep) {
    const auto kernels = sd15_step();
    EXPECT_EQ(kernels.size(), 335u);
    EXPECT_LE(kernels.size(), 340u);
    for (const StepKernel& k : kernels)
        EXPECT_TRUE(k.frame == "linear" || k.frame == "conv2d" || k.frame == "groupnorm" || k.frame == "layernorm" ||
                    k.frame == "attention")
            << k.layer << " is a stand-alone " << k.frame;
    const auto count = [&](const std::string& frame) {
        return std::count_if(kernels.begin(), kernels.end(), [&](const StepKernel& k) { return k.frame == frame; });
    };
    EXPECT_EQ(count("attention"), 32);        // 16 transformers, self and cross
    EXPECT_EQ(count("layernorm"), 48);
    EXPECT_EQ(count("groupnorm"), 44 + 16 + 1);  // two to a ResNet block, one to a transformer, one at the end
    EXPECT_EQ(count("conv2d"), 44 + 3 + 3 + 2);  // two to a ResNet block, the samplers, the ends
}

}  // namespace
