// SPDX-License-Identifier: Apache-2.0
/// inlay-sd: Stable Diffusion 1.x from the command line.
#include "../program/command_line.hpp"
#include "../program/gpus.hpp"
#include "executors.hpp"
#include "make_model.hpp"
#include "ranks.hpp"

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
  inlay-sd --model sd15 --explain --target sm_80        every kernel of one UNet step
  mpirun -n 2 inlay-sd --model sd15 --prompt "a red fox" --batch 8   (built with MPI) four images on each of two GPUs
  inlay-sd --model sd15 --batch 4 --requests -          a worker for servers: JSON lines in and out)";

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
                                            !o.quiet, o.ranks->local());
    if (chosen) o.executors = std::make_shared<const GpuExecutors>(vendors[chosen->vendor]), o.gpu = chosen->number;
    inlay::require(!o.splits_guidance() || !o.executors || o.executors->connect, "--split guidance: this build of ",
                   "inlay-sd has no NCCL, by which two GPUs exchange their halves");
}

/// Ranks whose pictures would differ by where they are drawn are an error.
void require_one_kind(const Options& o) {
    const std::string mine = o.executors ? o.executors->gpus.name(o.gpu) : std::string("cpu, ") + o.host->isa;
    const auto all = o.ranks->gather(mine);
    for (std::size_t r = 1; r < all.size(); ++r)
        if (all[r] != all[0])
            throw Agreed("inlay: --device is " + o.device + ", which is " + all[0] + " on rank 0 and " + all[r] +
                         " on rank " + std::to_string(r) + ", expected one kind");
}

/// The images of this process: whole groups of --at-once, so that what is drawn together depends on no rank.
void share_images(Options& o) {
    using inlay::require;
    const int each = o.splits_guidance() ? 2 : 1;
    require(each == 1 || (o.ranks->size() > 1 && o.ranks->size() % 2 == 0), "--split guidance has ", o.ranks->size(),
            o.ranks->size() == 1 ? " process" : " ranks", ", expected pairs: mpirun -n 2 inlay-sd ...");
    require(each == 1 || o.guidance > 1, "--split guidance: --guidance is ", o.guidance, ", expected more than 1");
    const int teams = o.ranks->size() / each, team = o.ranks->rank() / each;
    const auto groups = [&] { return (o.batch + o.at_once - 1) / o.at_once; };
    if (o.at_once == 0) {
        o.at_once = (o.batch + teams - 1) / teams;
        if (groups() < teams) o.at_once = (std::max)(o.batch / teams, 1);
    }
    require(groups() >= teams, "--batch is ", o.batch, " in groups of ", o.at_once, " (--at-once), expected at least ",
            teams, " groups, one for each ", each == 1 ? "rank" : "pair of ranks");
    o.first = o.at_once * (groups() * team / teams);
    o.images = (std::min)(o.at_once * (groups() * (team + 1) / teams), o.batch) - o.first;
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
    if (!o.requests.empty()) {
        if (o.requests != "-") program::require_exists("--requests", o.requests);
        require(o.ranks->size() == 1, "--requests has ", o.ranks->size(), " ranks, expected one process");
    } else if (!o.explain) {
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

/// Everything before the model is read. True where that was all.
bool begin(Options& o) {
    inlay::require(o.ranks->fault().empty(), o.ranks->fault());
    if (!o.make.empty()) {
        if (o.ranks->rank() == 0) make_model(o.make, o.make_dir, o.seed.value_or(0), o.dtype);
        std::cout << o.make_dir.string() << "\n";
        return true;
    }
    inlay::require(!o.model.empty(), "--model is missing: a model folder in diffusers' layout, or a .safetensors file");
    parse_size(o);
    check(o);
    o.host = &host_executor();
    if (o.explain) {
        if (o.device != "auto") choose_device(o);
        if (o.target.empty()) o.target = o.executors ? o.executors->gpus.target(o.gpu) : "host";
        std::cout << program::by_dtype(o.dtype, o.host->explain_f32, o.host->explain_f16, o.host->explain_bf16)(o);
        return true;
    }
    share_images(o);
    choose_device(o);
    return false;
}

int run(Options& o) {
    bool all = false;
    o.ranks->together([&] { all = begin(o); });
    if (all) return 0;
    require_one_kind(o);
    const bool drawn = !o.seed;
    if (drawn) o.seed = std::stoull(o.ranks->gather(std::to_string(std::random_device{}()))[0]);
    if (drawn && !o.quiet) std::cerr << "seed: " << *o.seed << "\n";
    const auto out = o.executors ? program::by_dtype(o.dtype, o.executors->generate_f32, o.executors->generate_f16,
                                                     o.executors->generate_bf16)(o)
                                 : program::by_dtype(o.dtype, o.host->generate_f32, o.host->generate_f16,
                                                     o.host->generate_bf16)(o);
    if (o.requests.empty()) std::cout << out.string() << "\n";
    return 0;
}

/// An error that the others have not heard of ends them, too.
int run_on_ranks(Options& o) {
    const auto end_all = [&](int status, const std::string& sentence) {
        if (o.ranks->size() > 1) o.ranks->end_all(status, sentence);
    };
    try {
        return run(o);
    } catch (const Agreed&) {
        throw;
    } catch (const Interrupted& e) {
        const std::string sentence = std::string(e.what()) + "; nothing was written";
        end_all(130, sentence);
        std::cerr << "\n" << sentence << "\n";
        return 130;
    } catch (const std::exception& e) {
        end_all(1, program::sentence_of(e));
        throw;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Ranks ranks;
    Options o;
    o.ranks = &ranks;
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
    line.number("--batch", o.batch, 1, 64, "images");
    line.number("--at-once", o.at_once, 0, 64, "of them drawn together; 0: all that a process draws");
    line.choice("--split", {"images", "guidance"},
                "what ranks of MPI divide: images, or in pairs the two halves of guidance",
                [&](const std::string& text) { o.split = text; })
        ->default_str(o.split);
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
    line.path("--requests", o.requests,
              "draw what lines of JSON in a file request, or - for standard input, at most --batch images a line");
    app.add_flag("--explain", o.explain, "print every kernel of one UNet step instead of running");
    line.choice("--target", program::targets(),
                "of --explain: " + program::one_of(program::targets()) + " (that of --device)",
                [&](const std::string& text) { o.target = text; });
    line.make_model(o.make, o.make_dir, "write a synthetic model (tiny or sd15)", {"tiny", "sd15"});
    line.number("--replays", o.replays, 0, 100000, "then time prompt, step and decoder alone, that often each");
    app.add_flag("--quiet", o.quiet, "no progress, no timings");
    std::signal(SIGINT, [](int) { interrupted = true; });
    if (ranks.rank() > 0) {  // rank 0 speaks for all
        std::cout.rdbuf(nullptr);
        std::cerr.rdbuf(nullptr);
    }
    return line.run(argc, argv, [&] {
        o.quiet = o.quiet || ranks.rank() > 0;
        return run_on_ranks(o);
    });
}
