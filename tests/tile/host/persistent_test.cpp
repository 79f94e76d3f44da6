// SPDX-License-Identifier: Apache-2.0
/// A small decoder's tokens by tasks in random legal orders, with buffers poisoned before each value, against plain
/// loops; without any one of the waits the tokens or the rows are wrong.
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
using Model = Decoder<Sizes>;
constexpr int width = Sizes::width, heads = Sizes::heads, head = width / heads, inner = Sizes::inner,
              vocabulary = Sizes::vocabulary, parts = Sizes::parts, rounds = 2, passes = 6, part_keys = 2;
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

/// Logits of all passes by plain loops.
std::vector<Values> expected() {
    std::vector<Values> all;
    std::vector<std::vector<Values>> keys(rounds), values(rounds);
    int token = 0;
    for (int pass = 0; pass < passes; ++pass) {
        Values row(at(width));
        for (int i = 0; i < width; ++i) row[at(i)] = embedded(token, pass, i);
        for (int r = 0; r < rounds; ++r) {
            Values x = normal(row.data()), qkv, attended(at(width)), mlp;
            for (int n = 0; n < 3 * width; ++n) qkv.push_back(product(0, r, n, x, width));
            keys[at(r)].push_back(qkv), values[at(r)].push_back(qkv);
            for (int h = 0; h < heads; ++h) {
                Values p;
                double sum = 0;
                for (int j = 0; j <= pass; ++j) {
                    double s = 0;
                    for (int d = 0; d < head; ++d)
                        s += qkv[at(3 * head * h + d)] * keys[at(r)][at(j)][at(3 * head * h + head + d)];
                    p.push_back(std::exp(s / std::sqrt(double(head)))), sum += p.back();
                }
                for (int d = 0; d < head; ++d)
                    for (int j = 0; j <= pass; ++j)
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

/// Tiles of the phases, on the storage that the program shares out.
class Machine {
public:
    explicit Machine(const Storage& places)
        : places_(places),
          storage_(at(places.bytes / 8), poison),
          cache_(at(rounds * heads * passes * 2 * head), poison) {
        for (int i = 0; i < vocabulary; ++i) winners_[i] = i == 0;
    }
    void begin(Instance, int buffer) {
        const int from = places_.at[buffer];
        if (from < 0) return;
        const int n = facts.buffers[buffer].bytes / 8;
        for (int i = 0; i < n; ++i) storage_[at(from / 8 + i)] = poison;
    }
    void run(const Instance& i, int tile) {
        if (i.phase == number<Model::Embed>) place<Model::Row>()[tile] = embedded(best(winners_), i.pass, tile);
        if (i.phase == number<Model::Qkv>)
            place<Model::Heads>()[tile] = product(0, i.round, tile, normal(place<Model::Row>()), width);
        if (i.phase == number<Model::Attend>) attend(i, tile / parts, tile % parts);
        if (i.phase == number<Model::Project>)
            place<Model::Middle>()[tile] =
                place<Model::Row>()[tile] + product(1, i.round, tile, merged(), width);
        if (i.phase == number<Model::Up>)
            place<Model::Inner>()[tile] = gelu(product(2, i.round, tile, normal(place<Model::Middle>()), width));
        if (i.phase == number<Model::Down>)
            place<Model::Row>()[tile] =
                place<Model::Middle>()[tile] + product(3, i.round, tile, vector<Model::Inner>(inner), inner);
        if (i.phase == number<Model::Vocabulary>) {
            winners_[tile] = product(4, 0, tile, normal(place<Model::Row>()), width);
            logits[at(i.pass)][at(tile)] = winners_[tile];
        }
    }

    static constexpr ProgramFacts facts = facts_of<Model::Step>();
    std::vector<Values> logits = std::vector<Values>(at(passes), Values(at(vocabulary), poison));

private:
    static constexpr double poison = std::numeric_limits<double>::quiet_NaN();
    template <class Phase>
    static constexpr int number = phase_number<Model::Step, Phase>;
    template <class B>
    double* place() {
        return storage_.data() + places_.at[buffer_number<Model::Step, B>] / 8;
    }
    template <class B>
    Values vector(int n) {
        return {place<B>(), place<B>() + n};
    }
    double* cached(const Instance& i, int h, int position) {
        return cache_.data() + ((i.round * heads + h) * passes + position) * 2 * head;
    }
    void attend(const Instance& i, int h, int part) {
        const double* q = place<Model::Heads>() + 3 * head * h;
        if (i.pass / part_keys == part)
            for (int d = 0; d < 2 * head; ++d) cached(i, h, i.pass)[d] = q[head + d];
        double most = -1e9, sum = 0;
        double* const to = place<Model::Parts>() + (h * parts + part) * (head + 2);
        for (int d = 0; d < head; ++d) to[d] = 0;
        for (int j = part * part_keys; j < (part + 1) * part_keys && j <= i.pass; ++j) {
            double s = 0;
            for (int d = 0; d < head; ++d) s += q[d] * cached(i, h, j)[d] / std::sqrt(double(head));
            const double grown = std::fmax(most, s), old = std::exp(most - grown), p = std::exp(s - grown);
            for (int d = 0; d < head; ++d) to[d] = to[d] * old + p * cached(i, h, j)[head + d];
            sum = sum * old + p, most = std::isnan(s) ? s : grown;
        }
        to[head] = most, to[head + 1] = sum;
    }
    /// The row of all heads from their parts.
    Values merged() {
        Values row;
        for (int h = 0; h < heads; ++h) {
            const double* const from = place<Model::Parts>() + h * parts * (head + 2);
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
    double winners_[vocabulary];
};

/// True if tasks in this order make the logits.
bool is_right(const ProgramFacts& f, std::uint64_t seed, const Storage& places = Model::Places::places) {
    static const std::vector<Values> right = expected();
    Machine m(places);
    run_in_random_order(
        f, rounds, passes, seed, [&](const Instance& i, int b) { m.begin(i, b); },
        [&](const Instance& i, int t) { m.run(i, t); });
    for (int p = 0; p < passes; ++p)
        for (int n = 0; n < vocabulary; ++n)
            if (!(std::fabs(m.logits[at(p)][at(n)] - right[at(p)][at(n)]) < 1e-9)) return false;
    return true;
}

TEST(PersistentHost, AnyLegalOrderIsRight) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) EXPECT_TRUE(is_right(Machine::facts, seed)) << seed;
}
TEST(PersistentHost, WithoutAnyOneWaitAnOrderIsWrong) {
    const ProgramFacts& f = Machine::facts;
    for (int p = 0; p < f.phase_count; ++p)
        for (int w = 0; w < f.phases[p].wait_count; ++w) {
            bool wrong = false;
            for (std::uint64_t seed = 0; seed < 40 && !wrong; ++seed) wrong = !is_right(without_wait(f, p, w), seed);
            EXPECT_TRUE(wrong) << f.phases[p].name << " waits for " << f.phases[f.phases[p].waits[w].phase].name;
        }
}
TEST(PersistentHost, BuffersThatOverlapAreSeen) {
    // The row after attention in the bytes of the row before it, which it is the sum of.
    Storage overlapping = Model::Places::places;
    overlapping.at[buffer_number<Model::Step, Model::Middle>] = Model::Places::at<Model::Row>;
    EXPECT_FALSE(is_right(Machine::facts, 1, overlapping));
}
TEST(PersistentHost, ProgramsThatAreTooLongAreRefused) {
    const auto nothing = [](const Instance&, int) {};
    EXPECT_THROW(run_in_random_order(Machine::facts, 20, 1, 1, nothing, nothing), inlay::Error);
}

}  // namespace
