// SPDX-License-Identifier: Apache-2.0
/// Checks one expression type against the double oracle: the host's vector evaluation, row by row, and `reference()`.
/// All types share one environment, so that a type costs the compiler no more than itself.
#pragma once

#include "slots.hpp"

#include <inlay/expr/reference.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/row.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace fuzz {

/// As SLOTS and PARAMS in make_expressions.py: of each rank three fp32, one fp16, one bf16, one int32.
inline constexpr int slots = 36, params = 6;
template <int RankOfOut>
using Tensors =
    inlay::Env<RankOfOut, params, Tensor<float, 0>, Tensor<float, 0>, Tensor<float, 0>, Tensor<fp16, 0>,
               Tensor<bf16, 0>, Tensor<std::int32_t, 0>, Tensor<float, 1>, Tensor<float, 1>, Tensor<float, 1>,
               Tensor<fp16, 1>, Tensor<bf16, 1>, Tensor<std::int32_t, 1>, Tensor<float, 2>, Tensor<float, 2>,
               Tensor<float, 2>, Tensor<fp16, 2>, Tensor<bf16, 2>, Tensor<std::int32_t, 2>, Tensor<float, 3>,
               Tensor<float, 3>, Tensor<float, 3>, Tensor<fp16, 3>, Tensor<bf16, 3>, Tensor<std::int32_t, 3>,
               Tensor<float, 4>, Tensor<float, 4>, Tensor<float, 4>, Tensor<fp16, 4>, Tensor<bf16, 4>,
               Tensor<std::int32_t, 4>, Tensor<float, 5>, Tensor<float, 5>, Tensor<float, 5>, Tensor<fp16, 5>,
               Tensor<bf16, 5>, Tensor<std::int32_t, 5>>;
/// Under a name of its own: it stands in the symbol of every function of a type.
template <int RankOfOut>
struct Environment : Tensors<RankOfOut> {};

class Expressions {
public:
    /// E over the slots given as "slot:extents ..." has the extents `root`, and its values in float are within
    /// `tolerance` of those in double.
    template <class E, int R>
    void check(const char* root, const char* tensors, const char* numbers, double tolerance,
               int line = __builtin_LINE()) {
        const Spec want = read_spec(root);
        Environment<R> env;
        fill(env, tensors, numbers, want);
        try {
            const auto e = inlay::extents_of<E>(env);
            if (e.rank != R || !same(want, e.v)) return fail(line, "extents", 0, 0, inlay::text(e));
            const auto bound = inlay::bind<E>(env);
            const index_t n = want.extents.back(), rows = inlay::count(env.out) / n;
            for (index_t r = 0; r < rows; ++r) {
                auto c = inlay::unravel(r * n, env.out);
                inlay::on_host::evaluate_row(bound, c, n, row_.data(), out_.data());
                for (index_t j = 0; j < n; ++j, ++c.back(0)) {
                    const double exact = inlay::reference<E>(env, c, out_[static_cast<std::size_t>(j)]);
                    const double got = static_cast<double>(row_[static_cast<std::size_t>(j)]);
                    if (!(std::fabs(got - exact) <= tolerance)) return fail(line, "value", got, exact, inlay::text(c));
                }
            }
            ++checked;
        } catch (const inlay::Error& error) {
            fail(line, error.what(), 0, 0, "");
        }
    }

    int checked = 0;

private:
    template <int R>
    static bool same(const Spec& want, const index_t (&e)[R]) {
        for (std::size_t i = 0; i < want.extents.size(); ++i)
            if (want.extents[i] != e[i]) return false;
        return true;
    }
    static void fail(int line, const char* what, double got, double exact, const std::string& at) {
        ADD_FAILURE_AT("expressions", line) << what << ' ' << got << ", expected " << exact << ' ' << at;
    }

    template <int R>
    void fill(Environment<R>& env, const char* tensors, const char* numbers, const Spec& root) {
        std::array<Spec, slots> specs;
        std::array<bool, slots> bound{};
        for (const char* s = tensors; *s;) {
            char* end;
            const auto slot = static_cast<std::size_t>(std::strtol(s, &end, 10));
            s = end + 1;
            specs[slot] = read_spec(s);
            bound[slot] = true;
            if (*s == ' ') ++s;
        }
        memory_.clear();
        bind_slots(env, specs, bound, std::make_integer_sequence<int, slots>{});
        char* end = const_cast<char*>(numbers);
        for (auto& p : env.scalars) p = inlay::Scalar(std::strtod(end, &end));
        for (int i = 0; i < R; ++i) env.out[i] = root.extents[static_cast<std::size_t>(i)];
        row_.assign(512, 0.0f);
        out_.resize(512);
        for (float& x : out_) x = memory_.random.eighths();
    }
    template <int R, int... I>
    void bind_slots(Environment<R>& env, const std::array<Spec, slots>& specs, const std::array<bool, slots>& bound,
                    std::integer_sequence<int, I...>) {
        ((bound[I] ? memory_.fill(inlay::get<I>(env.buffers), specs[I], I) : void()), ...);
    }

    Memory memory_;
    std::vector<float> row_, out_;
};

}  // namespace fuzz
