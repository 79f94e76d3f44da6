// SPDX-License-Identifier: Apache-2.0
/// Schedules that were measured, by the exact shape of a product of sm_90a's engine. bench/tune writes such tables; the
/// rule of `plan/gemm/wgmma_schedules.hpp` serves what is in none.
#pragma once

#include <inlay/core/extents.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI {

/// The kinds of A: boxes and pixels as they lie, evaluated ones, halo tiles as they lie, evaluated ones.
enum class WgmmaInput { copied, evaluated, halo, evaluated_halo };

/// A product as a key of tables. Rows that are no pixels under halo tiles are the width of one image.
struct WgmmaShape {
    WgmmaInput input = WgmmaInput::copied;
    bool pairs = false;                             ///< the product is gated
    index_t batch = 1, images = 1, height = 1, width = 1;
    index_t taps = 1, n = 0, k = 0;                 ///< k: of a tap

    /// Below 0, 0 or above 0, as it comes before, is or comes after the other one. Not defaulted: nvcc 13.0 makes no
    /// code of defaulted comparisons.
    constexpr int compare(const WgmmaShape& other) const {
        const index_t a[] = {static_cast<index_t>(input), pairs, batch, images, height, width, taps, n, k};
        const index_t b[] = {static_cast<index_t>(other.input), other.pairs, other.batch, other.images, other.height,
                             other.width, other.taps, other.n, other.k};
        int i = 0;
        while (i < 8 && a[i] == b[i]) ++i;
        return a[i] < b[i] ? -1 : a[i] > b[i];
    }
    friend constexpr bool operator==(const WgmmaShape& a, const WgmmaShape& b) { return a.compare(b) == 0; }
    friend constexpr bool operator<(const WgmmaShape& a, const WgmmaShape& b) { return a.compare(b) < 0; }
};

/// The fastest schedule of a shape, and the times of it and of the rule's own choice, in microseconds.
struct WgmmaTuned {
    WgmmaShape shape;
    int m, n;           ///< block tile
    bool ping_pong;
    int parts;          ///< of the sum
    double us, rule_us;
};

/// A device's table, in the order of its shapes.
struct WgmmaTable {
    const char* device;
    int units;          ///< multiprocessors of a device that it applies to
    const WgmmaTuned* rows;
    std::size_t size;

    /// The index of a shape's row; `size` if there is none. An index, since under UBSan g++ has no constant for a
    /// comparison of an address with null.
    constexpr std::size_t find(const WgmmaShape& s, int of_units) const {
        if (of_units != units) return size;
        std::size_t first = 0, last = size;
        while (first != last) {
            const std::size_t middle = first + (last - first) / 2;
            const int order = rows[middle].shape.compare(s);
            if (order == 0) return middle;
            if (order < 0) first = middle + 1;
            else last = middle;
        }
        return size;
    }
};

}  // namespace inlay::inline INLAY_ABI
