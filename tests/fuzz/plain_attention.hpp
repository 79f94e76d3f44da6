// SPDX-License-Identifier: Apache-2.0
/// Attention as loops over batch, head, query and key in double, from functions of a score, of a pair and of a row. It
/// includes nothing of Inlay.
///
/// A rounding that an engine makes is measured here too: scores and weights are shaken by a unit, and the distance by
/// which the result moves is what the rounding costs, ill-conditioned sums included. Sums of weights are of fp32.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace plain {

/// Numbers over [batch, heads, queries, keys]; an axis of extent 1 is read at 0.
struct Array {
    long extents[4] = {1, 1, 1, 1};
    std::vector<double> v;

    double at(long a, long b, long c, long d) const {
        const long at[] = {a, b, c, d};
        long n = 0;
        for (int i = 0; i < 4; ++i) n = n * extents[i] + (extents[i] == 1 ? 0 : at[i]);
        return v[static_cast<std::size_t>(n)];
    }
};

/// Either unit or −unit, the most that a rounding may be off by.
class Shake {
public:
    explicit Shake(double unit = 0, std::uint64_t seed = 1) : unit_(unit), state_(seed * 2654435761u + 1) {}
    double operator()() {
        if (unit_ == 0) return 0;
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ >> 63 ? unit_ : -unit_;
    }

private:
    double unit_;
    std::uint64_t state_;
};

struct Problem {
    long batch = 1, heads = 1, group = 1, queries = 0, keys = 0, d = 1, dv = 1;
    Array q, k, v;                  ///< [B, H, Sq, D], [B, Hkv, Skv, D], [B, Hkv, Skv, DV], what is multiplied
    bool computes_v = false;        ///< its elements are rounded, as weights are
    std::vector<Array> slots;       ///< from slot 3 on
    std::vector<double> scalars;
};

/// A pair of a query and a key. i: the query counted from the end of the keys.
struct Pair {
    const Problem& x;
    long b, h, q, k;
    double out = 0;

    double i() const { return static_cast<double>(q + x.keys - x.queries); }
    double slot(int n) const { return x.slots[static_cast<std::size_t>(n - 3)].at(b, h, q, k); }
    double scalar(int n) const { return x.scalars[static_cast<std::size_t>(n)]; }
};

/// The scores of a row's visible keys.
class Row {
public:
    Row(const Problem& problem, long b, long h, long q, Shake* weights) : at{problem, b, h, q, 0}, weights_(weights) {}

    const Pair at;
    std::vector<double> scores;

    double max() const {
        double m = -std::numeric_limits<double>::infinity();
        for (const double s : scores) m = std::max(m, s);
        return m;
    }
    template <class F>
    std::vector<double> each(const F& f) const {
        std::vector<double> r;
        for (const double s : scores) r.push_back(f(s) * (1 + (*weights_)()));
        return r;
    }
    template <class F>
    double sum(const F& f) const {
        double r = 0;
        for (const double s : scores) r += f(s);
        return r;
    }
    double count() const { return static_cast<double>(scores.size()); }

private:
    Shake* weights_;
};

/// The functions of one attention.
struct Definition {
    bool (*visible)(const Pair&);
    double (*score)(const Pair&);
    std::vector<double> (*weights)(const Row&);     ///< the factor of each visible key's values
    double (*result)(const Pair&);                  ///< of the sum, as `out`; an epilogue
    double (*number)(const Row&);                   ///< null without a second output
};

struct Result {
    std::vector<double> out, numbers;   ///< [B, H, Sq, DV] and [B, H, Sq]
};

inline Result attention(const Problem& x, const Definition& f, Shake scores = Shake(), Shake weights = Shake()) {
    Result r;
    for (long b = 0; b < x.batch; ++b)
        for (long h = 0; h < x.heads; ++h)
            for (long q = 0; q < x.queries; ++q) {
                Row row(x, b, h, q, &weights);
                std::vector<long> seen;
                const long kv = h / x.group;
                for (long k = 0; k < x.keys; ++k) {
                    Pair pair{x, b, h, q, k};
                    for (long c = 0; c < x.d; ++c) pair.out += x.q.at(b, h, q, c) * x.k.at(b, kv, k, c);
                    if (!f.visible(pair)) continue;
                    const double s = f.score(pair);
                    if (s == -std::numeric_limits<double>::infinity()) continue;    // hidden, by a bias
                    row.scores.push_back(s + scores() * (1 + std::fabs(s)));
                    seen.push_back(k);
                }
                const std::vector<double> by = seen.empty() ? std::vector<double>() : f.weights(row);
                for (long c = 0; c < x.dv; ++c) {
                    Pair at = row.at;
                    at.k = c;   // axes of the result are [batch, heads, queries, columns]
                    for (std::size_t n = 0; n < seen.size(); ++n)
                        at.out += by[n] * x.v.at(b, kv, seen[n], c) * (1 + (x.computes_v ? weights() : 0));
                    r.out.push_back(f.result(at));
                }
                if (f.number) r.numbers.push_back(f.number(row));
            }
    return r;
}

}  // namespace plain
