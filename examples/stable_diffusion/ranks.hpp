// SPDX-License-Identifier: Apache-2.0
/// The processes of one run. `mpirun -n N inlay-sd` starts N, which MPI connects; without a launcher there is one.
#pragma once

#include "../program/sentence.hpp"

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

/// An error of one rank that all have: each throws it, and rank 0 prints it.
struct Agreed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Ranks {
public:
    /// Starts MPI where a launcher started this process.
    Ranks();
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    /// The number of this process among those of its machine.
    int local() const { return local_; }
    /// Why this build cannot be one of several processes; empty when it can.
    const std::string& fault() const { return fault_; }

    /// The text of each rank, on each. All ranks call it.
    std::vector<std::string> gather(const std::string& text) const;
    /// Sends `bytes` at `mine` to the rank `with`, which sends as many to `others`.
    void exchange(const void* mine, void* others, std::size_t bytes, int with) const;
    /// Ends all ranks, whatever they do; for errors in the middle of a run.
    [[noreturn]] void end_all(int status, const std::string& sentence) const;

    /// Runs a step of which ranks may fail alone. All call it, and where one has failed, each throws that error.
    template <class F>
    void together(const F& step) const {
        if (size_ == 1) return step();
        std::string sentence;
        try {
            step();
        } catch (const std::exception& e) {
            sentence = program::sentence_of(e);
        }
        const std::vector<std::string> all = gather(sentence);
        for (std::size_t r = 0; r < all.size(); ++r)
            if (!all[r].empty())
                throw Agreed(all[r] + (r == 0 ? "" : " (rank " + std::to_string(r) + " of " +
                                                         std::to_string(size_) + ")"));
    }

private:
    int rank_ = 0, size_ = 1, local_ = 0;
    std::string fault_;
};
