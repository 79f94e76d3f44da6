// SPDX-License-Identifier: Apache-2.0
/// The command line of a program: options that all programs read in one way, and errors as one sentence each.
#pragma once

#include "numbers.hpp"

#include <inlay/core/error.hpp>

#include <CLI/CLI.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace program {

class CommandLine {
public:
    /// Of an option that comes twice the last one counts.
    CommandLine(const std::string& what, const std::string& examples) : app_(what) {
        app_.footer(examples);
        app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
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
    /// Paths are taken as they stand: the stream operator of a path would end one at its first blank.
    CLI::Option* path(const std::string& option, std::filesystem::path& to, const std::string& what) {
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
        app_.add_option_function<std::string>(
                "--dtype",
                [&to](const std::string& text) {
                    inlay::require(text == "fp32" || text == "fp16" || text == "bf16", "--dtype is '", text,
                                   "', expected fp32, fp16 or bf16");
                    to = text;
                },
                "storage: fp32, fp16 or bf16 (accumulation is fp32)")
            ->default_str(to);
    }
    /// `vendors`: "cuda, cuda:N".
    void device(std::string& to, const std::string& vendors) {
        app_.add_option("--device", to, vendors + ", cpu or auto (a GPU where it can be used)")
            ->capture_default_str();
    }
    void threads(int& to) { number("--threads", to, 0, 1024, "of the CPU executor; 0: all"); }
    void make_model(std::string& kind, std::filesystem::path& folder, const std::string& what) {
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
            return body();
        } catch (const CLI::ParseError& e) {
            return app_.exit(e);
        } catch (const std::filesystem::filesystem_error& e) {
            std::cerr << "inlay: cannot use '" << e.path1().string() << "': " << e.code().message() << "\n";
        } catch (const std::bad_alloc&) {
            std::cerr << "inlay: out of memory\n";
        } catch (const std::exception& e) {
            std::cerr << e.what() << "\n";
        }
        return 1;
    }

private:
    CLI::App app_;
};

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
