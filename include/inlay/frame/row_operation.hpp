// SPDX-License-Identifier: Apache-2.0
/// Row operations: what a row frame does to a row that its target holds, in registers, in shared memory or on the host.
#pragma once

#include <inlay/core/config.hpp>
#include <inlay/tile/shapes.hpp>

#include <concepts>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {
/// The members of every row, of which an operation may call any. `value`: the type of the sums.
struct declared_row {
    using value = float;
    index_t size() const;
    Moments<float> moments() const;
    float sum_of_squares() const;
    void softmax();
    template <class F>
    void each(F&& f);
    template <class G, class B>
    void scale_shift(float mean, float rstd, const G& gamma, const B& beta);
    template <class G>
    void scale(float by, const G& gamma);
};
}  // namespace detail

/// A function of a row, for host and device, which carries what it needs by value.
template <class Op>
concept RowOperation = std::is_trivially_copyable_v<Op> && requires(const Op& op, detail::declared_row& row) {
    { op(row) } -> std::same_as<void>;
};

/// One that reads a vector over the row, γ, in `gamma`. A target may copy it ahead of the row.
template <class Op>
concept ScalingOperation = requires(const Op& op) { op.gamma.data; };
/// One that reads a second, β, in `beta`.
template <class Op>
concept ShiftingOperation = ScalingOperation<Op> && requires(const Op& op) { op.beta.data; };

/// True, or a sentence: `rows` of a target goes on under `if constexpr` of this, since nvcc prints no constraint that
/// failed.
template <class Op>
constexpr bool check_row_operation() {
    static_assert(RowOperation<Op>, "inlay: the operation of rows is a trivially copyable function of a row: template "
                                    "<class Row> INLAY_FN void operator()(Row& row) const");
    return RowOperation<Op>;
}

}  // namespace inlay::inline INLAY_ABI
