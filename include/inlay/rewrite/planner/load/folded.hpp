// SPDX-License-Identifier: Apache-2.0
/// Weights that take up an operation before or after their product.
#pragma once

#include <inlay/rewrite/planner/load/symbol.hpp>
#include <inlay/rewrite/upsample_conv.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace load {

/// w [N, K] and γ [K] → w[n, k]·γ[k].
struct ScaledColumns : load_symbol {
    static constexpr const char* name = "scaled columns";
    static constexpr ClassData data(const ClassData* c) { return detail::matrix_of(c[0].extents[0], c[0].extents[1]); }
    template <class W, class Gamma, class To>
    static void compute(const W& w, const Gamma& gamma, const To& to) {
        for (index_t i = 0; i < count(to.extents); ++i)
            detail::set(to, i, detail::at(w, i) * detail::at(gamma, i % to.extents[1]));
    }
};

/// w [N, K] → Σ_k w[n, k], of the elements as they are stored.
struct RowSums : load_symbol {
    static constexpr const char* name = "row sums";
    static constexpr bool fp32 = true;
    static constexpr ClassData data(const ClassData* c) { return detail::vector_of(c[0].extents[0]); }
    template <class W, class To>
    static void compute(const W& w, const To& to) {
        const index_t columns = w.extents[1];
        for (index_t n = 0; n < to.extents[0]; ++n) {
            double sum = 0;
            for (index_t k = 0; k < columns; ++k) sum += detail::at(w, n * columns + k);
            detail::set(to, n, sum);
        }
    }
};

/// w [N, K] and β [K] → Σ_k w[n, k]·β[k].
struct Shift : load_symbol {
    static constexpr const char* name = "shift";
    static constexpr bool fp32 = true;
    static constexpr ClassData data(const ClassData* c) { return detail::vector_of(c[0].extents[0]); }
    template <class W, class Beta, class To>
    static void compute(const W& w, const Beta& beta, const To& to) {
        const index_t columns = w.extents[1];
        for (index_t n = 0; n < to.extents[0]; ++n) {
            double sum = 0;
            for (index_t k = 0; k < columns; ++k) sum += detail::at(w, n * columns + k) * detail::at(beta, k);
            detail::set(to, n, sum);
        }
    }
};

/// w [O, 3, 3, C] → [4, O, 4·C]: the filters of the four phases of an upsampled image.
struct PhaseWeights : load_symbol {
    static constexpr const char* name = "phase weights";
    static constexpr ClassData data(const ClassData* c) {
        return {3, {4, c[0].extents[0], 4 * quotient(c[0].size(), 9 * c[0].extents[0])}};
    }
    template <class W, class To>
    static void compute(const W& w, const To& to) {
        inlay::rules::phase_weights(w, Filters<To>{to, {{4, w.extents[0], 2, 2, w.extents[3]}}});
    }

private:
    /// `to` as [4, O, 2, 2, C].
    template <class To>
    struct Filters {
        using value_type = typename To::value_type;
        const To& to;
        Extents<5> extents;
        value_type& operator()(const Extents<5>& c) const {
            return to({{c[0], c[1], (2 * c[2] + c[3]) * extents[4] + c[4]}});
        }
    };
};

/// w [Parts·N, K] → [Parts·N]: the factor of queries for the first part, 1 for the others.
template <auto D, int Parts>
struct QueryFactors : load_symbol {
    static constexpr const char* name = "query factors";
    static constexpr bool fp32 = true, takes_lengths = true;
    static constexpr ClassData data(const ClassData* c) { return detail::vector_of(c[0].extents[0]); }
    template <class W, class To>
    static void compute(const Lengths& lengths, const W&, const To& to) {
        const double factor = query_factor(length_of(as_dim(D), lengths));
        const index_t n = to.extents[0];
        for (index_t i = 0; i < n; ++i) detail::set(to, i, i < n / Parts ? factor : 1.0);
    }
};

}  // namespace load

}  // namespace inlay::inline INLAY_ABI::planner
