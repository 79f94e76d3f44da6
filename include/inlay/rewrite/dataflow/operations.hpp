// SPDX-License-Identifier: Apache-2.0
/// Operations of a kernel that multiplies tiles in a loop, as symbols of terms, with the bytes that each moves. Counted
/// are bytes between memories, as often as the loop runs the operation:
///
/// | operation | result | bytes |
/// | --- | --- | --- |
/// | `GlobalTile` | a tile in global memory | 0 |
/// | `Lds` | copied to shared memory | the tile, each iteration that loads it |
/// | `Ldr` | copied to registers | the tile, each iteration that loads it; of a tile in registers too, as a copy |
/// | `Wgmma` | A·B in fp32, in registers | each operand that lies in shared memory, each iteration of the product |
/// | `Elementwise` | a function of each element, in registers | 0 |
/// | `Sts` | copied to shared memory | the tile, each iteration or once (`Stores`) |
/// | `Stg` | copied to global memory | the tile, each iteration or once |
///
/// A product runs in each iteration in which one of its operands is new. It reads an operand in shared memory anew each
/// time, and one in registers not at all. For the tiles of `attention.hpp`, in bytes:
///
/// | | naive | rearranged |
/// | --- | --- | --- |
/// | LDS of Q, of K, of V | 16,384 + 131,072 + 131,072 | the same |
/// | LDR of Q | | 16,384 |
/// | Q·K | 8 · (16,384 + 16,384) = 262,144 | 8 · 16,384 = 131,072 |
/// | A·V | 8 · 16,384 = 131,072 | the same |
/// | STS and STG, once | 32,768 + 32,768 | the same |
/// | total | 737,280 | 622,592 |
/// | STS and STG, each iteration | 262,144 + 262,144 | the same |
/// | total | 1,196,032 | 1,081,344 |
#pragma once

#include <inlay/rewrite/dataflow/tile.hpp>

namespace inlay::inline INLAY_ABI::dataflow {

/// A tile of an input in global memory, loaded `Iterations` times: in each iteration another part of the input, or the
/// same one once. `Name`: a letter.
template <char Name, int Rows, int Cols, int ElementBytes, int Iterations>
struct GlobalTile {
    static_assert(Rows > 0 && Cols > 0 && ElementBytes > 0 && Iterations > 0,
                  "inlay: a tile has at least one row, column, byte and iteration");
    static constexpr char letter[] = {Name, 0};
    static constexpr const char* name = letter;
    static constexpr Tile tile() { return {Rows, Cols, ElementBytes, Region::global, Iterations}; }
    static constexpr std::int64_t traffic(Stores) { return 0; }
};

struct Lds {
    static constexpr const char* name = "LDS";
    static constexpr Tile tile(const Tile& t) { return t.in(Region::shared, t.region == Region::global); }
    static constexpr std::int64_t traffic(Stores, const Tile& t) { return t.bytes() * t.iterations; }
};

struct Ldr {
    static constexpr const char* name = "LDR";
    static constexpr Tile tile(const Tile& t) { return t.in(Region::registers, t.region != Region::global); }
    static constexpr std::int64_t traffic(Stores, const Tile& t) { return t.bytes() * t.iterations; }
};

struct Wgmma {
    static constexpr const char* name = "WGMMA";
    static constexpr Tile tile(const Tile& a, const Tile& b) {
        const bool valid = a.valid && b.valid && a.cols == b.rows && a.region != Region::global &&
                           b.region == Region::shared;
        return {a.rows, b.cols, 4, Region::registers, iterations(a, b), valid};
    }
    static constexpr std::int64_t traffic(Stores, const Tile& a, const Tile& b) {
        return (read(a) + read(b)) * iterations(a, b);
    }

private:
    static constexpr std::int64_t iterations(const Tile& a, const Tile& b) {
        return a.iterations > b.iterations ? a.iterations : b.iterations;
    }
    static constexpr std::int64_t read(const Tile& t) { return t.region == Region::shared ? t.bytes() : 0; }
};

/// E over Out, an element of the operand.
template <class E>
struct Elementwise {
    static constexpr const char* name = "Elementwise";
    static constexpr Tile tile(const Tile& t) { return t.in(Region::registers, t.region == Region::registers); }
    static constexpr std::int64_t traffic(Stores, const Tile&) { return 0; }
};

struct Sts {
    static constexpr const char* name = "STS";
    static constexpr Tile tile(const Tile& t) { return t.in(Region::shared, t.region == Region::registers); }
    static constexpr std::int64_t traffic(Stores stores, const Tile& t) {
        return t.bytes() * (stores == Stores::once ? 1 : t.iterations);
    }
};

struct Stg {
    static constexpr const char* name = "STG";
    static constexpr Tile tile(const Tile& t) { return t.in(Region::global, t.region == Region::shared); }
    static constexpr std::int64_t traffic(Stores stores, const Tile& t) {
        return t.bytes() * (stores == Stores::once ? 1 : t.iterations);
    }
};

}  // namespace inlay::inline INLAY_ABI::dataflow
