// SPDX-License-Identifier: Apache-2.0
/// Programs to be run again and again, one after the other: where a target can replay launches at a lower price than it
/// makes them, they are captured.
#pragma once

#include <inlay/exec/program.hpp>

#include <vector>

namespace inlay::inline INLAY_ABI {

/// A target that computes while it is called has nothing to save. `exec/graph.hpp` has that of GPUs.
template <class Target>
class Recording {
    static_assert(!Target::Mark::ahead, "inlay: a recording on this target needs its graphs: inlay/exec/graph.hpp");

public:
    Recording() = default;
    /// The target and the programs outlive it.
    template <class... Programs>
    explicit Recording(Target& target, const Programs&... programs) : target_(&target), programs_{&programs...} {}
    void run() const {
        for (const Program<Target>* p : programs_) p->run(*target_);
    }
    /// Kernels of one run.
    std::size_t launches() const {
        std::size_t n = 0;
        for (const Program<Target>* p : programs_) n += p->size();
        return n;
    }

private:
    Target* target_ = nullptr;
    std::vector<const Program<Target>*> programs_;
};

}  // namespace inlay::inline INLAY_ABI
