// SPDX-License-Identifier: Apache-2.0
/// A progress bar on a terminal that can rewrite a line; a line per tenth of the way elsewhere, without colours on
/// both. (Debian has no C++ library for one.)
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

class ProgressBar {
public:
    explicit ProgressBar(bool quiet) : quiet_(quiet), terminal_(isatty(2) != 0 && !is_dumb()) {}

    void show(int done, int total) {
        if (quiet_) return;
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
        const double left = spent.count() / done * (total - done);
        if (terminal_) {
            const int width = 40, full = done * width / total;
            std::fprintf(stderr, "\r[%s%s] %d/%d, %.1f s, %.1f s left ",
                         std::string(static_cast<std::size_t>(full), '#').c_str(),
                         std::string(static_cast<std::size_t>(width - full), '.').c_str(), done, total, spent.count(),
                         left);
        } else if (done * 10 / total != (done - 1) * 10 / total) {
            std::fprintf(stderr, "step %d/%d, %.1f s, %.1f s left\n", done, total, spent.count(), left);
        }
        std::fflush(stderr);
    }
    void finish() {
        if (!quiet_ && terminal_) std::fputc('\n', stderr);
    }

private:
    static bool is_dumb() {
        const char* term = std::getenv("TERM");
        return !term || std::string(term) == "dumb";
    }

    bool quiet_, terminal_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};
