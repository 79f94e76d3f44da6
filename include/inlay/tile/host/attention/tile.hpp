// SPDX-License-Identifier: Apache-2.0
/// A work tile of attention: queries of one head, in the memory of a worker.
#pragma once

#include <inlay/tile/host/attention/plan.hpp>

namespace inlay::inline INLAY_ABI::on_host {

/// Keys of a block, as a row of scores meets them. `masked`: not all of them are certainly visible.
struct KeyRun {
    index_t batch, query, first, count;
    bool masked;
};

/// All keys, in blocks of which none is masked.
struct AllKeys {
    index_t blocks;
    int count() const { return static_cast<int>(blocks); }
    int block(int i) const { return i; }
    bool masked(int) const { return false; }
};

/// Scratch memory of a worker, as its plan divides it.
struct AttentionScratch {
    const AttentionPlan& plan;
    char* memory;

    float* floats(std::size_t at) const { return reinterpret_cast<float*>(memory + at); }
    /// Memory of floats for factors of T, which are no wider.
    template <class T>
    T* factors(std::size_t at) const {
        static_assert(sizeof(T) <= sizeof(float));
        return reinterpret_cast<T*>(memory + at);
    }
    template <class T>
    const T** pointers() const {
        return reinterpret_cast<const T**>(memory + plan.pointers_at);
    }
    template <class T>
    T* query(index_t row) const {
        return factors<T>(plan.q_at) + row * plan.q_stride;
    }
    /// Scores of a row, in whose place weight 0 is written.
    float* weight(int i, index_t row) const {
        return floats(plan.score_at) + (i * plan.room + row) * plan.score_stride;
    }
    float* out(int i, index_t row) const { return floats(plan.out_at) + (i * plan.room + row) * plan.out_stride; }
    template <class Row>
    Row& state(index_t row) const {
        return reinterpret_cast<Row*>(memory + plan.state_at)[row];
    }
};

}  // namespace inlay::inline INLAY_ABI::on_host
