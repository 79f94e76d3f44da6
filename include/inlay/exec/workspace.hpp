// SPDX-License-Identifier: Apache-2.0
/// Scratch memory of kernels that the caller owns: `workspace_bytes` gives the need of a run beforehand, and the run
/// allocates nothing then.
#pragma once

#include <inlay/core/error.hpp>

#include <cstddef>
#include <cstdint>

namespace inlay::inline INLAY_ABI {

/// Memory of a target, lent to a run until its work is done. Its content does not matter before and means nothing
/// after: counters that have to begin as 0 are set to 0 by the run, in the order of the stream.
struct Workspace {
    static constexpr std::size_t alignment = 256;
    void* data = nullptr;
    std::size_t bytes = 0;
};

namespace detail {

/// Throws where a run that needs `needed` bytes cannot have them here.
INLAY_OUTLINE void demand_workspace(Text (*runs)(), const Workspace& w, std::size_t needed) {
    if (needed == 0) return;
    const auto address = reinterpret_cast<std::uintptr_t>(w.data);
    if (w.bytes < needed)
        fail(runs() + ": the workspace has " + decimal_text(w.bytes) + " bytes, expected " + decimal_text(needed) +
             " (workspace_bytes says how many)");
    if (!w.data) fail(runs() + ": the workspace is null, expected " + decimal_text(needed) + " bytes");
    if (address % Workspace::alignment != 0)
        fail(runs() + ": the workspace begins " + decimal_text(address % Workspace::alignment) +
             " bytes behind a multiple of " + decimal_text(Workspace::alignment) + ", expected an aligned address");
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
