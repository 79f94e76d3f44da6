// SPDX-License-Identifier: Apache-2.0
/// Requests of `--requests`: lines of JSON in, lines of JSON out, so that a server drives one process that keeps its
/// model loaded. docs/how_to/scale_out.md has the lines.
#pragma once

#include "options.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Request {
    std::string id;  ///< as JSON
    std::vector<Drawing> drawings;
};

/// Lines are read between requests and after each step of one, by the thread that draws. Whatever is wrong with a line
/// is one line out; the next is read all the same.
class Requests {
public:
    /// Opens the file, or standard input, and says that the model is loaded.
    explicit Requests(const Options& options);
    ~Requests();
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;

    /// Waits for the next request; none when there are no more. Throws Interrupted after Ctrl-C.
    std::optional<Request> next();
    /// About the request that `next` returned last. False from the first: it is cancelled, or Ctrl-C came.
    bool progress(int done, int total);
    void done(double seconds);
    void cancelled();
    void failed(const std::string& sentence);

private:
    struct Input;

    /// Takes what there is to read; waits for it where `wait`.
    void read(bool wait);
    void take(const std::string& line);

    const Options& options_;
    std::unique_ptr<Input> input_;
    std::deque<Request> waiting_;
    std::optional<Request> current_;
    bool stop_ = false;  ///< the current one is cancelled
    int steps_ = 0;      ///< of the current one that are done
};
