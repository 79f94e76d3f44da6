// SPDX-License-Identifier: Apache-2.0
/// The command line of a program: options that all programs read in one way, and errors as one sentence each.
#pragma once

#include "completion.hpp"
#include "nearest.hpp"
#include "numbers.hpp"
#include "sentence.hpp"

#include <inlay/core/error.hpp>
#include <inlay/plan/device.hpp>
#include <inlay/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace program {

class CommandLine {
public:
    /// Of an option that comes twice the last one counts.
    CommandLine(const std::string& name, const std::string& what, const std::string& examples) : app_(what, name) {
        app_.footer(examples + "\n\nExit status: 0 done, 1 it failed, 2 the command line is wrong, 130 Ctrl-C.");
        app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        app_.allow_extras();  // run() refuses them, with the nearest option
        app_.set_version_flag("--version", name + " " + std::to_string(INLAY_VERSION_MAJOR) + "." +
                                               std::to_string(INLAY_VERSION_MINOR) + "." +
                                               std::to_string(INLAY_VERSION_PATCH));
        choice("--completion", {"bash", "zsh", "fish"},
               "print a shell's script, for: source <(" + name + " --completion bash)",
               [this](const std::string& shell) {
                   std::cout << completion(shell);
                   throw CLI::Success();
               });
    }

    CLI::App& app() { return app_; }

    /// Reads numbers here, so that every number out of range is refused by one sentence of its own.
    template <class N>
    void number(const std::string& option, N& to, std::type_identity_t<N> least, std::type_identity_t<N> most,
                const std::string& what) {
        std::ostringstream now;
        now << to;
        app_.add_option_function<std::string>(
                option,
                [=, &to](const std::string& text) { to = numbers::within<N>(option, text, least, most); }, what)
            ->default_str(now.str())
            ->type_name(std::integral<N> ? "N" : "X");
    }
    /// One of some words, which completion offers.
    template <class F>
    CLI::Option* choice(const std::string& option, const std::vector<std::string>& words, const std::string& what,
                        const F& use) {
        words_[option] = words;
        return app_.add_option_function<std::string>(
            option,
            [=](const std::string& text) {
                if (std::ranges::find(words, text) == words.end())
                    inlay::fail(option + " is '" + text + "', expected " + one_of(words) + suggestion(text, words));
                use(text);
            },
            what);
    }
    /// Paths are taken as they stand: the stream operator of a path would end one at its first blank.
    CLI::Option* path(const std::string& option, std::filesystem::path& to, const std::string& what) {
        paths_.insert(option);
        return app_.add_option_function<std::string>(
                       option, [&to](const std::string& text) { to = text; }, what)
            ->default_str(to.string());
    }
    void seed(std::optional<std::uint64_t>& to, const std::string& what) {
        app_.add_option_function<std::string>(
                "--seed", [&to](const std::string& text) { to = numbers::seed(text); },
                what + "; -1 or left out: random, and printed")
            ->type_name("N");
    }
    void dtype(std::string& to) {
        choice("--dtype", {"fp32", "fp16", "bf16"}, "storage: fp32, fp16 or bf16 (accumulation is fp32)",
               [&to](const std::string& text) { to = text; })
            ->default_str(to);
    }
    /// `vendors`: {"cuda"}. `list`: to print the devices of this machine.
    void device(std::string& to, const std::vector<std::string>& vendors, const std::function<void()>& list) {
        std::string names;
        for (const std::string& v : vendors) names.append(v).append(", ").append(v).append(":N, ");
        words_["--device"] = {"cpu", "auto"};
        words_["--device"].insert(words_["--device"].end(), vendors.begin(), vendors.end());
        app_.add_option("--device", to, names + "cpu or auto (a GPU where it can be used)")->capture_default_str();
        app_.add_flag_callback(
            "--list-devices",
            [=] {
                list();
                throw CLI::Success();
            },
            "print what --device may be here");
    }
    void threads(int& to) { number("--threads", to, 0, 1024, "of the CPU executor; 0: all"); }
    void make_model(std::string& kind, std::filesystem::path& folder, const std::string& what,
                    const std::vector<std::string>& kinds) {
        words_["--make-model"] = kinds;
        app_.add_option_function<std::vector<std::string>>(
                "--make-model",
                [&](const std::vector<std::string>& words) {
                    kind = words[0];
                    folder = words[1];
                },
                what + " to a new folder, in --dtype and by --seed")
            ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
            ->expected(2)
            ->type_name("KIND DIR");
    }

    /// Parses the command line and returns the exit status, that of `body()` where nothing is wrong.
    template <class F>
    int run(int argc, char** argv, const F& body) {
        try {
            app_.parse(argc, argv);
            refuse_unknown();
            return body();
        } catch (const CLI::ParseError& e) {
            if (e.get_exit_code() == 0) return app_.exit(e);
            std::cerr << "inlay: " << e.what() << "\n";
            return 2;
        } catch (const std::exception& e) {
            const std::string sentence = sentence_of(e);
            std::cerr << sentence << "\n";
            return status_of(sentence);
        }
    }

private:
    std::vector<std::string> options() {
        std::vector<std::string> names;
        for (const CLI::Option* o : app_.get_options())
            for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
        return names;
    }
    void refuse_unknown() {
        const std::vector<std::string> unknown = app_.remaining();
        if (unknown.empty()) return;
        const std::string word = unknown[0].substr(0, unknown[0].find('='));
        throw CLI::ParseError("there is no option " + word + suggestion(word, options()), 2);
    }
    std::string completion(const std::string& shell) {
        std::vector<Completed> all;
        for (const std::string& name : options()) {
            const CLI::Option& o = *app_.get_option(name);
            all.push_back({name, o.get_description(), o.get_expected_max() > 0, paths_.contains(name), words_[name]});
        }
        return (shell == "zsh"    ? zsh_completion
                : shell == "fish" ? fish_completion
                                  : bash_completion)(app_.get_name(), all);
    }

    CLI::App app_;
    std::map<std::string, std::vector<std::string>> words_;
    std::set<std::string> paths_;
};

/// The targets of --explain.
inline std::vector<std::string> targets() {
    std::vector<std::string> names;
    for (const inlay::TargetInfo& t : inlay::known_targets) names.emplace_back(t.name.data(), t.name.size());
    return names;
}

/// "16 threads, avx512 with BF16", of the executor's instruction set.
inline std::string cpu_name(const std::string& isa) {
    return std::to_string(std::thread::hardware_concurrency()) + " threads, " + isa;
}

/// The function of a storage type.
template <class F>
F* by_dtype(const std::string& dtype, F* f32, F* f16, F* bf16) {
    return dtype == "fp32" ? f32 : dtype == "fp16" ? f16 : bf16;
}

/// Row i of a batch has the seed plus i; `rows`: what a row is, for the error.
inline void require_seeds(const std::optional<std::uint64_t>& seed, int batch, const char* rows) {
    const std::uint64_t most = UINT64_MAX - static_cast<std::uint64_t>(batch - 1);
    inlay::require(!seed || *seed <= most, "--seed is ", seed.value_or(0), ", which leaves the last of ", batch, " ",
                   rows, " none, expected at most ", most);
}

}  // namespace program
