// SPDX-License-Identifier: Apache-2.0
/// The record of a row's statistics, as `WithRowStats` publishes it and `PublishedMean` reads it: E numbers in fp32, an
/// even number of at least 4. The first two are the columns of a part and those of the row; then each part has two, the
/// mean of its columns and the sum of squared deviations from it. The last part may have fewer columns. So the record
/// says itself how a plan divided the row.
///
/// Proof of the merge (Chan, Golub, LeVeque 1983): for parts of nᵢ numbers with means mᵢ and squared deviations Mᵢ, and
/// any k, Σ (x − k)² = Σᵢ Mᵢ + nᵢ (mᵢ − k)². The squared deviations from the mean are less by (Σᵢ nᵢ (mᵢ − k))² / n.
/// With k the mean of the first part, (k − mean)² ≤ M · (1/n₁ − 1/n): however large the mean, nothing cancels but what
/// is of the size of M · n/n₁.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/math.hpp>

namespace inlay::inline INLAY_ABI {

/// Parts for which a record of so many numbers has room.
INLAY_FN constexpr index_t row_record_parts(index_t numbers) { return numbers / 2 - 1; }
/// Extents of the last axis of records: an even number that has room for a part.
INLAY_FN constexpr bool is_row_record(index_t numbers) { return numbers >= 4 && numbers % 2 == 0; }

namespace detail {

/// Mean and mean squared deviation of a row.
template <class S>
struct RowMoments {
    S mean, variance;
};

/// Merges the parts of a record in their order, with arithmetic of S. `step`: from a number of it to the next.
template <class S, class T>
INLAY_FN RowMoments<S> row_moments_of(const T* record, index_t step, index_t numbers) {
    const auto at = [&](index_t i) { return static_cast<S>(record[i * step]); };
    const S width = at(0), columns = at(1), k = at(2);
    S left = columns, sum = 0, squares = 0;
    for (index_t i = 2; i + 1 < numbers && left > S(0); i += 2) {
        const S n = left < width ? left : width, d = at(i) - k, nd = n * d;
        sum += nd;
        squares += at(i + 1) + nd * d;
        left -= n;
    }
    const S d = math::quotient(sum, columns);
    return {k + d, math::quotient(squares - sum * d, columns)};
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
