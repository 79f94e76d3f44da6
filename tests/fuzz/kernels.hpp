// SPDX-License-Identifier: Apache-2.0
/// Checks one random kernel, as make_kernels.py writes it, on the executor under test against the double oracle: each
/// element, in every way that executor has.
#pragma once

#include "slots.hpp"

#include <frame/check.hpp>

#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>

namespace fuzz {

/// The weight of a matrix product. `none`: an elementwise kernel. `dense`: eighths up to 1/2. `sparse`: two halves a
/// row, so that each sum of two is exact, and no larger than its terms.
enum class Weight { none, dense, sparse };

/// The arguments of a kernel. Extents as "3,4", those of several tensors between spaces.
struct Case {
    const char *out, *weight, *slots, *scalars;
    double error;  ///< of the expression in float, absolute
    double top;    ///< its values lie between -top and top
};

class Kernels {
public:
    /// K with an output of T of rank R, a weight of T of rank W, and a tensor in each slot.
    template <class K, Weight Kind, class T, int R, int W, class... Slots>
    void check(const Case& c, int line = __builtin_LINE()) {
        memory_.clear();
        std::tuple<Slots...> slots;
        const char* s = c.slots;
        int slot = 0;
        std::apply([&](auto&... t) { (memory_.fill(t, next(s), slot++), ...); }, slots);
        constexpr int scalars = inlay::detail::slots_of<K>::scalars;
        std::array<inlay::Scalar, scalars> numbers;
        char* end = const_cast<char*>(c.scalars);
        for (auto& x : numbers) x = inlay::Scalar(std::strtod(end, &end));

        const auto outs = std::make_tuple(extents<R>(c.out));
        inlay_test::Array<T, W> weight(extents<W>(c.weight), 0);
        // Sums of a row's weights weigh the errors of what they multiply; a 16-bit engine rounds that first.
        double tolerance = c.error + 1e-6 * c.top;
        if constexpr (Kind == Weight::dense)
            tolerance =
                fill_dense(weight) * (tolerance + (inlay_test::rounds_operands<T> ? unit<T> * c.top + 1e-7 : 0));
        if constexpr (Kind == Weight::sparse) fill_sparse(weight);

        const auto run_on = [&](auto& target, auto type) {
            return std::apply([&](const auto&... args) {
                using Stored = decltype(type);
                if constexpr (Kind == Weight::none) return inlay_test::run<K, Stored>(target, outs, args...);
                else return inlay_test::run<K, Stored>(target, outs, *weight, args...);
            }, std::tuple_cat(slots, numbers));
        };
        try {
            inlay::Oracle oracle;
            const auto exact = inlay_test::joined(run_on(oracle, double()));
            const auto compare = [&](const auto& result, const char* way) {
                const auto got = inlay_test::joined(result);
                for (std::size_t i = 0; i < got.size(); ++i)
                    if (!(std::fabs(got[i] - exact[i]) <= tolerance + unit<T> * std::fabs(exact[i])))
                        return fail(line, "element " + std::to_string(i) + way + " is " + std::to_string(got[i]) +
                                              ", expected " + std::to_string(exact[i]));
            };
            const auto first = run_on(inlay_test::executor(1), T());
            compare(first, "");
            inlay_test::every_other_way([&](auto& target, inlay_test::Same same, const char* way) {
                const auto again = run_on(target, T());
                if (same == inlay_test::Same::accuracy) compare(again, way);
                else if (!inlay_test::same_bits(first, again)) fail(line, std::string("other results ") + way);
            });
        } catch (const inlay::Error& error) {
            fail(line, error.what());
        }
    }

private:
    /// Of a rounding to T, relative.
    template <class T>
    static constexpr double unit = std::is_same_v<T, fp16> ? 0x1p-11 : std::is_same_v<T, bf16> ? 0x1p-8 : 0x1p-22;

    static void fail(int line, const std::string& what) { ADD_FAILURE_AT("kernels", line) << what; }
    static Spec next(const char*& s) {
        const Spec spec = read_spec(s);
        if (*s == ' ') ++s;
        return spec;
    }
    template <int R>
    static Extents<R> extents(const char* s) {
        const Spec spec = next(s);
        Extents<R> e;
        for (int i = 0; i < R; ++i) e[i] = spec.extents[static_cast<std::size_t>(i)];
        return e;
    }
    /// The largest sum of absolute weights of a row.
    template <class A>
    double fill_dense(A& w) {
        const std::size_t rows = static_cast<std::size_t>(w.extents[0]), k = w.v.size() / rows;
        double most = 0;
        for (std::size_t n = 0; n < rows; ++n) {
            double sum = 0;
            for (std::size_t i = 0; i < k; ++i) {
                const double x = (static_cast<double>(memory_.random.below(9)) - 4) / 8;
                w.v[n * k + i] = inlay::to_storage<std::remove_cvref_t<decltype(w.v[0])>>(x);
                sum += std::fabs(x);
            }
            most = std::max(most, sum);
        }
        return most;
    }
    template <class A>
    void fill_sparse(A& w) {
        const auto rows = static_cast<std::uint32_t>(w.extents[0]), k = static_cast<std::uint32_t>(w.v.size()) / rows;
        for (std::uint32_t n = 0; n < rows; ++n) {
            using T = std::remove_cvref_t<decltype(w.v[0])>;
            w.v[n * k + memory_.random.below(k)] = T(0.5f);
            w.v[n * k + memory_.random.below(k)] = T(-0.5f);
        }
    }

    Memory memory_;
};

}  // namespace fuzz
