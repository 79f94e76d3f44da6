// SPDX-License-Identifier: Apache-2.0
/// Tensors for random expressions: dense, with gaps or column-major, filled with numbers that every storage type holds.
#pragma once

#include <inlay/exec/tensor.hpp>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace fuzz {

using inlay::bf16;
using inlay::Extents;
using inlay::fp16;
using inlay::index_t;
using inlay::Tensor;

/// Multiples of 1/8 up to 4, which every storage type holds exactly; whole numbers for int32.
class Random {
public:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((step() >> 33) % n); }
    float eighths() { return (static_cast<float>(below(65)) - 32.0f) / 8.0f; }

private:
    std::uint64_t step() { return state_ = state_ * 6364136223846793005u + 1442695040888963407u; }
    std::uint64_t state_ = 12345;
};

/// "2,3<5" → {2, 3} and the number after '<', or -1.
struct Spec {
    std::vector<index_t> extents;
    int rows = -1;
};
inline Spec read_spec(const char*& s) {
    Spec spec;
    while (*s && *s != ' ') {
        if (*s == ',') ++s;
        const bool rows = *s == '<';
        if (rows) ++s;
        char* end;
        const long n = std::strtol(s, &end, 10);
        s = end;
        if (rows) spec.rows = static_cast<int>(n);
        else spec.extents.push_back(n);
    }
    return spec;
}

/// Owns what the slots of one kernel hold.
class Memory {
public:
    void clear() { blocks_.clear(); }

    /// A third of the tensors is dense, a third has a stride of 2 along each axis, a third is column-major.
    template <class T, int R>
    void fill(Tensor<T, R>& t, const Spec& spec, int slot) {
        for (int i = 0; i < R; ++i) t.extents[i] = spec.extents[static_cast<std::size_t>(i)];
        t.strides = inlay::row_major(t.extents);
        if (slot % 3 == 1)
            for (int i = 0; i < R; ++i) t.strides[i] *= 2;
        if (slot % 3 == 2) {
            index_t n = 1;
            for (int i = 0; i < R; ++i) t.strides[i] = n, n *= t.extents[i];
        }
        const auto n = static_cast<std::size_t>(2 * t.size());
        blocks_.emplace_back(n * sizeof(T));
        t.data = reinterpret_cast<T*>(blocks_.back().data());
        for (std::size_t i = 0; i < n; ++i) {
            if constexpr (std::is_same_v<T, std::int32_t>)
                // Indices reach beyond their table on both sides.
                t.data[i] = spec.rows < 0
                                ? static_cast<std::int32_t>(random.below(9)) - 4
                                : static_cast<std::int32_t>(random.below(static_cast<unsigned>(spec.rows) + 4)) - 2;
            else t.data[i] = T(random.eighths());
        }
    }

    Random random;

private:
    std::vector<std::vector<char>> blocks_;
};

}  // namespace fuzz
