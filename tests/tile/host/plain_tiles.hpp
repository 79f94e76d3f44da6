// SPDX-License-Identifier: Apache-2.0
/// Tile registers that plain loops replace, for processors without AMX.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>

#include <cstring>

namespace plain_tiles {

using namespace inlay;

/// Tile registers as the manual has them: pairs of bf16 along K, whose firsts and seconds are summed apart.
class Registers {
    char bytes_[8][16][64];

    template <class T>
    T at(int tile, index_t row, index_t i) const {
        T x;
        std::memcpy(&x, bytes_[tile][row] + i * index_t(sizeof(T)), sizeof(T));
        return x;
    }

public:
    template <int T>
    void zero() {
        std::memset(bytes_[T], 0, sizeof(bytes_[T]));
    }
    template <int T>
    void load(const void* from, index_t stride) {
        for (index_t i = 0; i < 16; ++i) std::memcpy(bytes_[T][i], static_cast<const char*>(from) + i * stride, 64);
    }
    template <int T>
    void store(void* to, index_t stride) {
        for (index_t i = 0; i < 16; ++i) std::memcpy(static_cast<char*>(to) + i * stride, bytes_[T][i], 64);
    }
    template <int C, int A, int B>
    void multiply() {
        for (index_t m = 0; m < 16; ++m)
            for (index_t n = 0; n < 16; ++n) {
                float sum[2] = {0, 0};
                for (index_t k = 0; k < 16; ++k)
                    for (index_t i = 0; i < 2; ++i)
                        sum[i] += from_storage<float>(at<bf16>(A, m, 2 * k + i)) *
                                  from_storage<float>(at<bf16>(B, k, 2 * n + i));
                const float c = at<float>(C, m, n) + (sum[0] + sum[1]);
                std::memcpy(bytes_[C][m] + n * index_t(sizeof(float)), &c, sizeof(c));
            }
    }
};

/// For `multiplies` in place of the processor's.
struct Loops {
    using Registers = plain_tiles::Registers;
    static bool in_use() { return true; }
};

}  // namespace plain_tiles
