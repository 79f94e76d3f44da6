// SPDX-License-Identifier: Apache-2.0
/// Products of bf16 in the tile registers of AMX, of which one instruction multiplies 16 rows of A by 16 columns of B
/// over 32 of K. Where the processor has them they are used, unless INLAY_HOST_ISA names the path avx512. Tests replace
/// the registers by plain loops, and take the processor's where it has them.
///
/// Every row takes the same instructions whatever the number of rows: those beyond are computed and not stored. K's
/// remainder of 32 is the micro kernel's, at a sixteenth of the speed, so that k-blocks and padded operands are multiples
/// of 32 where they can be.
#pragma once

#include <inlay/core/processor.hpp>
#include <inlay/tile/host/micro.hpp>
#include <inlay/tile/shapes.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// Of the compilers that `processor_runs_amx` needs.
#if defined(__AVX512BF16__) && defined(__x86_64__) && defined(__linux__) && \
    (defined(__clang__) ? __clang_major__ >= 19 : __GNUC__ >= 12)
#define INLAY_HAS_AMX 1
#else
#define INLAY_HAS_AMX 0
#endif

namespace inlay::inline INLAY_ABI::on_host::amx {

/// Rows of a tile of A, and the part of K in it.
inline constexpr index_t tile_rows = 16, tile_depth = 32;

/// The multiple of a tile's rows or depth from n on.
constexpr index_t whole_tiles(index_t n, index_t tile) { return (n + tile - 1) / tile * tile; }

/// True if this build has the code, the processor and the system run it, and INLAY_HOST_ISA is not avx512.
inline bool in_use() {
#if INLAY_HAS_AMX
    static const bool chosen = [] {
        const char* const name = std::getenv(host_path_variable);
        return (name == nullptr || std::strcmp(name, "avx512") != 0) && processor_runs_amx();
    }();
    return chosen;
#else
    return false;
#endif
}

#if INLAY_HAS_AMX
/// The eight tile registers of a thread, each 16 rows of 64 bytes, from construction to destruction.
class Registers {
public:
    Registers() {
        struct {
            std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
            std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
            std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
        } const shapes;
        asm volatile("ldtilecfg %0" ::"m"(shapes));
    }
    ~Registers() { asm volatile("tilerelease"); }
    Registers(const Registers&) = delete;

    template <int T>
    void zero() {
        asm volatile("tilezero %%tmm%c0" ::"i"(T));
    }
    /// `stride`: bytes from row to row.
    template <int T>
    void load(const void* from, index_t stride) {
        asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(T) : "memory");
    }
    template <int T>
    void store(void* to, index_t stride) {
        asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(T) : "memory");
    }
    /// C += A · B, of pairs along K as `isa::pairs` has them.
    template <int C, int A, int B>
    void multiply() {
        asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(A), "i"(B));
    }
};
/// Tile registers of this build's processors.
struct Processor {
    using Registers = amx::Registers;
    static bool in_use() { return amx::in_use(); }
};
#else
struct Processor {};
#endif

/// True if a build has code for products of A by W in tile registers. `Tiles`: `Processor`, or a stand-in of tests.
template <class Tiles, class A, class W>
inline constexpr bool multiplies =
    std::same_as<A, bf16> && std::same_as<W, bf16> && requires { typename Tiles::Registers; };

/// The division of a product into work tiles of whole tiles: rows and columns of each.
struct Division {
    static constexpr index_t unit = 2 * tile_rows, row_limit = 512;
    static constexpr index_t sum_limit = 128 * unit * unit;  ///< of a work tile: its sums fit the second-level cache
    index_t rows = unit, columns = unit;

    /// The cheapest by a model of a thread's clocks for each number of K: staging of a row, moving a column of B, and
    /// products. Wide work tiles stage less, narrow ones leave no thread without work; half a work tile is what threads
    /// wait for the last one at best, as they do not run evenly.
    Division(const MatmulShape& s, index_t threads) {
        constexpr double of_row = 0.3, of_column = 0.25, of_sum = 1 / 330., waiting = 0.5;
        const index_t all_rows = up(s.m, unit), all_columns = up(s.n, unit);
        double least = 0;
        each_part(all_rows, row_limit / unit, [&](index_t r) {
            each_part(all_columns, sum_limit / (unit * unit) / r, [&](index_t c) {
                const index_t tasks = s.batch * up(all_rows, r) * up(all_columns, c);
                const double m = double(r * unit), n = double(c * unit);
                const double evenly = (std::max)(1., double(tasks) / double(threads));
                const double each = (std::max)(double(up(tasks, threads)), evenly + waiting);
                const double clocks = each * (m * of_row + n * of_column + m * n * of_sum);
                if (least == 0 || clocks < least) least = clocks, rows = r * unit, columns = c * unit;
            });
        });
    }

private:
    static constexpr index_t up(index_t a, index_t b) { return (a + b - 1) / b; }
    /// The sizes, of at most `limit`, that equal parts of n can have.
    template <class F>
    static void each_part(index_t n, index_t limit, F&& f) {
        for (index_t size = up(n, up(n, limit));; size = up(n, up(n, size - 1))) {
            f(size);
            if (size == 1) return;
        }
    }
};

namespace detail {

/// C of one or two tiles of rows and a panel over whole tiles of K. Registers 0 … 3 are C, 4 and 5 A, 6 and 7 B.
/// `ahead`: a panel that is read next, to be prefetched, or null.
template <int Tiles, class R>
void multiply_panel(R& r, const bf16* a, index_t a_stride, const bf16* b, index_t k, float* c, index_t ldc,
                    bool accumulate, const bf16* ahead) {
    constexpr index_t lanes = 16, panel = 2 * lanes;
    const index_t a_bytes = a_stride * index_t(sizeof(bf16)), c_bytes = ldc * index_t(sizeof(float));
    float* const below = c + tile_rows * ldc;
    if (accumulate) {
        r.template load<0>(c, c_bytes), r.template load<1>(c + lanes, c_bytes);
        if constexpr (Tiles == 2) r.template load<2>(below, c_bytes), r.template load<3>(below + lanes, c_bytes);
    } else {
        r.template zero<0>(), r.template zero<1>();
        if constexpr (Tiles == 2) r.template zero<2>(), r.template zero<3>();
    }
    for (; k >= tile_depth; k -= tile_depth, a += tile_depth, b += tile_depth * panel) {
        if (ahead) {
            constexpr index_t line = 64 / index_t(sizeof(bf16));
            for (index_t i = 0; i < tile_depth * panel; i += line) __builtin_prefetch(ahead + i, 0, 2);
            ahead += tile_depth * panel;
        }
        r.template load<6>(b, 2 * panel * index_t(sizeof(bf16)));
        r.template load<7>(b + 2 * lanes, 2 * panel * index_t(sizeof(bf16)));
        r.template load<4>(a, a_bytes);
        r.template multiply<0, 4, 6>(), r.template multiply<1, 4, 7>();
        if constexpr (Tiles == 2) {
            r.template load<5>(a + tile_rows * a_stride, a_bytes);
            r.template multiply<2, 5, 6>(), r.template multiply<3, 5, 7>();
        }
    }
    r.template store<0>(c, c_bytes), r.template store<1>(c + lanes, c_bytes);
    if constexpr (Tiles == 2) r.template store<2>(below, c_bytes), r.template store<3>(below + lanes, c_bytes);
}

}  // namespace detail

/// C (+)= A · B over one k-block: m rows, `a_stride` elements apart, by the panels of n columns, `panel_stride` elements
/// apart; m is at most MostRows. Reads rows of A and writes rows of C up to the next multiple of 16, and columns up to
/// the next whole panel. k is even. `behind`: panel 0 of the next k-block, or null.
template <class R, index_t MostRows>
void multiply_step(const bf16* a, index_t a_stride, index_t m, const bf16* panels, index_t panel_stride, index_t n,
                   index_t k, float* c, index_t ldc, bool accumulate, const bf16* behind = nullptr) {
    R registers;
    const index_t whole = k / tile_depth * tile_depth;
    const bf16* rest[static_cast<std::size_t>(MostRows)];
    for (index_t i = 0; whole < k && i < m; ++i) rest[i] = a + i * a_stride + whole;
    for (index_t n0 = 0; n0 < n; n0 += host_panel, panels += panel_stride) {
        // Weights come from memory once: the next panel's while the first rows multiply this one.
        const bf16* ahead = n0 + host_panel < n ? panels + panel_stride : behind;
        for (index_t i = 0; whole > 0 && i < m; i += 2 * tile_rows, ahead = nullptr) {
            const auto multiply = m - i > tile_rows ? detail::multiply_panel<2, R> : detail::multiply_panel<1, R>;
            multiply(registers, a + i * a_stride, a_stride, panels, whole, c + i * ldc + n0, ldc, accumulate, ahead);
        }
        if (whole < k)
            on_host::multiply_panel(rest, m, panels + whole * host_panel, std::min<index_t>(host_panel, n - n0),
                                    k - whole, c + n0, ldc, accumulate || whole > 0);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host::amx
