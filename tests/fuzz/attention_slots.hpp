// SPDX-License-Identifier: Apache-2.0
/// Operands of random attentions, drawn as numbers that every storage type holds, and their tensors.
#pragma once

#include "plain_attention.hpp"
#include "slots.hpp"

#include <frame/array.hpp>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// Extents of an attention. `shared`: query heads of a key head.
struct Shape {
    long batch, heads, shared, queries, keys;
};
inline std::ostream& operator<<(std::ostream& to, const Shape& s) {
    return to << "batch " << s.batch << ", heads " << s.heads << ", " << s.shared << " a key head, " << s.queries
              << " queries, " << s.keys << " keys";
}

/// The way an operand is written: as it lies [B, H, S, D], `across` as a permuted [B, S, H, D], `transposed` as a
/// transposed [B, H, D, S], or a function of it.
enum class Operand { plain, across, transposed, halved, exponential };
struct OperandKinds {
    Operand q, k, v;
};

/// The content of a slot, and the axes of the scores along which it varies, of "bhqk"; "c" are the
/// columns of the result.
enum class Content {
    eighths,        ///< from −2 to 2
    positive,       ///< from 1/8 to 2
    slopes,         ///< falling from head to head
    holes,          ///< eighths, a fourth of them -infinity
    bits,           ///< 0 and 1
    ids_of_keys,    ///< of documents, ascending along the keys
    ids_of_queries, ///< of the documents of `ids_of_keys`, whose last queries they are
    mixed_ids,      ///< in no order
    lengths,        ///< from 0 to the keys
    widths,         ///< from 1 to 40
};
struct SlotKind {
    Content content;
    std::string_view axes;
};

namespace detail {

inline long id_of_key(long k) { return k < 0 ? -1 : k / 37 + (k % 37 > 20); }

inline double drawn(Random& random, Content content, const plain::Problem& x, const long* at) {
    const auto below = [&](long n) { return static_cast<long>(random.below(static_cast<std::uint32_t>(n))); };
    switch (content) {
        case Content::eighths: return static_cast<double>(below(33) - 16) / 8;
        case Content::positive: return static_cast<double>(below(16) + 1) / 8;
        case Content::slopes: return -0.5 / static_cast<double>(1 << at[1] % 8);
        case Content::holes: return below(4) ? static_cast<double>(below(33) - 16) / 8 : -HUGE_VAL;
        case Content::bits: return static_cast<double>(below(2));
        case Content::ids_of_keys: return static_cast<double>(id_of_key(at[3]));
        case Content::ids_of_queries: return static_cast<double>(id_of_key(at[2] + x.keys - x.queries));
        case Content::mixed_ids: return static_cast<double>(below(3));
        case Content::lengths: return static_cast<double>(below(x.keys + 1));
        case Content::widths: return static_cast<double>(below(40) + 1);
    }
    return 0;
}
inline plain::Array drawn_array(Random& random, Content content, const plain::Problem& x, const long (&extents)[4]) {
    plain::Array a;
    for (int i = 0; i < 4; ++i) a.extents[i] = extents[i];
    long at[4];
    for (at[0] = 0; at[0] < extents[0]; ++at[0])
        for (at[1] = 0; at[1] < extents[1]; ++at[1])
            for (at[2] = 0; at[2] < extents[2]; ++at[2])
                for (at[3] = 0; at[3] < extents[3]; ++at[3]) a.v.push_back(drawn(random, content, x, at));
    return a;
}

}  // namespace detail

/// A problem with operands as they are stored.
inline plain::Problem drawn_problem(const Shape& s, int d, int dv, const std::vector<SlotKind>& slots,
                                    const std::vector<double>& scalars, std::uint64_t seed) {
    plain::Problem x;
    x.batch = s.batch, x.heads = s.heads, x.group = s.shared, x.queries = s.queries, x.keys = s.keys;
    x.d = d, x.dv = dv;
    Random random;
    for (std::uint64_t n = 0; n < seed * 7; ++n) random.below(2);
    const long shared = s.heads / s.shared;
    x.q = detail::drawn_array(random, Content::eighths, x, {s.batch, s.heads, s.queries, d});
    x.k = detail::drawn_array(random, Content::eighths, x, {s.batch, shared, s.keys, d});
    x.v = detail::drawn_array(random, Content::eighths, x, {s.batch, shared, s.keys, dv});
    const long all[] = {s.batch, s.heads, s.queries, s.keys};
    for (const SlotKind& slot : slots) {
        const auto varies = [&](char axis) { return slot.axes.find(axis) != std::string_view::npos; };
        long extents[4];
        for (int i = 0; i < 4; ++i) extents[i] = varies("bhqk"[i]) ? all[i] : 1;
        if (varies('c')) extents[3] = dv;
        x.slots.push_back(detail::drawn_array(random, slot.content, x, extents));
    }
    x.scalars = scalars;
    return x;
}

/// The operand that attention multiplies, of the one that is stored.
inline plain::Array computed(Operand kind, plain::Array a) {
    for (double& x : a.v) x = kind == Operand::halved ? x / 2 : kind == Operand::exponential ? std::exp(x) : x;
    return a;
}

/// The tensor of an operand.
template <class T>
inlay_test::Array<T, 4> stored(Operand kind, const plain::Array& a) {
    const auto& e = a.extents;
    const bool across = kind == Operand::across, transposed = kind == Operand::transposed;
    inlay_test::Array<T, 4> r({{e[0], across ? e[2] : e[1], transposed ? e[3] : across ? e[1] : e[2],
                                transposed ? e[2] : e[3]}}, 0);
    std::size_t n = 0;
    for (long b = 0; b < e[0]; ++b)
        for (long h = 0; h < e[1]; ++h)
            for (long s = 0; s < e[2]; ++s)
                for (long c = 0; c < e[3]; ++c) {
                    const long at = across       ? ((b * e[2] + s) * e[1] + h) * e[3] + c
                                    : transposed ? ((b * e[1] + h) * e[3] + c) * e[2] + s
                                                 : ((b * e[1] + h) * e[2] + s) * e[3] + c;
                    r.v[static_cast<std::size_t>(at)] = inlay::to_storage<T>(a.v[n++]);
                }
    return r;
}

/// The tensor of a slot, in T of rank R.
template <class T, int R>
struct Slot {
    static inlay_test::Array<T, R> stored(const plain::Array& a) {
        Extents<R> e;
        for (int i = 0; i < R; ++i) e[i] = a.extents[4 - R + i];
        inlay_test::Array<T, R> r(e, 0);
        for (std::size_t n = 0; n < a.v.size(); ++n) r.v[n] = inlay::to_storage<T>(a.v[n]);
        return r;
    }
};

}  // namespace fuzz
