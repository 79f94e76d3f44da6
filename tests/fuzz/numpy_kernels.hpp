// SPDX-License-Identifier: Apache-2.0
/// Checks one random kernel, as make_numpy_kernels.py writes it, on the executor under test against NumPy in double:
/// each element, in every way that executor has.
#pragma once

#include "slots.hpp"

#include <frame/check.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace fuzz {

/// Operands of a kernel. Extents as "3,4", those of several tensors between spaces.
struct NumpyCase {
    const char *out, *operands, *scalars;
    double rounding;  ///< times a 16-bit unit: what an engine that multiplies in 16 bits may add to the error
    double coarse;    ///< times the tolerance on a GPU that keeps 16 bits, where each SiLU and GELU is off by 1e-5
};

/// Reads operands, expected values and tolerances in the order of the calls.
class NumpyKernels {
public:
    explicit NumpyKernels(const char* path) : data_(path, std::ios::binary) {
        if (!data_) ADD_FAILURE() << "cannot open " << path;
    }

    /// K with an output of T of rank R, and these operands.
    template <class K, class T, int R, class... Operands>
    void check(const NumpyCase& c, int line = __builtin_LINE()) {
        blocks_.clear();
        const char* s = c.operands;
        std::tuple<Operands...> operands;
        int slot = 0;
        std::apply([&](auto&... t) { (read(t, s, slot++), ...); }, operands);
        std::array<inlay::Scalar, inlay::detail::slots_of<K>::scalars> numbers;
        char* end = const_cast<char*>(c.scalars);
        for (auto& x : numbers) x = inlay::Scalar(std::strtod(end, &end));
        const char* o = c.out;
        const auto outs = std::make_tuple(extents<R>(o));
        const std::vector<double> expected = doubles(outs);
        std::vector<double> tolerance = doubles(outs);
        if (!data_) return fail(line, "the file of operands ends too early");
        if (inlay_test::rounds_operands<T> && sizeof(T) == 2)
            for (double& t : tolerance) t *= c.coarse;
        const double engine = inlay_test::rounds_operands<T> ? c.rounding * unit<T> : 0;

        try {
            const auto run_on = [&](auto& target) {
                return std::apply([&](const auto&... args) { return inlay_test::run<K, T>(target, outs, args...); },
                                  std::tuple_cat(operands, numbers));
            };
            const auto compare = [&](const auto& result, const char* way) {
                const auto got = inlay_test::joined(result);
                for (std::size_t i = 0; i < got.size(); ++i)
                    if (!(std::fabs(got[i] - expected[i]) <=
                          tolerance[i] + engine + unit<T> * std::fabs(expected[i]) + smallest<T>))
                        return fail(line, inlay::name<K>() + ": element " + std::to_string(i) + " " + way + " is " +
                                              std::to_string(got[i]) + ", expected " + std::to_string(expected[i]) +
                                              " within " + std::to_string(tolerance[i] + engine));
            };
            const auto first = run_on(inlay_test::executor(1));
            compare(first, "");
            inlay_test::every_other_way([&](auto& target, inlay_test::Same same, const char* way) {
                const auto again = run_on(target);
                if (same == inlay_test::Same::accuracy) compare(again, way);
                else if (!inlay_test::same_bits(first, again)) fail(line, std::string("other results ") + way);
            });
        } catch (const inlay::Error& error) {
            fail(line, error.what());
        }
    }
    /// Fails where the file holds more than the calls took.
    void finish() {
        if (data_.peek() != std::ifstream::traits_type::eof()) ADD_FAILURE() << "the file of operands holds more";
    }

private:
    /// Of a rounding to T, relative, and half of its smallest number.
    template <class T>
    static constexpr double unit = std::is_same_v<T, fp16> ? 0x1p-11 : std::is_same_v<T, bf16> ? 0x1p-8 : 0x1p-22;
    template <class T>
    static constexpr double smallest = std::is_same_v<T, fp16> ? 0x1p-25 : 0;

    static void fail(int line, const std::string& what) { ADD_FAILURE_AT("kernels", line) << what; }
    template <int R>
    static Extents<R> extents(const char*& s) {
        const Spec spec = read_spec(s);
        if (*s == ' ') ++s;
        Extents<R> e;
        for (int i = 0; i < R; ++i) e[i] = spec.extents[static_cast<std::size_t>(i)];
        return e;
    }
    /// A tensor whose values come dense from the file, into one that is dense, has gaps or is column-major. Operands of
    /// matrix products stay dense, as they must.
    template <class T, int R>
    void read(Tensor<T, R>& t, const char*& s, int slot) {
        t.extents = extents<R>(s);
        std::vector<T> dense(static_cast<std::size_t>(t.size()));
        data_.read(reinterpret_cast<char*>(dense.data()), static_cast<std::streamsize>(dense.size() * sizeof(T)));
        t.strides = inlay::row_major(t.extents);
        if (slot % 3 == 1)
            for (int i = 0; i < R; ++i) t.strides[i] *= 2;
        if (slot % 3 == 2) {
            index_t n = 1;
            for (int i = 0; i < R; ++i) t.strides[i] = n, n *= t.extents[i];
        }
        blocks_.emplace_back(2 * dense.size() * sizeof(T));
        t.data = reinterpret_cast<T*>(blocks_.back().data());
        for (index_t i = 0; i < t.size(); ++i) {
            index_t rest = i, at = 0;
            for (int a = R - 1; a >= 0; --a) {
                at += rest % t.extents[a] * t.strides[a];
                rest /= t.extents[a];
            }
            t.data[at] = dense[static_cast<std::size_t>(i)];
        }
    }
    template <int R>
    std::vector<double> doubles(const std::tuple<Extents<R>>& e) {
        std::vector<double> v(static_cast<std::size_t>(inlay::count(std::get<0>(e))));
        data_.read(reinterpret_cast<char*>(v.data()), static_cast<std::streamsize>(v.size() * sizeof(double)));
        return v;
    }

    std::ifstream data_;
    std::vector<std::vector<char>> blocks_;
};

}  // namespace fuzz
