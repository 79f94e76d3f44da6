// SPDX-License-Identifier: Apache-2.0
/// inlay-sd: Stable Diffusion 1.x from the command line.
#include "../program/numbers.hpp"
#include "executors.hpp"
#include "make_model.hpp"

#include <inlay/core/error.hpp>
#include <inlay/io/atomic_file.hpp>
#include <inlay/plan/device.hpp>

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>

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

/// The targets of --explain.
std::string targets() {
    std::string names;
    for (const inlay::TargetInfo& t : inlay::known_targets)
        names.append(names.empty() ? "" : ", ").append(t.name.data(), t.name.size());
    return names;
}

/// Sets the requested GPU; without a request the first GPU of the first vendor that this build can use. Returns why
/// there is none.
std::string choose_gpu(Options& o) {
    if (o.device == "cpu") return "";
    std::string faults;
    bool known = false;
    for (const GpuExecutors& gpus : {cuda_executors(), hip_executors()}) {
        const bool any = o.device == "auto";
        const std::optional<int> number = any ? 0 : numbers::of_device(o.device, gpus.device);
        if (!number) continue;
        known = true;
        if (o.gpus || (any && !gpus.built)) continue;
        const std::string fault = gpus.fault(*number);
        if (!fault.empty() && !any) inlay::fail(fault);
        if (!fault.empty()) faults += (faults.empty() ? "" : "; ") + fault;
        else o.gpus = std::make_shared<const GpuExecutors>(gpus), o.gpu = *number;
    }
    if (!known) inlay::fail("--device is '" + o.device + "', expected cuda, cuda:N, hip, hip:N, cpu or auto");
    return faults.empty() ? " (this build of inlay-sd has no executor of a GPU)" : " (" + faults + ")";
}

/// The requested GPU, or the CPU.
void choose_device(Options& o) {
    const std::string why_cpu = choose_gpu(o);
    if (o.quiet) return;
    if (o.gpus) std::cerr << "device: " << o.gpus->device << ":" << o.gpu << ", " << o.gpus->name(o.gpu) << "\n";
    else std::cerr << "device: cpu, " << o.host->isa << why_cpu << "\n";
}

/// Refuses wrong options before anything is read.
void check(const Options& o) {
    using inlay::require;
    require(o.explain || o.target.empty(), "--target is ", o.target, ", expected with --explain alone");
    require(!o.seed || *o.seed <= UINT64_MAX - static_cast<std::uint64_t>(o.batch - 1), "--seed is ",
            o.seed.value_or(0), ", which leaves the last of ", o.batch, " images none, expected at most ",
            UINT64_MAX - static_cast<std::uint64_t>(o.batch - 1));
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
    const auto in_dtype = [&](auto* f32, auto* f16, auto* bf16) {
        return o.dtype == "fp32" ? f32(o) : o.dtype == "fp16" ? f16(o) : bf16(o);
    };
    if (o.explain) {
        if (o.device != "auto") choose_device(o);
        if (o.target.empty()) o.target = o.gpus ? o.gpus->target(o.gpu) : "host";
        std::cout << in_dtype(o.host->explain_f32, o.host->explain_f16, o.host->explain_bf16);
        return 0;
    }
    choose_device(o);
    if (drawn && !o.quiet) std::cerr << "seed: " << *o.seed << "\n";
    const auto out = o.gpus ? in_dtype(o.gpus->generate_f32, o.gpus->generate_f16, o.gpus->generate_bf16)
                            : in_dtype(o.host->generate_f32, o.host->generate_f16, o.host->generate_bf16);
    std::cout << out.string() << "\n";
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    CLI::App app{"Stable Diffusion 1.x, every layer through fused kernels that are C++ types."};
    app.footer(examples);
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    std::vector<std::string> make;
    std::string model, vae, tokenizer, scheduler_config, init, out = "out.png";
    // Read here, so that every number out of range is refused by one sentence of its own.
    const auto number = [&]<class N>(const std::string& option, N& to, N least, N most, const std::string& what) {
        std::ostringstream now;
        now << to;
        app.add_option_function<std::string>(
               option,
               [=, &to](const std::string& text) { to = numbers::within<N>(option, text, least, most); }, what)
            ->default_str(now.str())
            ->type_name(std::integral<N> ? "N" : "X");
    };
    app.add_option("--model", model,
                   "model folder in diffusers' layout, or a .safetensors file with the original names");
    app.add_option("--vae", vae, "another VAE: a folder, or a .safetensors file of a VAE or of a whole model");
    app.add_option("--tokenizer", tokenizer, "folder with vocab.json and merges.txt, where the model has none");
    app.add_option("--prompt", o.prompt, "what to draw");
    app.add_option("--negative", o.negative, "what to stay away from");
    number("--steps", o.steps, 1, 1000, "denoising steps");
    number("--guidance", o.guidance, 0.0, 1000.0, "weight of the prompt; at most 1 turns guidance off");
    app.add_option_function<std::string>(
           "--seed", [&](const std::string& text) { o.seed = numbers::seed(text); },
           "of the first image, the next has the next; -1 or left out: random, and printed")
        ->type_name("N");
    app.add_option("--size", o.size, "WIDTHxHEIGHT in pixels, multiples of 64")->capture_default_str();
    number("--batch", o.batch, 1, 64, "images at once");
    app.add_option("--scheduler", o.scheduler, "ddim, euler, euler_a or dpmpp_2m")->capture_default_str();
    app.add_option("--scheduler-config", scheduler_config,
                   "JSON file in the place of the model's scheduler_config.json");
    app.add_option("--prediction", o.prediction,
                   "what the network predicts: epsilon or v_prediction (the scheduler config's, or a single file's)")
        ->check(CLI::IsMember({"epsilon", "v_prediction"}));
    app.add_option("--init", init, "PNG to begin at instead of noise (image to image), of the given size");
    number("--strength", o.strength, 0.0, 1.0, "of image to image: the share of the steps that is run");
    app.add_option("--dtype", o.dtype, "storage: fp32, fp16 or bf16 (accumulation is fp32)")
        ->check(CLI::IsMember({"fp32", "fp16", "bf16"}))->capture_default_str();
    app.add_option("--device", o.device, "cuda, cuda:N, hip, hip:N, cpu or auto (a GPU where it can be used)")
        ->capture_default_str();
    number("--threads", o.threads, 0, 1024, "of the CPU executor; 0: all");
    app.add_option("--out", out,
                   "PNG to write, or a device or FIFO to write to; a batch writes NAME-0.png, NAME-1.png, ...")
        ->capture_default_str();
    app.add_flag("--explain", o.explain, "print every kernel of one UNet step instead of running");
    app.add_option("--target", o.target, "of --explain: " + targets() + " (that of --device)");
    app.add_option("--make-model", make,
                   "write a synthetic model (tiny or sd15) to a new folder, in --dtype and by --seed")
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
        ->expected(2)
        ->type_name("KIND DIR");
    number("--replays", o.replays, 0, 100000, "then time prompt, step and decoder alone, that often each");
    app.add_flag("--quiet", o.quiet, "no progress, no timings");
    std::signal(SIGINT, [](int) { interrupted = true; });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    } catch (const inlay::Error& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    o.model = model;
    o.vae = vae;
    o.scheduler_config = scheduler_config;
    o.tokenizer = tokenizer;
    o.init = init;
    o.out = out;
    if (!make.empty()) {
        o.make = make[0];
        o.make_dir = make[1];
    }
    try {
        return run(o);
    } catch (const Interrupted& e) {
        std::cerr << "\n" << e.what() << "; nothing was written\n";
        return 130;
    } catch (const std::filesystem::filesystem_error& e) {
        std::cerr << "inlay: cannot use '" << e.path1().string() << "': " << e.code().message() << "\n";
    } catch (const std::bad_alloc&) {
        std::cerr << "inlay: out of memory\n";
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
    }
    return 1;
}
