// SPDX-License-Identifier: Apache-2.0
/// A tile of a kernel's dataflow: facts that decide what moving it costs.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::dataflow {

/// The memory that a tile lies in.
enum class Region { global, shared, registers };

/// Facts of a tile. `iterations`: times that the loop around the kernel's products computes or loads it anew, 1 of a tile
/// from before the loop.
struct Tile {
    std::int64_t rows = 0, cols = 0, element_bytes = 0;
    Region region = Region::global;
    std::int64_t iterations = 1;
    bool valid = true;  ///< false: an operation above it does not take its operands

    constexpr bool operator==(const Tile&) const = default;
    constexpr std::int64_t bytes() const { return rows * cols * element_bytes; }
    /// The same values elsewhere.
    constexpr Tile in(Region there, bool valid_there) const {
        Tile t = *this;
        t.region = there;
        t.valid = valid && valid_there;
        return t;
    }
};

/// Times that a result which a loop accumulates is counted as stored.
enum class Stores {
    each_iteration,  ///< like every operation of the loop
    once             ///< after the loop
};

}  // namespace inlay::inline INLAY_ABI::dataflow
