// SPDX-License-Identifier: Apache-2.0
/// inlay-gpt2: texts continued by GPT-2, from the command line.
#include "../program/numbers.hpp"
#include "generate.hpp"
#include "make_model.hpp"

#include <inlay/core/error.hpp>

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

std::atomic<bool> interrupted{false};

namespace {

constexpr const char* examples = R"(
Examples:
  inlay-gpt2 --make-model tiny tiny-gpt2                a small model of random weights, to try the program
  inlay-gpt2 --model tiny-gpt2 --prompt "The fox" --tokens 40
  inlay-gpt2 --model gpt2 --prompt "A lighthouse" --temperature 0.8 --top-p 0.95 --seed 7 --batch 4
  inlay-gpt2 --model gpt2 --prompt - --log-probabilities < prompt.txt
  inlay-gpt2 --model gpt2 --explain --target sm_90a     every kernel of a token)";

/// Sets the requested GPU; without a request the first one, where this build can use it. Returns why there is none.
std::string choose_gpu(Options& o) {
    if (o.device == "cpu") return "";
    const GpuExecutors gpus = cuda_executors();
    const bool any = o.device == "auto";
    const std::optional<int> number = any ? 0 : numbers::of_device(o.device, gpus.device);
    if (!number) inlay::fail("--device is '" + o.device + "', expected cuda, cuda:N, cpu or auto");
    const std::string fault = gpus.fault(*number);
    if (!fault.empty() && !any) inlay::fail(fault);
    if (fault.empty()) o.gpus = std::make_shared<const GpuExecutors>(gpus), o.gpu = *number;
    return " (" + fault + ")";
}

/// The requested GPU, or the CPU.
void choose_device(Options& o, const HostExecutor& host) {
    const std::string why_cpu = choose_gpu(o);
    if (o.quiet) return;
    if (o.gpus) std::cerr << "device: " << o.gpus->device << ":" << o.gpu << ", " << o.gpus->name(o.gpu) << "\n";
    else std::cerr << "device: cpu, " << host.isa << why_cpu << "\n";
}

/// The text of "-" is that of stdin, without the end of its last line.
void read_prompt(Options& o) {
    if (o.prompt != "-") return;
    o.prompt->assign(std::istreambuf_iterator<char>(std::cin), {});
    if (o.prompt->ends_with('\n')) o.prompt->pop_back();
    if (o.prompt->ends_with('\r')) o.prompt->pop_back();
}

/// The exit status.
int run(Options& o) {
    using inlay::require;
    require(o.dtype == "fp32" || o.dtype == "fp16" || o.dtype == "bf16", "--dtype is '", o.dtype,
            "', expected fp32, fp16 or bf16");
    if (!o.make.empty()) {
        make_model(o.make, o.make_dir, o.seed.value_or(0), o.dtype);
        std::cout << o.make_dir.string() << "\n";
        return 0;
    }
    require(!o.model.empty(), "--model is missing: a folder with config.json, model.safetensors and the tokenizer");
    require(o.explain || o.target.empty(), "--target is ", o.target, ", expected with --explain alone");
    const std::uint64_t most = UINT64_MAX - static_cast<std::uint64_t>(o.batch - 1);
    require(!o.seed || *o.seed <= most, "--seed is ", o.seed.value_or(0), ", which leaves the last of ", o.batch,
            " rows none, expected at most ", most);
    const auto in_dtype = [&](auto* f32, auto* f16, auto* bf16) {
        return o.dtype == "fp32" ? f32 : o.dtype == "fp16" ? f16 : bf16;
    };
    const HostExecutor& host = host_executor();
    if (o.explain) {
        if (o.device != "auto") choose_device(o, host);
        if (o.target.empty()) o.target = o.gpus ? o.gpus->target(o.gpu) : "host";
        std::cout << in_dtype(host.explain_f32, host.explain_f16, host.explain_bf16)(o);
        return 0;
    }
    require(o.prompt.has_value(), "--prompt is missing: a text, or - for that of stdin");
    read_prompt(o);
    choose_device(o, host);
    if (!o.seed) {
        o.seed = std::random_device{}();
        if (o.temperature > 0 && !o.quiet) std::cerr << "seed: " << *o.seed << "\n";
    }
    Open* const open = o.gpus ? in_dtype(o.gpus->open_f32, o.gpus->open_f16, o.gpus->open_bf16)
                              : in_dtype(host.open_f32, host.open_f16, host.open_bf16);
    return generate(o, *open) ? 0 : 130;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    CLI::App app{"Texts continued by GPT-2, every layer through fused kernels that are C++ types."};
    app.footer(examples);
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    std::vector<std::string> make;
    std::string model;
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
    app.add_option("--model", model, "folder with config.json, model.safetensors and the tokenizer")->type_name("DIR");
    app.add_option("--prompt", o.prompt, "the text to continue; - for that of stdin");
    number("--tokens", o.tokens, 1, 1000000, "tokens at most; a text may end before");
    number("--temperature", o.temperature, 0.0, 1000.0, "of the choice; 0: the most likely token");
    number("--top-k", o.top_k, 0, 1000000, "choose among the K most likely tokens; 0: all");
    number("--top-p", o.top_p, 0.0, 1.0, "choose among the most likely that have this probability together");
    number("--repetition-penalty", o.repetition_penalty, 0.001, 1000.0, "of tokens in the text; 1: none");
    app.add_option_function<std::string>(
           "--seed", [&](const std::string& text) { o.seed = numbers::seed(text); },
           "of the first row, the next has the next; -1 or left out: random, and printed")
        ->type_name("N");
    number("--batch", o.batch, 1, 256, "texts of the prompt at once, printed one after the other");
    app.add_option("--dtype", o.dtype, "storage: fp32, fp16 or bf16 (accumulation is fp32)")
        ->capture_default_str();
    app.add_option("--device", o.device, "cuda, cuda:N, cpu or auto (a GPU where it can be used)")
        ->capture_default_str();
    number("--threads", o.threads, 0, 1024, "of the CPU executor; 0: all");
    app.add_flag("--log-probabilities", o.log_probabilities,
                 "print a line for each token: id, log-probability of the model, text");
    app.add_flag("--explain", o.explain, "print every kernel of a token instead of running");
    app.add_option("--target", o.target, "of --explain: host, sm_80, sm_90a, ... (that of --device)");
    app.add_option("--make-model", make,
                   "write a model of random weights (tiny or 124m) to a new folder, in --dtype and by --seed")
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
        ->expected(2)
        ->type_name("KIND DIR");
    number("--replays", o.replays, 0, 100000, "then time the last token's kernels alone, that often");
    app.add_flag("--quiet", o.quiet, "no device, sizes or timings");
    // A second Ctrl-C ends the program at once.
    std::signal(SIGINT, [](int) {
        interrupted = true;
        std::signal(SIGINT, SIG_DFL);
    });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    } catch (const inlay::Error& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    o.model = model;
    if (!make.empty()) {
        o.make = make[0];
        o.make_dir = make[1];
    }
    try {
        return run(o);
    } catch (const std::filesystem::filesystem_error& e) {
        std::cerr << "inlay: cannot use '" << e.path1().string() << "': " << e.code().message() << "\n";
    } catch (const std::bad_alloc&) {
        std::cerr << "inlay: out of memory\n";
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
    }
    return 1;
}
