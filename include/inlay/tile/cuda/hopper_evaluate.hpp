// SPDX-License-Identifier: Apache-2.0
/// The warps that make A of raw tiles: each chunk of 8 channels of a pixel through the input's expression, once for all
/// taps. The leaf that differs from pixel to pixel was copied; of the others, vectors of channels, a thread keeps its 8
/// channels in registers. A pixel outside the image is zeros, whatever the expression gives for zeros.
#pragma once

#include <inlay/tile/cuda/hopper_load.hpp>
#include <inlay/tile/cuda/matmul_evaluate.hpp>
#include <inlay/tile/cuda/matmul_finish.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

/// Whether leaf I of type U is the one that is copied, number `streamed`: where only one is of T it is known to the
/// compiler.
template <class T, class Cursors>
struct CopiedLeaf {
    template <class... V>
    static constexpr int count(const pack<V...>*) {
        return (std::is_same_v<V, row_cursor<T>> + ... + 0);
    }
    static constexpr bool only = count(static_cast<const decltype(Cursors::cursor)*>(nullptr)) == 1;

    int streamed;
    template <int I, class U>
    __device__ INLAY_INLINE bool is() const {
        return std::is_same_v<T, U> && (only || I == streamed);
    }
};
/// 8 elements of each leaf, as they are stored.
template <class T, class Cursors>
struct LeafWords {
    uint4 words[leaves_of<Cursors>][4];

    /// Reads those that are not copied, vectors of channels.
    struct Read {
        LeafWords& to;
        CopiedLeaf<T, Cursors> copied;

        template <int I, class U>
        __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
            if (copied.template is<I, U>()) return;
            if (sizeof(U) <= 4 && dense_leaf<8>(c)) {
                INLAY_UNROLL
                for (int i = 0; i < static_cast<int>(sizeof(U)) / 2; ++i)
                    to.words[I][i] = reinterpret_cast<const uint4*>(c.p)[i];
            } else {
                U each[8];
                INLAY_UNROLL
                for (int i = 0; i < 8; ++i) each[i] = c.p[i * c.step];
                __builtin_memcpy(to.words[I], each, sizeof each);
            }
        }
        __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
    };
    /// Reads the copied one from `chunk`, and lets cursors read all.
    struct Point {
        LeafWords& to;
        CopiedLeaf<T, Cursors> copied;
        const char* chunk;

        template <int I, class U>
        __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
            if (copied.template is<I, U>()) to.words[I][0] = *reinterpret_cast<const uint4*>(chunk);
            c = {reinterpret_cast<const U*>(to.words[I]), 1};
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
    using Words = detail::LeafWords<T, Cursors>;

    const Args& a;
    const Shared& shared;
    char* const memory;         ///< at `shared.ring`
    const int thread = static_cast<int>(threadIdx.x) - 32, chunk = thread % 8;     ///< of those that evaluate

    __device__ HopperEvaluate(const Args& args, const Shared& s, char* m) : a(args), shared(s), memory(m) {}

    /// For all tiles of the block.
    __device__ INLAY_INLINE void run() {
        RingPlace<Tile::raws> raw;
        RingPlace<Tile::halo ? Tile::halos : Shared::stages> to;
        for (HopperTasks<Tile, Args> tasks(a); tasks.more(); tasks.next()) {
            const HopperTask t = tasks.task();
            const int first = Tile::halo ? a.by_segments.divide(t.begin) : t.begin,
                      end = Tile::halo ? a.by_segments.divide(t.end + a.segments - 1) : t.end;
            for (int block = first; block < end; ++block) {
                const std::uint32_t full = Tile::halo ? shared.halo_full(to.stage) : shared.full(to.stage),
                                    empty = Tile::halo ? shared.halo_empty(to.stage) : shared.empty(to.stage);
                barrier_wait(shared.raw_full(raw.stage), raw.parity);
                barrier_wait(empty, to.parity ^ 1);
                const char* const from = memory + (shared.raw(raw.stage) - shared.ring);
                char* const into = memory + ((Tile::halo ? shared.halo(to.stage) : shared.a(to.stage)) - shared.ring);
                if constexpr (Tile::halo) halo(t, block, block == first, from, into);
                else box(block, block == first, from, into);
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
    /// What a thread reads of an image: its channels of a block of 64.
    struct Placed {
        Cursors first;          ///< of the first block
        bool inside;            ///< whether there are such
        Words words;            ///< of vectors of channels
    };
    Placed p;

    /// `anew`: of another image than the last. Rows of channels are even, so further blocks are further along.
    __device__ INLAY_INLINE void place(bool anew, int image, int block) {
        const int channel = block * Tile::k + chunk * 8;
        const bool in_images = image < (rank > 1 && a.rows.pixels ? a.rows.images : 1);
        if (anew) {
            // Who is outside reads what the first ones read.
            Extents<rank> c{};
            c[0] = rank > 1 && in_images ? image : 0;
            Walk<rank> w{c, rank - 1, 8};
            p.first.place(a.in, w, nullptr);
        }
        p.inside = channel < a.k && in_images;
        Cursors cursors = p.first;
        const Along along{p.inside ? channel : 0};
        detail::each_leaf<0>(cursors, along);
        const typename Words::Read read{p.words, {a.streamed}};
        detail::each_leaf<0>(cursors, read);
    }
    struct Along {
        index_t j;

        template <int, class U>
        __device__ INLAY_INLINE void leaf(detail::row_cursor<U>& c) const {
            c.p += c.step * j;
        }
        __device__ INLAY_INLINE void coordinate(detail::coord_cursor&) const {}
    };
    __device__ INLAY_INLINE static int offset(int row, int chunk) {
        return row * Tile::row_bytes + ((chunk ^ (row & 7)) << 4);
    }
    /// One chunk; zeros where it is not `inside`.
    __device__ INLAY_INLINE uint4 make(const char* from, bool inside) const {
        Cursors cursors = p.first;
        Words words = p.words;
        const typename Words::Point point{words, {a.streamed}, from};
        detail::each_leaf<0>(cursors, point);
        const uint4 made = chunk_words<T>(cursors.eval(a.in, detail::VectorReader<8, T>{}, 0));
        return inside ? made : uint4{};
    }
    /// The thread's rows from `begin` to `rows`, several at once, so that their loads overlap. source(row) says where a
    /// row comes from and whether it is inside.
    template <class Source>
    __device__ INLAY_INLINE void make_rows(int begin, int rows, const char* from, char* into,
                                           const Source& source) const {
        constexpr int at_once = 2;
#pragma unroll 1
        for (int first = begin + thread / 8; first < rows; first += at_once * rows_at_once) {
            uint4 words[at_once];
            INLAY_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const auto s = source(::min(first + i * rows_at_once, rows - 1));
                words[i] = make(from + offset(s.row, chunk), s.inside);
            }
            INLAY_UNROLL
            for (int i = 0; i < at_once; ++i)
                if (const int r = first + i * rows_at_once; r < rows)
                    *reinterpret_cast<uint4*>(into + offset(r, chunk)) = words[i];
        }
    }
    struct From {
        int row;
        bool inside;
    };
    __device__ INLAY_INLINE void box(int block, bool first, const char* from, char* into) {
        place(first, 0, block);
        make_rows(0, Tile::m, from, into, [&](int r) { return From{r, p.inside}; });
    }
    __device__ INLAY_INLINE void halo(const HopperTask& t, int block, bool first, const char* from, char* into) {
        const HopperRows& g = a.rows;
        const HaloOrigin o = HaloOrigin::of<Tile>(g, t.m_tile);
        const int y0 = o.y - g.before, x0 = o.x - g.before, images = g.stacked ? Tile::m / 64 : 1;
#pragma unroll 1
        for (int u = 0; u < images; ++u) {
            place(first || images > 1, o.image + u, block);
            const int to = u * g.image_rows, raw = u * g.raw_image_rows;
            make_rows(to, to + g.image_rows, from, into, [&](int row) {
                const int r = row - to, line = g.by_pitch.divide(r), y = y0 + line, x = x0 + r - line * g.pitch;
                const int source_y = (y >> g.shift) - (y0 >> g.shift), source_x = (x >> g.shift) - (x0 >> g.shift);
                return From{raw + source_y * g.raw_pitch + source_x,
                            p.inside && y >= 0 && y < g.in_height && x >= 0 && x < g.in_width};
            });
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
