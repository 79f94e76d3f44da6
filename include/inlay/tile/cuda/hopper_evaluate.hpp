// SPDX-License-Identifier: Apache-2.0
/// The warps that make A of raw tiles: each chunk of 8 channels of a pixel through the input's expression, once for all
/// taps. The leaf that differs from pixel to pixel was copied; the others, vectors of channels, are kept in registers
/// where they are of another type, and in the first-level cache. A pixel outside the image is zeros, whatever the
/// expression gives for zeros.
#pragma once

#include <inlay/tile/cuda/hopper_load.hpp>
#include <inlay/tile/cuda/matmul_evaluate.hpp>
#include <inlay/tile/cuda/matmul_finish.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

/// Lets the copied leaf read a chunk in shared memory.
template <class T>
struct ReadCopied {
    const char* chunk;
    int streamed;
    index_t step = 1;

    template <int I, class U>
    __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
        if constexpr (std::is_same_v<T, U>)
            if (I == streamed) c = {reinterpret_cast<const U*>(chunk), step};
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};

/// Leaves that are not of T, and so are vectors of channels: 8 elements of each, read once for many pixels.
template <class T, int Leaves>
struct KeptVectors {
    template <class U>
    static constexpr bool keeps = !std::is_same_v<T, U> && (sizeof(U) == 2 || sizeof(U) == 4);
    uint4 words[Leaves][2];

    struct Read {
        KeptVectors& kept;
        bool dense = true;      ///< of the other leaves

        template <int I, class U>
        __device__ INLAY_INLINE void leaf(row_cursor<U>& c) {
            if constexpr (!keeps<U>) {
                dense = dense && dense_leaf<8>(c);
            } else if (dense_leaf<8>(c)) {
                INLAY_UNROLL
                for (int i = 0; i < static_cast<int>(sizeof(U)) / 2; ++i)
                    kept.words[I][i] = reinterpret_cast<const uint4*>(c.p)[i];
            } else {
                U each[8];
                INLAY_UNROLL
                for (int i = 0; i < 8; ++i) each[i] = c.p[i * c.step];
                __builtin_memcpy(kept.words[I], each, sizeof each);
            }
        }
        __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
    };
    struct Point {
        const KeptVectors& kept;

        template <int I, class U>
        __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
            if constexpr (keeps<U>) c = {reinterpret_cast<const U*>(kept.words[I]), 1};
        }
        __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
    };
};

}  // namespace detail

template <class Tile, class Args, class Shared>
struct HopperEvaluate {
    using T = typename Tile::value_type;
    using In = typename Args::In;
    static constexpr int rank = rank_of<typename In::expression, typename In::env_type>,
                         rows_at_once = 32 * Tile::evaluators / 8;
    using Cursors = CursorsOf<typename In::expression, In, float>;

    const Args& a;
    const Shared& shared;
    char* const memory;         ///< at `shared.ring`
    const int thread = static_cast<int>(threadIdx.x) - 32, chunk = thread % 8;     ///< of those that evaluate

    /// For all tiles of the block.
    __device__ INLAY_INLINE void run() {
        RingPlace<Tile::raws> raw;
        RingPlace<Tile::halo ? Tile::halos : Shared::stages> to;
        for (HopperTasks<Tile, Args> tasks(a); tasks.more(); tasks.next()) {
            const HopperTask t = tasks.task();
            const int inner = Tile::halo ? a.segments : 1, first = t.begin / inner, end = (t.end + inner - 1) / inner;
            for (int block = first; block < end; ++block) {
                const std::uint32_t full = Tile::halo ? shared.halo_full(to.stage) : shared.full(to.stage),
                                    empty = Tile::halo ? shared.halo_empty(to.stage) : shared.empty(to.stage);
                barrier_wait(shared.raw_full(raw.stage), raw.parity);
                barrier_wait(empty, to.parity ^ 1);
                const char* const from = memory + (shared.raw(raw.stage) - shared.ring);
                char* const into = memory + ((Tile::halo ? shared.halo(to.stage) : shared.a(to.stage)) - shared.ring);
                if constexpr (Tile::halo) halo(t, block, from, into);
                else box(block, from, into);
                fence_shared_for_engines();
                __syncwarp();
                if (thread % 32 == 0) {
                    barrier_arrive(shared.raw_empty(raw.stage));
                    barrier_arrive(full);
                }
                raw.next();
                to.next();
            }
        }
    }

private:
    /// Cursors of the thread's channels of a 64-channel block of an image.
    struct Placed {
        Cursors cursors;
        bool inside, dense;     ///< whether there are such; whether every leaf is read 16 bytes at a time
        detail::KeptVectors<T, detail::leaves_of<Cursors>> kept;
    };
    __device__ INLAY_INLINE void place(Placed& p, int image, int block) const {
        const int channel = block * Tile::k + chunk * 8;
        p.inside = channel < a.k && image < (rank > 1 && a.rows.pixels ? a.rows.images : 1);
        // Who is outside reads what the first ones read.
        Extents<rank> c{};
        c[0] = rank > 1 && p.inside ? image : 0;
        c.back(0) = p.inside ? channel : 0;
        Walk<rank> w{c, rank - 1, 8};
        p.cursors.place(a.in, w, nullptr);
        Cursors copied = p.cursors;
        detail::ReadCopied<T> read{memory, a.streamed};
        detail::each_leaf<0>(copied, read);
        typename decltype(p.kept)::Read keep{p.kept};
        detail::each_leaf<0>(copied, keep);
        p.dense = keep.dense;
    }
    __device__ INLAY_INLINE static int offset(int row, int chunk) {
        return row * Tile::row_bytes + ((chunk ^ (row & 7)) << 4);
    }
    /// One chunk; zeros where it is not `inside`.
    template <bool Dense>
    __device__ INLAY_INLINE uint4 make(const Placed& p, const char* from, bool inside) const {
        using Reader = std::conditional_t<Dense, detail::VectorReader<8>, detail::CopiedReader<8>>;
        Cursors cursors = p.cursors;
        detail::ReadCopied<T> read{from, a.streamed, Dense ? 1 : detail::CopiedReader<8>::copied};
        detail::each_leaf<0>(cursors, read);
        // A reader that asks for addresses would keep all copies in memory.
        const auto kept = p.kept;
        const typename decltype(p.kept)::Point point{kept};
        detail::each_leaf<0>(cursors, point);
        Reader reader{};
        if constexpr (!Dense) reader.n = 8;
        const uint4 words = chunk_words<T>(cursors.eval(a.in, reader, 0));
        return inside ? words : uint4{};
    }
    /// The thread's rows from `begin` to `rows`, several at once, so that their loads overlap. source(row) says where a
    /// row comes from and whether it is inside.
    template <class Source>
    __device__ INLAY_INLINE void make_rows(const Placed& p, int begin, int rows, const char* from, char* into,
                                           const Source& source) const {
        const auto all = [&]<bool Dense>() {
            constexpr int at_once = Dense ? 3 : 1;
#pragma unroll 1
            for (int first = begin + thread / 8; first < rows; first += at_once * rows_at_once) {
                uint4 words[at_once];
                INLAY_UNROLL
                for (int i = 0; i < at_once; ++i) {
                    const auto s = source(::min(first + i * rows_at_once, rows - 1));
                    words[i] = make<Dense>(p, from + offset(s.row, chunk), s.inside);
                }
                INLAY_UNROLL
                for (int i = 0; i < at_once; ++i)
                    if (const int r = first + i * rows_at_once; r < rows)
                        *reinterpret_cast<uint4*>(into + offset(r, chunk)) = words[i];
            }
        };
        if (p.dense) all.template operator()<true>();
        else all.template operator()<false>();
    }
    struct From {
        int row;
        bool inside;
    };
    __device__ INLAY_INLINE void box(int block, const char* from, char* into) const {
        Placed p;
        place(p, 0, block);
        make_rows(p, 0, Tile::m, from, into, [&](int r) { return From{r, p.inside}; });
    }
    __device__ INLAY_INLINE void halo(const HopperTask& t, int block, const char* from, char* into) const {
        const HopperRows& g = a.rows;
        const HaloOrigin o = HaloOrigin::of<Tile>(g, t.m_tile);
        const int y0 = o.y - g.before, x0 = o.x - g.before, images = g.stacked ? Tile::m / 64 : 1;
#pragma unroll 1
        for (int u = 0; u < images; ++u) {
            Placed p;
            place(p, o.image + u, block);
            const int to = u * g.image_rows, raw = u * g.raw_image_rows;
            make_rows(p, to, to + g.image_rows, from, into, [&](int row) {
                const int r = row - to, line = g.by_pitch.divide(r), y = y0 + line, x = x0 + r - line * g.pitch;
                const int source_y = (y >> g.shift) - (y0 >> g.shift), source_x = (x >> g.shift) - (x0 >> g.shift);
                return From{raw + source_y * g.raw_pitch + source_x,
                            p.inside && y >= 0 && y < g.in_height && x >= 0 && x < g.in_width};
            });
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
