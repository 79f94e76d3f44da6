// SPDX-License-Identifier: Apache-2.0
/// A small decoder's tokens, of one sequence and of several, by tasks in random legal orders, with buffers poisoned
/// before each value, against plain loops; without any one of the waits the tokens or the rows are wrong.
#include <inlay/plan/persistent/decoder.hpp>
#include <inlay/tile/host/persistent.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace inlay::persistent;

struct Sizes {
    static constexpr int width = 8, heads = 2, inner = 12, vocabulary = 10, parts = 3, element_bytes = 8,
                         part_bytes = 8, copies = 1, winner_bytes = 80, batch = 1;
};
/// Sequences that begin at positions of their own.
struct Several : Sizes {
    static constexpr int batch = 3;
};
constexpr int width = Sizes::width, heads = Sizes::heads, head = width / heads, inner = Sizes::inner,
              vocabulary = Sizes::vocabulary, parts = Sizes::parts, rounds = 2, part_keys = 2, positions = 6;
constexpr int begins[] = {0, 2, 1};
template <class S>
constexpr int passes = S::batch == 1 ? positions : positions - 2;
using Values = std::vector<double>;
std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Weights by their number: any that are not alike.
double weight(int matrix, int round, int n, int k) {
    return 0.6 * std::sin(1.7 * matrix + 3.1 * round + 0.9 * n * n + 2.3 * k + 0.1 * n * k);
}
double gelu(double x) {
    return 0.5 * x * (1 + std::tanh(0.79788456 * (x + 0.044715 * x * x * x)));
}
Values normal(const double* x) {
    double mean = 0, square = 0;
    for (int i = 0; i < width; ++i) mean += x[i] / width;
    for (int i = 0; i < width; ++i) square += (x[i] - mean) * (x[i] - mean) / width;
    Values y(at(width));
    for (int i = 0; i < width; ++i) y[at(i)] = (x[i] - mean) / std::sqrt(square + 1e-5);
    return y;
}
template <class X>
double product(int matrix, int round, int n, const X& x, int k) {
    double sum = 0;
    for (int i = 0; i < k; ++i) sum += weight(matrix, round, n, i) * x[at(i)];
    return sum;
}
double embedded(int token, int position, int i) {
    return weight(5, 0, token, i) + weight(6, 0, position, i);
}
int best(const double* logits) {
    int n = 0;
    for (int i = 1; i < vocabulary; ++i)
        if (logits[i] > logits[n] || std::isnan(logits[i])) n = i;
    return n;
}

/// Query, key and value of each head at a position before a sequence's first one, in the order of their columns.
Values before(int sequence, int round, int position) {
    Values v;
    for (int n = 0; n < 3 * width; ++n) v.push_back(weight(7 + sequence, round, position, n));
    return v;
}
/// Logits of all passes of a sequence by plain loops.
std::vector<Values> expected(int sequence, int passes) {
    std::vector<Values> all;
    std::vector<std::vector<Values>> keys(rounds), values(rounds);
    for (int r = 0; r < rounds; ++r)
        for (int j = 0; j < begins[sequence]; ++j)
            keys[at(r)].push_back(before(sequence, r, j)), values[at(r)].push_back(before(sequence, r, j));
    int token = sequence;
    for (int pass = 0; pass < passes; ++pass) {
        const int position = begins[sequence] + pass;
        Values row(at(width));
        for (int i = 0; i < width; ++i) row[at(i)] = embedded(token, position, i);
        for (int r = 0; r < rounds; ++r) {
            Values x = normal(row.data()), qkv, attended(at(width)), mlp;
            for (int n = 0; n < 3 * width; ++n) qkv.push_back(product(0, r, n, x, width));
            keys[at(r)].push_back(qkv), values[at(r)].push_back(qkv);
            for (int h = 0; h < heads; ++h) {
                Values p;
                double sum = 0;
                for (int j = 0; j <= position; ++j) {
                    double s = 0;
                    for (int d = 0; d < head; ++d)
                        s += qkv[at(3 * head * h + d)] * keys[at(r)][at(j)][at(3 * head * h + head + d)];
                    p.push_back(std::exp(s / std::sqrt(double(head)))), sum += p.back();
                }
                for (int d = 0; d < head; ++d)
                    for (int j = 0; j <= position; ++j)
                        attended[at(h * head + d)] +=
                            p[at(j)] / sum * values[at(r)][at(j)][at(3 * head * h + 2 * head + d)];
            }
            for (int n = 0; n < width; ++n) row[at(n)] += product(1, r, n, attended, width);
            x = normal(row.data());
            for (int n = 0; n < inner; ++n) mlp.push_back(gelu(product(2, r, n, x, width)));
            for (int n = 0; n < width; ++n) row[at(n)] += product(3, r, n, mlp, inner);
        }
        Values logits;
        const Values x = normal(row.data());
        for (int n = 0; n < vocabulary; ++n) logits.push_back(product(4, 0, n, x, width));
        token = best(logits.data());
        all.push_back(logits);
    }
    return all;
}

/// Tiles of the phases, on the storage that the program shares out. A tile of a product is a column of all sequences.
template <class S>
class Machine {
public:
    using Model = Decoder<S>;

    explicit Machine(const Storage& places)
        : places_(places),
          storage_(at(places.bytes / 8), poison),
          cache_(at(batch * rounds * heads * positions * 2 * head), poison) {
        for (int q = 0; q < batch; ++q) {
            for (int i = 0; i < vocabulary; ++i) winners_[q][i] = i == q;
            for (int r = 0; r < rounds; ++r)
                for (int j = 0; j < begins[q]; ++j)
                    for (int h = 0; h < heads; ++h)
                        for (int d = 0; d < 2 * head; ++d)
                            cached(q, r, h, j)[d] = before(q, r, j)[at(3 * head * h + head + d)];
        }
    }
    void begin(Instance, int buffer) {
        const int from = places_.at[buffer];
        if (from < 0) return;
        const int n = facts.buffers[buffer].bytes / 8;
        for (int i = 0; i < n; ++i) storage_[at(from / 8 + i)] = poison;
    }
    void run(const Instance& i, int tile) {
        if (i.phase == number<typename Model::Attend>)
            return attend(i, tile / parts % batch, tile / parts / batch, tile % parts);
        for (int q = 0; q < batch; ++q) run(i, q, tile);
    }

    static constexpr ProgramFacts facts = facts_of<typename Model::Step>();
    std::vector<Values> logits = std::vector<Values>(at(S::batch * passes<S>), Values(at(vocabulary), poison));

private:
    static constexpr int batch = S::batch;
    static constexpr double poison = std::numeric_limits<double>::quiet_NaN();
    template <class Phase>
    static constexpr int number = phase_number<typename Model::Step, Phase>;
    /// A sequence's part of a buffer.
    template <class B>
    double* place(int q) {
        return storage_.data() + places_.at[buffer_number<typename Model::Step, B>] / 8 + q * (B::bytes / 8 / batch);
    }
    template <class B>
    Values vector(int q, int n) {
        return {place<B>(q), place<B>(q) + n};
    }
    double* cached(int q, int round, int h, int position) {
        return cache_.data() + (((q * rounds + round) * heads + h) * positions + position) * 2 * head;
    }
    void run(const Instance& i, int q, int tile) {
        using M = Model;
        if (i.phase == number<typename M::Embed>)
            place<typename M::Row>(q)[tile] = embedded(best(winners_[q]), begins[q] + i.pass, tile);
        if (i.phase == number<typename M::Qkv>)
            place<typename M::Heads>(q)[tile] = product(0, i.round, tile, normal(place<typename M::Row>(q)), width);
        if (i.phase == number<typename M::Project>)
            place<typename M::Middle>(q)[tile] =
                place<typename M::Row>(q)[tile] + product(1, i.round, tile, merged(q), width);
        if (i.phase == number<typename M::Up>)
            place<typename M::Inner>(q)[tile] =
                gelu(product(2, i.round, tile, normal(place<typename M::Middle>(q)), width));
        if (i.phase == number<typename M::Down>)
            place<typename M::Row>(q)[tile] = place<typename M::Middle>(q)[tile] +
                                              product(3, i.round, tile, vector<typename M::Inner>(q, inner), inner);
        if (i.phase == number<typename M::Vocabulary>) {
            winners_[q][tile] = product(4, 0, tile, normal(place<typename M::Row>(q)), width);
            logits[at(q * passes<S> + i.pass)][at(tile)] = winners_[q][tile];
        }
    }
    void attend(const Instance& i, int q, int h, int part) {
        const double* x = place<typename Model::Heads>(q) + 3 * head * h;
        const int position = begins[q] + i.pass;
        if (position / part_keys == part)
            for (int d = 0; d < 2 * head; ++d) cached(q, i.round, h, position)[d] = x[head + d];
        double most = -1e9, sum = 0;
        double* const to = place<typename Model::Parts>(q) + (h * parts + part) * (head + 2);
        for (int d = 0; d < head; ++d) to[d] = 0;
        for (int j = part * part_keys; j < (part + 1) * part_keys && j <= position; ++j) {
            const double* const key = cached(q, i.round, h, j);
            double s = 0;
            for (int d = 0; d < head; ++d) s += x[d] * key[d] / std::sqrt(double(head));
            const double grown = std::fmax(most, s), old = std::exp(most - grown), p = std::exp(s - grown);
            for (int d = 0; d < head; ++d) to[d] = to[d] * old + p * key[head + d];
            sum = sum * old + p, most = std::isnan(s) ? s : grown;
        }
        to[head] = most, to[head + 1] = sum;
    }
    /// The row of all heads from their parts.
    Values merged(int q) {
        Values row;
        for (int h = 0; h < heads; ++h) {
            const double* const from = place<typename Model::Parts>(q) + h * parts * (head + 2);
            double most = -1e9, sum = 0;
            for (int p = 0; p < parts; ++p) most = std::fmax(most, from[p * (head + 2) + head]);
            for (int p = 0; p < parts; ++p)
                sum += from[p * (head + 2) + head + 1] * std::exp(from[p * (head + 2) + head] - most);
            for (int d = 0; d < head; ++d) {
                double x = 0;
                for (int p = 0; p < parts; ++p)
                    x += from[p * (head + 2) + d] * std::exp(from[p * (head + 2) + head] - most);
                row.push_back(x / sum);
            }
        }
        return row;
    }

    Storage places_;
    Values storage_, cache_;
    double winners_[batch][vocabulary];
};

/// True if tasks in this order make the logits of each sequence.
template <class S>
bool is_right(const ProgramFacts& f, std::uint64_t seed, const Storage& places = Decoder<S>::Places::places) {
    static const std::vector<Values> right = [] {
        std::vector<Values> all;
        for (int q = 0; q < S::batch; ++q)
            for (const Values& logits : expected(q, passes<S>)) all.push_back(logits);
        return all;
    }();
    Machine<S> m(places);
    run_in_random_order(
        f, rounds, passes<S>, seed, [&](const Instance& i, int b) { m.begin(i, b); },
        [&](const Instance& i, int t) { m.run(i, t); });
    for (std::size_t p = 0; p < right.size(); ++p)
        for (int n = 0; n < vocabulary; ++n)
            if (!(std::fabs(m.logits[p][at(n)] - right[p][at(n)]) < 1e-9)) return false;
    return true;
}

template <class S>
struct PersistentHost : testing::Test {};
using EachSizes = testing::Types<Sizes, Several>;
TYPED_TEST_SUITE(PersistentHost, EachSizes);

TYPED_TEST(PersistentHost, AnyLegalOrderIsRight) {
    for (std::uint64_t seed = 0; seed < 12; ++seed)
        EXPECT_TRUE(is_right<TypeParam>(Machine<TypeParam>::facts, seed)) << seed;
}
TYPED_TEST(PersistentHost, WithoutAnyOneWaitAnOrderIsWrong) {
    const ProgramFacts& f = Machine<TypeParam>::facts;
    for (int p = 0; p < f.phase_count; ++p)
        for (int w = 0; w < f.phases[p].wait_count; ++w) {
            bool wrong = false;
            for (std::uint64_t seed = 0; seed < 40 && !wrong; ++seed)
                wrong = !is_right<TypeParam>(without_wait(f, p, w), seed);
            EXPECT_TRUE(wrong) << f.phases[p].name << " waits for " << f.phases[f.phases[p].waits[w].phase].name;
        }
}
TYPED_TEST(PersistentHost, BuffersThatOverlapAreSeen) {
    // The row after attention in the bytes of the row before it, which it is the sum of.
    using Model = Decoder<TypeParam>;
    Storage overlapping = Model::Places::places;
    overlapping.at[buffer_number<typename Model::Step, typename Model::Middle>] =
        Model::Places::template at<typename Model::Row>;
    EXPECT_FALSE(is_right<TypeParam>(Machine<TypeParam>::facts, 1, overlapping));
}
TEST(PersistentOrder, ProgramsThatAreTooLongAreRefused) {
    const auto nothing = [](const Instance&, int) {};
    EXPECT_THROW(run_in_random_order(Machine<Sizes>::facts, 20, 1, 1, nothing, nothing), inlay::Error);
}

}  // namespace
