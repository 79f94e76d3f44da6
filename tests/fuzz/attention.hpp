// SPDX-License-Identifier: Apache-2.0
/// Runs one random attention, as make_attention.py writes it, on the executor under test and as plain loops in double,
/// over several shapes and in every way that executor has.
#pragma once

#include "attention_slots.hpp"
#include "plain_attention.hpp"

#include <frame/check.hpp>

#include <inlay/frame/attention.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <tuple>
#include <vector>

namespace fuzz {

/// Holds a result against the exact one. Relative L2 of all may be 1e-6 and 1.25 times what rounding costs: that of the
/// result to its storage type, and that of scores and weights, by which the plain loops moved. A row by itself may be
/// off by four times as much, so that no wrong row hides among many right ones.
class Judge {
public:
    Judge(const std::vector<double>& exact, std::vector<std::vector<double>> moved, std::size_t row)
        : exact_(exact), moved_(std::move(moved)), row_(row) {}

    template <class T>
    std::string fault(const std::vector<double>& got) const {
        std::vector<double> stored;
        for (const double x : exact_) stored.push_back(inlay::from_storage<double>(inlay::to_storage<T>(x)));
        for (std::size_t n = 0; n < got.size(); ++n)
            if (!(std::isfinite(got[n]) || got[n] == exact_[n]))
                return "element " + std::to_string(n) + " is " + std::to_string(got[n]) + ", expected " +
                       std::to_string(exact_[n]);
        for (std::size_t from = 0; from < got.size(); from += row_)
            if (std::string f = part<T>(got, stored, from, from + row_, 4); !f.empty())
                return "row " + std::to_string(from / row_) + f;
        return part<T>(got, stored, 0, got.size(), 1.25);
    }

private:
    using Numbers = std::vector<double>;
    static double distance(const Numbers& a, const Numbers& b, std::size_t from, std::size_t to) {
        double sum = 0;
        for (std::size_t n = from; n < to; ++n)
            if (a[n] != b[n]) sum += (a[n] - b[n]) * (a[n] - b[n]);
        return std::sqrt(sum);
    }
    template <class T>
    std::string part(const Numbers& got, const Numbers& stored, std::size_t from, std::size_t to, double times) const {
        double norm = 0, moved = 0;
        for (std::size_t n = from; n < to; ++n) norm += std::isfinite(exact_[n]) ? exact_[n] * exact_[n] : 0;
        for (const auto& m : moved_) moved = std::max(moved, distance(m, exact_, from, to));
        const double rounding = distance(stored, exact_, from, to), error = distance(got, exact_, from, to);
        const double allowed = 1e-6 * std::sqrt(norm) + times * std::hypot(rounding, moved) +
                               smallest<T> * std::sqrt(static_cast<double>(to - from));
        if (error <= allowed) return {};
        return " is off by " + text(error) + " of " + text(std::sqrt(norm)) + ", allowed " + text(allowed);
    }
    static std::string text(double x) {
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%.3g", x);
        return buffer;
    }
    template <class T>
    static constexpr double smallest = std::is_same_v<T, inlay::fp16> ? 0x1p-24 : 1e-30;

    const std::vector<double>& exact_;
    std::vector<std::vector<double>> moved_;
    std::size_t row_;
};

/// One attention over several shapes.
class Attention {
public:
    Attention(const plain::Definition& definition, OperandKinds operands, std::vector<SlotKind> slots,
              std::vector<double> scalars)
        : plain_(definition), operands_(operands), kinds_(std::move(slots)), scalars_(std::move(scalars)) {}

    /// K in T, of D and DV columns, with a second output where Number; its slots from 3 on are of these types.
    template <class K, class T, int D, int DV, bool Number, class... Slots>
    void check(std::initializer_list<Shape> shapes) {
        for (const Shape& shape : shapes) {
            try {
                one<K, T, D, DV, Number, Slots...>(shape);
            } catch (const inlay::Error& error) {
                ADD_FAILURE() << shape << ": " << error.what();
            }
        }
    }

private:
    template <class K, class T, int D, int DV, bool Number, class... Slots>
    void one(const Shape& s) {
        // Results of 16 bits that overflow are no case: other operands are drawn.
        plain::Problem drawn, x;
        plain::Result exact;
        for (std::uint64_t seed = 1; seed < 9; ++seed) {
            drawn = x = drawn_problem(s, D, DV, kinds_, scalars_, seed);
            x.q = computed(operands_.q, x.q), x.k = computed(operands_.k, x.k), x.v = computed(operands_.v, x.v);
            x.computes_v = operands_.v == Operand::exponential;
            exact = plain::attention(x, plain_);
            double most = 0;
            for (const double y : exact.out) most = std::max(most, std::fabs(y));
            if (most < 3e4) break;
        }
        constexpr bool rounds = inlay_test::rounds_operands<T>;
        constexpr double unit = !rounds                    ? 0x1p-24
                                : std::is_same_v<T, fp16> ? 0x1p-11
                                : std::is_same_v<T, bf16> ? 0x1p-8
                                                          : 0x1p-22;
        std::vector<std::vector<double>> out, numbers;
        for (std::uint64_t seed = 1; seed < 4; ++seed) {
            plain::Result r = plain::attention(x, plain_, plain::Shake(0x1p-22, seed), plain::Shake(unit, seed + 9));
            out.push_back(std::move(r.out)), numbers.push_back(std::move(r.numbers));
        }
        const Judge of_out(exact.out, out, DV), of_numbers(exact.numbers, numbers, 1);

        const auto operands = std::make_tuple(stored<T>(operands_.q, drawn.q), stored<T>(operands_.k, drawn.k),
                                              stored<T>(operands_.v, drawn.v));
        const auto slots = slots_of<Slots...>(x, std::index_sequence_for<Slots...>{});
        std::array<inlay::Scalar, inlay::detail::slots_of<K>::scalars> scalars;
        std::transform(x.scalars.begin(), x.scalars.end(), scalars.begin(), [](double v) { return inlay::Scalar(v); });

        const auto run_on = [&](auto& target) {
            constexpr double nan = std::numeric_limits<double>::quiet_NaN();
            inlay_test::Array<T, 4> y({{s.batch, s.heads, s.queries, DV}}, nan);
            inlay_test::Array<float, 3> number({{s.batch, s.heads, s.queries}}, nan);
            const auto tensors = [](const auto&... a) { return std::make_tuple(*a...); };
            const auto inputs = std::tuple_cat(std::apply(tensors, operands), std::apply(tensors, slots), scalars);
            std::apply([&](const auto&... args) {
                if constexpr (Number) inlay_test::execute<K>(target, *y, *number, args...);
                else inlay_test::execute<K>(target, *y, args...);
            }, inputs);
            return std::make_tuple(y, number);
        };
        const auto compare = [&](const auto& result, const char* way) {
            std::string fault = of_out.fault<T>(inlay_test::doubles(std::get<0>(result).v));
            if constexpr (Number)
                if (fault.empty()) {
                    fault = of_numbers.fault<float>(inlay_test::doubles(std::get<1>(result).v));
                    if (!fault.empty()) fault = "second output, " + fault;
                }
            EXPECT_EQ(fault, "") << s << ' ' << way << ": " << inlay::name<K>();
        };
        const auto first = run_on(inlay_test::executor(1));
        compare(first, "");
        inlay_test::every_other_way([&](auto& target, inlay_test::Same same, const char* way) {
            const auto again = run_on(target);
            if (same == inlay_test::Same::accuracy) compare(again, way);
            else EXPECT_TRUE(inlay_test::same_bits(first, again)) << s << ": other results " << way;
        });
    }
    template <class... Slots, std::size_t... I>
    static auto slots_of(const plain::Problem& x, std::index_sequence<I...>) {
        return std::make_tuple(Slots::stored(x.slots[I])...);
    }

    plain::Definition plain_;
    OperandKinds operands_;
    std::vector<SlotKind> kinds_;
    std::vector<double> scalars_;
};

}  // namespace fuzz
