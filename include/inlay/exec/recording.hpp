// SPDX-License-Identifier: Apache-2.0
/// Programs to be run again and again, one after the other: where a target can replay launches at a lower price than it
/// makes them, they are captured.
#pragma once

#include <inlay/exec/program.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace inlay::inline INLAY_ABI {

/// A target that computes while it is called has nothing to save. `exec/graph.hpp` has that of GPUs.
template <class Target>
class Recording {
    static_assert(!Target::Mark::ahead, "inlay: a recording on this target needs its graphs: inlay/exec/graph.hpp");

public:
    Recording() = default;
    /// The target and the programs outlive it. A program is a Program, or has the same `run` and `size`.
    template <class... Programs>
    explicit Recording(Target& target, const Programs&... programs)
        : runs_{[&target, &programs] { programs.run(target); }...},
          launches_((programs.size() + ... + std::size_t{0})) {}
    void run() const {
        for (const auto& run : runs_) run();
    }
    /// Kernels of one run.
    std::size_t launches() const { return launches_; }

private:
    std::vector<std::function<void()>> runs_;
    std::size_t launches_ = 0;
};

}  // namespace inlay::inline INLAY_ABI
