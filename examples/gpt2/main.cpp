// SPDX-License-Identifier: Apache-2.0
/// inlay-gpt2: texts continued by GPT-2, from the command line.
#include "../program/command_line.hpp"
#include "../program/gpus.hpp"
#include "executors.hpp"
#include "generate.hpp"
#include "make_model.hpp"

#include <inlay/core/error.hpp>
#include <inlay/plan/persistent/sizes.hpp>

#include <csignal>
#include <iostream>
#include <iterator>
#include <random>
#include <string>

std::atomic<bool> interrupted{false};

namespace {

constexpr const char* examples = R"(
Examples:
  inlay-gpt2 --make-model tiny tiny-gpt2                a small model of random weights, to try the program
  inlay-gpt2 --model tiny-gpt2 --prompt "The fox" --tokens 40
  inlay-gpt2 --model gpt2 --prompt "A lighthouse" --temperature 0.8 --top-p 0.95 --seed 7 --batch 4
  inlay-gpt2 --model gpt2 --prompt - --log-probabilities < prompt.txt
  inlay-gpt2 --model gpt2 --explain --target sm_90a     every kernel of a token)";

/// The requested GPU, or the CPU. Without a request: the first GPU, where this build can use it.
void choose_device(Options& o, const HostExecutor& host) {
    const GpuExecutors cuda = cuda_executors();
    const auto chosen = program::choose_gpu(o.device, "inlay-gpt2", {cuda.gpus}, host.isa, !o.quiet);
    if (chosen) o.executors = std::make_shared<const GpuExecutors>(cuda), o.gpu = chosen->number;
}

/// Launches of several tokens choose them themselves, of a few texts.
void require_launches(const Options& o) {
    using inlay::require;
    const std::string with = " with --token-by " + o.token_by;
    const int most = inlay::persistent::most_sequences(o.dtype == "fp32" ? 4 : 2);
    require(o.batch <= most, "--batch is ", o.batch, ", expected at most ", most, " in ", o.dtype, with);
    require(!o.log_probabilities, "--log-probabilities is given, expected not", with);
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
    if (!o.make.empty()) {
        make_model(o.make, o.make_dir, o.seed.value_or(0), o.dtype);
        std::cout << o.make_dir.string() << "\n";
        return 0;
    }
    require(!o.model.empty(), "--model is missing: a folder with config.json, model.safetensors and the tokenizer");
    require(o.explain || o.target.empty(), "--target is ", o.target, ", expected with --explain alone");
    program::require_seeds(o.seed, o.batch, "rows");
    program::require_exists("--model", o.model);
    const HostExecutor& host = host_executor();
    if (o.explain) {
        if (o.device != "auto") choose_device(o, host);
        if (o.target.empty()) o.target = o.executors ? o.executors->gpus.target(o.gpu) : "host";
        std::cout << program::by_dtype(o.dtype, host.explain_f32, host.explain_f16, host.explain_bf16)(o);
        return 0;
    }
    require(o.prompt.has_value(), "--prompt is missing: a text, or - for that of stdin");
    const bool launches = o.token_by != "graph";
    if (launches) require_launches(o);
    read_prompt(o);
    choose_device(o, host);
    require(!launches || o.executors, "--token-by is ", o.token_by, " on the CPU, expected --device cuda");
    if (!o.seed) {
        o.seed = std::random_device{}();
        if (o.temperature > 0 && !o.quiet) std::cerr << "seed: " << *o.seed << "\n";
    }
    Open* const open = o.executors
                           ? program::by_dtype(o.dtype, o.executors->open_f32, o.executors->open_f16,
                                               o.executors->open_bf16)
                           : program::by_dtype(o.dtype, host.open_f32, host.open_f16, host.open_bf16);
    return generate(o, *open) ? 0 : 130;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    program::CommandLine line("inlay-gpt2",
                              "Texts continued by GPT-2, every layer through fused kernels that are C++ types.",
                              examples);
    line.path("--model", o.model, "folder with config.json, model.safetensors and the tokenizer")->type_name("DIR");
    line.app().add_option("--prompt", o.prompt, "the text to continue; - for that of stdin");
    line.number("--tokens", o.tokens, 1, 1000000, "tokens at most; a text may end before");
    line.number("--temperature", o.temperature, 0, 1000, "of the choice; 0: the most likely token");
    line.number("--top-k", o.top_k, 0, 1000000, "choose among the K most likely tokens; 0: all");
    line.number("--top-p", o.top_p, 0, 1, "choose among the most likely that have this probability together");
    line.number("--repetition-penalty", o.repetition_penalty, 0.001, 1000, "of tokens in the text; 1: none");
    line.seed(o.seed, "of the first row, the next has the next");
    line.number("--batch", o.batch, 1, 256, "texts of the prompt at once, printed one after the other");
    line.dtype(o.dtype);
    line.device(o.device, {"cuda"}, [] {
        program::list_devices({cuda_executors().gpus}, program::cpu_name(host_executor().isa));
    });
    line.threads(o.threads);
    line.choice("--token-by", {"graph", "persistent", "phases"},
                "of a GPU: graph, a token by a graph of kernels; several by one launch of persistent, one kernel, or "
                "phases, a graph of its phases",
                [&](const std::string& text) { o.token_by = text; });
    line.number("--tokens-a-launch", o.tokens_a_launch, 1, 1000, "of --token-by persistent and phases");
    line.number("--chunk", o.chunk, 1, 1000000, "tokens of a part of the prompt, which goes through the model at once");
    line.app().add_flag("--log-probabilities", o.log_probabilities,
                        "print a line for each token: id, log-probability of the model, text");
    line.app().add_flag("--explain", o.explain, "print every kernel of a token instead of running");
    line.choice("--target", program::targets(),
                "of --explain: " + program::one_of(program::targets()) + " (that of --device)",
                [&](const std::string& text) { o.target = text; });
    line.make_model(o.make, o.make_dir, "write a model of random weights (tiny, 124m or 355m)",
                    {"tiny", "124m", "355m"});
    line.number("--replays", o.replays, 0, 100000, "then time the last token's kernels alone, that often");
    line.number("--prompt-replays", o.prompt_replays, 0, 100000, "the same of the prompt's last part");
    line.app().add_flag("--quiet", o.quiet, "no device, sizes or timings");
    // A second Ctrl-C ends the program at once.
    std::signal(SIGINT, [](int) {
        interrupted = true;
        std::signal(SIGINT, SIG_DFL);
    });
    return line.run(argc, argv, [&] { return run(o); });
}
