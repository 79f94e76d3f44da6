// SPDX-License-Identifier: Apache-2.0
/// The text of random conditions, read back and evaluated at each score, against functions on integers.
#include <inlay/exec/tensor.hpp>
#include <inlay/report/attention/key_text.hpp>
#include <plan/attention/random_conditions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace inlay_test;

/// The value of a name at a score.
using Names = std::function<double(const std::string&)>;

/// Reads a text from its beginning.
class Reader {
public:
    Reader(const std::string& text, const Names& names) : text_(text), names_(names) {}

    /// True if one of the clauses holds at key j.
    bool sees(double j) {
        if (take("none")) return false;
        bool any = false;
        do any = clause(j) || any;
        while (take(" ∪ "));
        EXPECT_EQ(at_, text_.size()) << text_;
        return any;
    }

private:
    bool take(const std::string& s) {
        if (text_.compare(at_, s.size(), s) != 0) return false;
        at_ += s.size();
        return true;
    }
    void expect(const std::string& s) { EXPECT_TRUE(take(s)) << text_ << " has no '" << s << "' at " << at_; }

    bool clause(double j) {
        expect("[");
        const double begin = sum();
        expect(", ");
        const double end = sum();
        expect(")");
        bool holds = begin <= j && j < end;
        if (take(" where "))
            do holds = comparison() && holds;
            while (take(" and "));
        return holds;
    }
    bool comparison() {
        const double a = sum();
        if (take(" <= ")) return a <= sum();
        if (take(" >= ")) return a >= sum();
        if (take(" == ")) return std::abs(a - sum()) < 1e-9;
        if (take(" != ")) return std::abs(a - sum()) >= 1e-9;
        if (take(" < ")) return a < sum();
        expect(" > ");
        return a > sum();
    }
    double sum() {
        const bool minus = take("-");
        double x = minus ? -product() : product();
        for (;;)
            if (take(" + ")) x += product();
            else if (take(" - ")) x -= product();
            else return x;
    }
    double product() {
        double x = factor();
        for (;;)
            if (take(" / ")) x /= factor();
            else if (at_ + 1 < text_.size() && text_[at_] == ' ' && (std::isalnum(text_[at_ + 1]) || text_[at_ + 1] == '(') &&
                     text_.compare(at_, 4, " and") != 0 && text_.compare(at_, 6, " where") != 0)
                ++at_, x *= factor();
            else return x;
    }
    double factor() {
        if (take("-")) return -factor();
        if (take("(")) {
            const double x = sum();
            expect(")");
            return x;
        }
        if (std::isdigit(text_[at_])) {
            std::size_t n = 0;
            const double x = std::stod(text_.substr(at_), &n);
            at_ += n;
            return x;
        }
        std::string name;
        while (at_ < text_.size() && (std::isalnum(text_[at_]) || text_[at_] == '<' || text_[at_] == '>'))
            name += text_[at_++];
        if (!take("(")) return names_(name);
        std::vector<double> of{sum()};
        while (take(", ")) of.push_back(sum());
        expect(")");
        if (name == "floor") return std::floor(of[0] + 1e-9);
        if (name == "ceil") return std::ceil(of[0] - 1e-9);
        if (name == "abs") return std::abs(of[0]);
        EXPECT_TRUE(name == "min" || name == "max") << name;
        double x = of[0];
        for (const double y : of) x = name == "min" ? std::fmin(x, y) : std::fmax(x, y);
        return x;
    }

    const std::string& text_;
    const Names& names_;
    std::size_t at_ = 0;
};

template <std::uint32_t Seed>
void random_condition() {
    using Random = RandomCondition<Seed, 1>;
    using C = std::remove_cvref_t<decltype(Random::expression())>;
    std::mt19937 random(Seed);
    for (int setting = 0; setting < 8; ++setting) {
        const auto queries = static_cast<index_t>(1 + random() % 12), keys = static_cast<index_t>(random() % 20);
        const int scalar = static_cast<int>(random() % 30) - 10;
        std::vector<int> of_query, ids_of_query, ids_of_key, of_both;
        for (index_t k = 0; k < keys; ++k) ids_of_key.push_back(static_cast<int>(k / 4));
        for (index_t q = 0; q < queries; ++q) {
            of_query.push_back(static_cast<int>(random() % 30) - 5);
            ids_of_query.push_back(static_cast<int>(random() % 5));
        }
        for (index_t n = 0; n < queries * keys; ++n) of_both.push_back(static_cast<int>(random() % 2));
        using T = Tensor<const int, 4>;
        const Env<4, 1, T, T, T, T> env{make_pack(T(of_query.data(), Extents<4>{{1, 1, queries, 1}}),
                                                  T(ids_of_query.data(), Extents<4>{{1, 1, queries, 1}}),
                                                  T(ids_of_key.data(), Extents<4>{{1, 1, 1, keys}}),
                                                  T(of_both.data(), Extents<4>{{1, 1, queries, keys}})),
                                        {Scalar(static_cast<double>(scalar))},
                                        {{1, 2, queries, keys}}};
        const std::string text = key_text<C>(env);
        EXPECT_EQ(computed_text<C>(env).empty(), computed_terms<C>(env).empty()) << text;
        for (index_t head = 0; head < 2; ++head)
            for (index_t q = 0; q < queries; ++q)
                for (index_t k = 0; k < keys; ++k) {
                    const PlainScore at{q + keys - queries,  k, head, q, scalar, of_query.data(), ids_of_query.data(),
                                        ids_of_key.data(), of_both.data(), keys};
                    const Names names = [&](const std::string& name) -> double {
                        if (name == "i") return static_cast<double>(at.i);
                        if (name == "j") return static_cast<double>(k);
                        if (name == "head") return static_cast<double>(head);
                        if (name == "query") return static_cast<double>(q);
                        if (name == "Param<0>") return scalar;
                        if (name == "Buf<0>") return of_query[static_cast<std::size_t>(q)];
                        if (name == "Buf<1>") return ids_of_query[static_cast<std::size_t>(q)];
                        if (name == "Buf<2>") return ids_of_key[static_cast<std::size_t>(k)];
                        EXPECT_EQ(name, "Buf<3>") << text;
                        return of_both[static_cast<std::size_t>(q * keys + k)];
                    };
                    ASSERT_EQ(Reader(text, names).sees(static_cast<double>(k)), Random::at(at))
                        << name<C>().c_str() << '\n' << text << "\nquery " << q << " key " << k << " of " << queries
                        << 'x' << keys;
                }
    }
}
template <std::uint32_t... Seed>
void all(std::integer_sequence<std::uint32_t, Seed...>) {
    (random_condition<Seed>(), ...);
}

TEST(KeyText, RandomConditionsMeanWhatTheySay) { all(std::make_integer_sequence<std::uint32_t, 60>{}); }

}  // namespace
