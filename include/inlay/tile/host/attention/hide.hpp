// SPDX-License-Identifier: Apache-2.0
/// Hides keys from the scores of a row: by its intervals where the condition is solved, else key by key.
#pragma once

#include <inlay/expr/eval.hpp>
#include <inlay/expr/slots.hpp>
#include <inlay/plan/attention/visible_keys.hpp>

#include <algorithm>
#include <limits>

namespace inlay::inline INLAY_ABI::on_host {

/// `scores`: the slots of the condition, and as `out` the extents of scores.
template <class Condition, class Environment>
class HiddenKeys {
    const Bound<Condition, Environment> bound_;
    const bool solved_;

    /// A leaf in double: numbers of keys and ids are whole.
    struct Reader {
        using scalar = double;
        using value = double;
        template <class T>
        double load(const T* p, index_t step, index_t j) const {
            return from_storage<double>(p[j * step]);
        }
        double iota(double first, double) const { return first; }
    };

public:
    explicit HiddenKeys(const Environment& scores)
        : bound_(scores), solved_(solved_by_types<Condition> || is_solved<Condition>(scores)) {}

    /// Puts -infinity in place of the scores s of hidden keys, of the n from key0 on.
    void operator()(const ScoreRow& row, index_t key0, index_t n, float* s) const {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        if (solved_) {
            const auto seen = visible_keys<Condition>(bound_.env, QueryTile::of(row));
            index_t from = 0;
            for (int i = 0; i < seen.count; ++i) {
                const index_t begin = std::clamp<index_t>(seen.at[i].begin - key0, from, n);
                std::fill(s + from, s + begin, -infinity);
                from = std::clamp<index_t>(seen.at[i].end - key0, begin, n);
            }
            std::fill(s + from, s + n, -infinity);
        } else {
            CursorsOf<Condition, Bound<Condition, Environment>, double> cursors;
            for (index_t done = 0; done < n;) {
                Walk<4> walk{Extents<4>{{row.batch, row.head, row.query, key0 + done}}, 3, n - done};
                cursors.place(bound_, walk, nullptr);
                for (index_t j = 0; j < walk.run; ++j)
                    if (cursors.eval(bound_, Reader{}, j) == 0) s[done + j] = -infinity;
                done += walk.run;
            }
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_host
