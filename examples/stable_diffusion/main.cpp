// SPDX-License-Identifier: Apache-2.0
/// inlay-sd: Stable Diffusion 1.x from the command line.
#include "../program/command_line.hpp"
#include "../program/gpus.hpp"
#include "executors.hpp"
#include "make_model.hpp"

#include <inlay/core/error.hpp>
#include <inlay/io/atomic_file.hpp>

#include <csignal>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <random>
#include <utility>

#include <unistd.h>

std::atomic<bool> interrupted{false};

namespace {

constexpr const char* examples = R"(
Examples:
  inlay-sd --make-model tiny tiny-sd                    a small synthetic model, to try the program
  inlay-sd --model tiny-sd --prompt "a red fox" --size 256x256 --steps 20 --out fox.png
  inlay-sd --model sd15 --prompt "a lighthouse" --negative "blurry" --seed 7 --batch 4
  inlay-sd --model v1-5.safetensors --tokenizer sd15/tokenizer --prompt "a lighthouse"
  inlay-sd --model tiny-sd --prompt "a wolf" --size 256x256 --init fox.png --strength 0.6
  inlay-sd --model sd15 --explain --target sm_80        every kernel of one UNet step)";

void parse_size(Options& o) {
    const auto x = o.size.find('x');
    constexpr inlay::index_t most = 16384;
    const auto number = [&](const std::string& s) -> inlay::index_t {
        const auto n = numbers::parsed<inlay::index_t>(s);
        inlay::require(n.has_value(), "--size is '", o.size, "', expected WIDTHxHEIGHT, such as 512x512");
        return *n;
    };
    o.width = number(o.size.substr(0, x));
    o.height = number(x == o.size.npos ? "" : o.size.substr(x + 1));
    for (const auto n : {o.width, o.height})
        inlay::require(n >= 64 && n % 64 == 0 && n <= most, "--size is '", o.size,
                       "', expected multiples of 64 up to ", most);
}

/// The requested GPU, or the CPU. Without a request: the first GPU of the first vendor that this build can use.
void choose_device(Options& o) {
    const GpuExecutors vendors[] = {cuda_executors(), hip_executors()};
    const auto chosen = program::choose_gpu(o.device, "inlay-sd", {vendors[0].gpus, vendors[1].gpus}, o.host->isa,
                                            !o.quiet);
    if (chosen) o.executors = std::make_shared<const GpuExecutors>(vendors[chosen->vendor]), o.gpu = chosen->number;
}

/// Refuses wrong options before anything is read.
void check(const Options& o) {
    using inlay::require;
    require(o.explain || o.target.empty(), "--target is ", o.target, ", expected with --explain alone");
    program::require_seeds(o.seed, o.batch, "images");
    for (const auto& [option, path] : std::initializer_list<std::pair<const char*, std::filesystem::path>>{
             {"--model", o.model}, {"--vae", o.vae}, {"--tokenizer", o.tokenizer}, {"--init", o.init},
             {"--scheduler-config", o.scheduler_config}})
        program::require_exists(option, path);
    if (!o.explain) {
        require(o.batch == 1 || !inlay::io::is_stream(o.out), "--out ", o.out.string(),
                " takes one picture, expected a file name for ", o.batch);
        const auto folder = o.out.has_parent_path() ? o.out.parent_path() : std::filesystem::path(".");
        require(std::filesystem::is_directory(folder), "--out ", o.out.string(), ": there is no folder '",
                folder.string(), "'");
        require(::access(folder.c_str(), W_OK) == 0, "--out ", o.out.string(), ": the folder '", folder.string(),
                "' is not writable");
        require(!std::filesystem::is_directory(o.out), "--out ", o.out.string(), " is a folder, expected a file name");
        if (o.batch == 1) inlay::io::require_writable(o.out);
    }
}

int run(Options& o) {
    if (!o.make.empty()) {
        make_model(o.make, o.make_dir, o.seed.value_or(0), o.dtype);
        std::cout << o.make_dir.string() << "\n";
        return 0;
    }
    inlay::require(!o.model.empty(), "--model is missing: a model folder in diffusers' layout, or a .safetensors file");
    parse_size(o);
    check(o);
    o.host = &host_executor();
    const bool drawn = !o.seed;
    if (drawn) o.seed = std::random_device{}();
    if (o.explain) {
        if (o.device != "auto") choose_device(o);
        if (o.target.empty()) o.target = o.executors ? o.executors->gpus.target(o.gpu) : "host";
        std::cout << program::by_dtype(o.dtype, o.host->explain_f32, o.host->explain_f16, o.host->explain_bf16)(o);
        return 0;
    }
    choose_device(o);
    if (drawn && !o.quiet) std::cerr << "seed: " << *o.seed << "\n";
    const auto out = o.executors ? program::by_dtype(o.dtype, o.executors->generate_f32, o.executors->generate_f16,
                                                     o.executors->generate_bf16)(o)
                                 : program::by_dtype(o.dtype, o.host->generate_f32, o.host->generate_f16,
                                                     o.host->generate_bf16)(o);
    std::cout << out.string() << "\n";
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    program::CommandLine line("inlay-sd",
                              "Stable Diffusion 1.x, every layer through fused kernels that are C++ types.", examples);
    CLI::App& app = line.app();
    line.path("--model", o.model, "model folder in diffusers' layout, or a .safetensors file with the original names");
    line.path("--vae", o.vae, "another VAE: a folder, or a .safetensors file of a VAE or of a whole model");
    line.path("--tokenizer", o.tokenizer, "folder with vocab.json and merges.txt, where the model has none");
    app.add_option("--prompt", o.prompt, "what to draw");
    app.add_option("--negative", o.negative, "what to stay away from");
    line.number("--steps", o.steps, 1, 1000, "denoising steps");
    line.number("--guidance", o.guidance, 0, 1000, "weight of the prompt; at most 1 turns guidance off");
    line.seed(o.seed, "of the first image, the next has the next");
    app.add_option("--size", o.size, "WIDTHxHEIGHT in pixels, multiples of 64")->capture_default_str();
    line.number("--batch", o.batch, 1, 64, "images at once");
    line.choice("--scheduler", {"ddim", "euler", "euler_a", "dpmpp_2m"}, "ddim, euler, euler_a or dpmpp_2m",
                [&](const std::string& text) { o.scheduler = text; })
        ->default_str(o.scheduler);
    line.path("--scheduler-config", o.scheduler_config, "JSON file in the place of the model's scheduler_config.json");
    line.choice("--prediction", {"epsilon", "v_prediction"},
                "what the network predicts: epsilon or v_prediction (the scheduler config's, or a single file's)",
                [&](const std::string& text) { o.prediction = text; });
    line.path("--init", o.init, "PNG to begin at instead of noise (image to image), of the given size");
    line.number("--strength", o.strength, 0, 1, "of image to image: the share of the steps that is run");
    line.dtype(o.dtype);
    line.device(o.device, {"cuda", "hip"}, [] {
        program::list_devices({cuda_executors().gpus, hip_executors().gpus}, program::cpu_name(host_executor().isa));
    });
    line.threads(o.threads);
    line.path("--out", o.out,
              "PNG to write, or a device or FIFO to write to; a batch writes NAME-0.png, NAME-1.png, ...");
    app.add_flag("--explain", o.explain, "print every kernel of one UNet step instead of running");
    line.choice("--target", program::targets(),
                "of --explain: " + program::one_of(program::targets()) + " (that of --device)",
                [&](const std::string& text) { o.target = text; });
    line.make_model(o.make, o.make_dir, "write a synthetic model (tiny or sd15)", {"tiny", "sd15"});
    line.number("--replays", o.replays, 0, 100000, "then time prompt, step and decoder alone, that often each");
    app.add_flag("--quiet", o.quiet, "no progress, no timings");
    std::signal(SIGINT, [](int) { interrupted = true; });
    return line.run(argc, argv, [&] {
        try {
            return run(o);
        } catch (const Interrupted& e) {
            std::cerr << "\n" << e.what() << "; nothing was written\n";
            return 130;
        }
    });
}
