// SPDX-License-Identifier: Apache-2.0
/// A tiny spatial transformer by tasks in random legal orders, with buffers poisoned before each value, against plain
/// loops; without any one of the waits the result is wrong.
#include <inlay/plan/persistent/transformer.hpp>
#include <inlay/tile/host/persistent.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace inlay::persistent;
using Model = AnyTransformer;
using Values = std::vector<double>;

/// Two images of two groups of two rows. Passes are launches, each of images of its own.
constexpr int batch = 2, item_groups = 2, group_rows = 2, groups = batch * item_groups, rows = groups * group_rows,
              pixels = item_groups * group_rows, c = 8, heads = 2, head = c / heads, text = 3, norm_groups = 4,
              passes = 3, parts = 2;
std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

double weight(int matrix, int n, int k) {
    return 0.5 * std::sin(1.7 * matrix + 0.9 * n * n + 2.3 * k + 0.1 * n * k);
}
double image(int pass, int row, int i) {
    return 2 * std::sin(5.1 * pass + 1.3 * row * row + 0.7 * i) + 0.5;
}
double gelu(double x) {
    return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}
template <class X>
double product(int matrix, int n, const X& x, int k) {
    double sum = 0;
    for (int i = 0; i < k; ++i) sum += weight(matrix, n, i) * x[i];
    return sum;
}
/// Rows of C elements are normalised by matrix's own factors.
Values normal(int matrix, const double* x) {
    double mean = 0, square = 0;
    for (int i = 0; i < c; ++i) mean += x[i] / c;
    for (int i = 0; i < c; ++i) square += (x[i] - mean) * (x[i] - mean) / c;
    Values y(at(c));
    for (int i = 0; i < c; ++i) y[at(i)] = (x[i] - mean) / std::sqrt(square + 1e-5) * (1 + weight(matrix, i, 0));
    return y;
}
/// The result of head h for a query, over `count` keys whose element i is key(j, i).
template <class Key, class Value>
void attend(double* to, const double* q, int h, int count, const Key& key, const Value& value) {
    double sum = 0;
    Values p;
    for (int j = 0; j < count; ++j) {
        double s = 0;
        for (int i = h * head; i < (h + 1) * head; ++i) s += q[i] * key(j, i) / std::sqrt(double(head));
        p.push_back(std::exp(s)), sum += p.back();
    }
    for (int i = h * head; i < (h + 1) * head; ++i) {
        to[i] = 0;
        for (int j = 0; j < count; ++j) to[i] += p[at(j)] / sum * value(j, i);
    }
}
double text_key(int item, int j, int i) {
    return weight(20 + item, j, i) * 3;
}
double text_value(int item, int j, int i) {
    return weight(30 + item, j, i) * 3;
}

/// The result of a pass by plain loops over whole rows.
Values expected(int pass) {
    std::vector<Values> begin, qkv;
    for (int r = 0; r < rows; ++r) {
        const int item = r / pixels;
        Values n(at(c)), y;
        for (int g = 0; g < norm_groups; ++g) {
            const int width = c / norm_groups, count = pixels * width;
            double mean = 0, square = 0;
            for (int p = 0; p < pixels; ++p)
                for (int i = g * width; i < (g + 1) * width; ++i) mean += image(pass, item * pixels + p, i) / count;
            for (int p = 0; p < pixels; ++p)
                for (int i = g * width; i < (g + 1) * width; ++i)
                    square += std::pow(image(pass, item * pixels + p, i) - mean, 2) / count;
            for (int i = g * width; i < (g + 1) * width; ++i)
                n[at(i)] = (image(pass, r, i) - mean) / std::sqrt(square + 1e-6) * (1 + weight(0, i, 0));
        }
        for (int i = 0; i < c; ++i) y.push_back(product(1, i, n, c));
        begin.push_back(y);
        Values of_row;
        for (int i = 0; i < 3 * c; ++i) of_row.push_back(product(3, i, normal(2, y.data()), c));
        qkv.push_back(of_row);
    }
    Values result;
    for (int r = 0; r < rows; ++r) {
        const int item = r / pixels;
        Values a(at(c)), middle = begin[at(r)], q;
        for (int h = 0; h < heads; ++h)
            attend(
                a.data(), qkv[at(r)].data(), h, pixels,
                [&](int j, int i) { return qkv[at(item * pixels + j)][at(c + i)]; },
                [&](int j, int i) { return qkv[at(item * pixels + j)][at(2 * c + i)]; });
        for (int i = 0; i < c; ++i) middle[at(i)] += product(4, i, a, c);
        for (int i = 0; i < c; ++i) q.push_back(product(6, i, normal(5, middle.data()), c));
        for (int h = 0; h < heads; ++h)
            attend(
                a.data(), q.data(), h, text, [&](int j, int i) { return text_key(item, j, i); },
                [&](int j, int i) { return text_value(item, j, i); });
        Values late = middle, inner;
        for (int i = 0; i < c; ++i) late[at(i)] += product(7, i, a, c);
        const Values n = normal(8, late.data());
        for (int i = 0; i < 4 * c; ++i) inner.push_back(product(9, i, n, c) * gelu(product(10, i, n, c)));
        Values end = late;
        for (int i = 0; i < c; ++i) end[at(i)] += product(11, i, inner, 4 * c);
        for (int i = 0; i < c; ++i) result.push_back(image(pass, r, i) + product(12, i, end, c));
    }
    return result;
}

/// The program's facts with this test's tiles and bytes.
ProgramFacts small_facts() {
    ProgramFacts f = facts_of<Model::Step>();
    constexpr int attention[] = {phase_number<Model::Step, Model::Attend>,
                                 phase_number<Model::Step, Model::AttendText>};
    for (int p = 0; p < f.phase_count; ++p) {
        f.phases[p].groups = groups;
        f.phases[p].tiles = groups * (p == attention[0] || p == attention[1] ? heads : parts);
    }
    constexpr int row = Model::shape.row_bytes(), moments = buffer_number<Model::Step, Model::Moments>;
    for (int b = 0; b < f.buffer_count; ++b)
        if (!f.buffers[b].kept)
            f.buffers[b].bytes = 8 * (b == moments ? groups * norm_groups * 2 : f.buffers[b].bytes / row * rows * c);
    return f;
}

class Machine {
public:
    explicit Machine(const ProgramFacts& f, const Storage& places)
        : f_(f), places_(places), storage_(at(places.bytes / 8), poison) {}
    void begin(Instance, int buffer) {
        const int from = places_.at[buffer];
        if (from < 0) return;
        for (int i = 0; i < f_.buffers[buffer].bytes / 8; ++i) storage_[at(from / 8 + i)] = poison;
    }
    void run(const Instance& instance, int tile) {
        const int members = f_.phases[instance.phase].tiles / groups, group = tile / members, member = tile % members;
        const auto is = [&]<class Phase>() { return instance.phase == phase_number<Model::Step, Phase>; };
        pass_ = instance.pass, group_ = group, member_ = member;
        if (is.template operator()<Model::Measure>()) measure();
        if (is.template operator()<Model::Normalise>()) normalise();
        if (is.template operator()<Model::ProjectIn>()) columns<Model::Begin, Model::Normal>(1, c, c, nullptr);
        if (is.template operator()<Model::Norm1>()) rows_of<Model::Normal1, Model::Begin>(2);
        if (is.template operator()<Model::Qkv>()) columns<Model::Heads, Model::Normal1>(3, 3 * c, c, nullptr);
        if (is.template operator()<Model::Attend>())
            each_row([&](int r) {
                const double* const all = place<Model::Heads>() + r / pixels * pixels * 3 * c;
                attend(
                    place<Model::Attended>() + r * c, place<Model::Heads>() + r * 3 * c, member, pixels,
                    [&](int j, int i) { return all[j * 3 * c + c + i]; },
                    [&](int j, int i) { return all[j * 3 * c + 2 * c + i]; });
            });
        if (is.template operator()<Model::Out>())
            columns<Model::Middle, Model::Attended>(4, c, c, place<Model::Begin>());
        if (is.template operator()<Model::Norm2>()) rows_of<Model::Normal2, Model::Middle>(5);
        if (is.template operator()<Model::Query>()) columns<Model::Queries, Model::Normal2>(6, c, c, nullptr);
        if (is.template operator()<Model::AttendText>())
            each_row([&](int r) {
                attend(
                    place<Model::AttendedText>() + r * c, place<Model::Queries>() + r * c, member, text,
                    [&](int j, int i) { return text_key(r / pixels, j, i); },
                    [&](int j, int i) { return text_value(r / pixels, j, i); });
            });
        if (is.template operator()<Model::OutText>())
            columns<Model::Late, Model::AttendedText>(7, c, c, place<Model::Middle>());
        if (is.template operator()<Model::Norm3>()) rows_of<Model::Normal3, Model::Late>(8);
        if (is.template operator()<Model::Up>())
            each_row([&](int r) {
                const double* const n = place<Model::Normal3>() + r * c;
                for (int i = member * 4 * c / parts; i < (member + 1) * 4 * c / parts; ++i)
                    place<Model::Inner>()[r * 4 * c + i] = product(9, i, n, c) * gelu(product(10, i, n, c));
            });
        if (is.template operator()<Model::Down>())
            columns<Model::End, Model::Inner>(11, c, 4 * c, place<Model::Late>());
        if (is.template operator()<Model::ProjectOut>())
            each_row([&](int r) {
                for (int i = member * c / parts; i < (member + 1) * c / parts; ++i)
                    results[at(instance.pass)][at(r * c + i)] =
                        image(pass_, r, i) + product(12, i, place<Model::End>() + r * c, c);
            });
    }
    std::vector<Values> results = std::vector<Values>(at(passes), Values(at(rows * c), poison));

private:
    static constexpr double poison = std::numeric_limits<double>::quiet_NaN();
    template <class B>
    double* place() {
        return storage_.data() + places_.at[buffer_number<Model::Step, B>] / 8;
    }
    template <class F>
    void each_row(const F& f) const {
        for (int r = group_ * group_rows; r < (group_ + 1) * group_rows; ++r) f(r);
    }
    /// This member's columns of a product, with a residual or without.
    template <class To, class From>
    void columns(int matrix, int n, int k, const double* before) {
        each_row([&](int r) {
            for (int i = member_ * n / parts; i < (member_ + 1) * n / parts; ++i)
                place<To>()[r * n + i] =
                    (before ? before[r * n + i] : 0) + product(matrix, i, place<From>() + r * k, k);
        });
    }
    template <class To, class From>
    void rows_of(int matrix) {
        const int r = group_ * group_rows + member_;
        const Values y = normal(matrix, place<From>() + r * c);
        for (int i = 0; i < c; ++i) place<To>()[r * c + i] = y[at(i)];
    }
    static constexpr int width = c / norm_groups, own = norm_groups / parts;
    void measure() {
        for (int g = member_ * own; g < (member_ + 1) * own; ++g) {
            double sum = 0, square = 0;
            each_row([&](int r) {
                for (int i = g * width; i < (g + 1) * width; ++i)
                    sum += image(pass_, r, i), square += image(pass_, r, i) * image(pass_, r, i);
            });
            double* const to = place<Model::Moments>() + (group_ * norm_groups + g) * 2;
            to[0] = sum, to[1] = square;
        }
    }
    void normalise() {
        for (int g = member_ * own; g < (member_ + 1) * own; ++g) {
            double sum = 0, square = 0;
            for (int p = group_ / item_groups * item_groups; p < (group_ / item_groups + 1) * item_groups; ++p)
                sum += place<Model::Moments>()[(p * norm_groups + g) * 2],
                    square += place<Model::Moments>()[(p * norm_groups + g) * 2 + 1];
            const double n = pixels * width, mean = sum / n;
            each_row([&](int r) {
                for (int i = g * width; i < (g + 1) * width; ++i)
                    place<Model::Normal>()[r * c + i] = (image(pass_, r, i) - mean) /
                                                        std::sqrt(square / n - mean * mean + 1e-6) *
                                                        (1 + weight(0, i, 0));
            });
        }
    }

    const ProgramFacts& f_;
    Storage places_;
    Values storage_;
    int pass_ = 0, group_ = 0, member_ = 0;
};

/// True if tasks in this order make the results.
bool is_right(const ProgramFacts& f, std::uint64_t seed, const Storage& places) {
    static const std::vector<Values> right = {expected(0), expected(1), expected(2)};
    Machine m(f, places);
    run_in_random_order(
        f, 1, passes, seed, [&](const Instance& i, int b) { m.begin(i, b); },
        [&](const Instance& i, int t) { m.run(i, t); });
    for (int p = 0; p < passes; ++p)
        for (int i = 0; i < rows * c; ++i)
            if (!(std::fabs(m.results[at(p)][at(i)] - right[at(p)][at(i)]) < 1e-9)) return false;
    return true;
}

const ProgramFacts facts = small_facts();
const Storage places = place_buffers(facts, order_of(facts));

TEST(PersistentTransformerOnHost, AnyLegalOrderIsRight) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) EXPECT_TRUE(is_right(facts, seed, places)) << seed;
}
TEST(PersistentTransformerOnHost, WithoutAnyOneWaitAnOrderIsWrong) {
    for (int p = 0; p < facts.phase_count; ++p)
        for (int w = 0; w < facts.phases[p].wait_count; ++w) {
            bool wrong = false;
            for (std::uint64_t seed = 0; seed < 40 && !wrong; ++seed)
                wrong = !is_right(without_wait(facts, p, w), seed, places);
            EXPECT_TRUE(wrong) << facts.phases[p].name << " waits for "
                               << facts.phases[facts.phases[p].waits[w].phase].name;
        }
}
/// A wait for the tile's own group where all groups are read.
TEST(PersistentTransformerOnHost, WaitsByGroupAreTooFewForKeysAndMoments) {
    for (const int p : {phase_number<Model::Step, Model::Normalise>, phase_number<Model::Step, Model::Attend>}) {
        ProgramFacts f = facts;
        f.phases[p].waits[0].group = true;
        bool wrong = false;
        for (std::uint64_t seed = 0; seed < 40 && !wrong; ++seed) wrong = !is_right(f, seed, places);
        EXPECT_TRUE(wrong) << f.phases[p].name;
    }
}
TEST(PersistentTransformerOnHost, BuffersThatOverlapAreSeen) {
    Storage overlapping = places;
    overlapping.at[buffer_number<Model::Step, Model::Middle>] = places.at[buffer_number<Model::Step, Model::Begin>];
    bool wrong = false;
    for (std::uint64_t seed = 0; seed < 40 && !wrong; ++seed) wrong = !is_right(facts, seed, overlapping);
    EXPECT_TRUE(wrong);
}

}  // namespace
