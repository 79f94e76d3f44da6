// SPDX-License-Identifier: Apache-2.0
/// The operands of an evaluating warp beside the source tiles: vectors of channels, of one image or of all. A thread
/// has 8 channels of a block of 64 in registers, as numbers.
#pragma once

#include <inlay/tile/gpu/gemm/evaluate.hpp>
#include <inlay/tile/cuda/wgmma/gemm/tile.hpp>
#include <inlay/tile/gpu/chunk/affine_silu.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <bit>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// The address of channel j of an image, and those after it.
template <class U>
__device__ INLAY_INLINE row_cursor<U> channels_of(const WgmmaLeaf& l, index_t image, index_t j) {
    return {static_cast<const U*>(l.p) + l.image * image + l.channel * j, l.channel};
}

/// 8 channels of each leaf, as they are stored.
template <int Leaves, unsigned Copied>
struct PackedChannels {
    uint4 words[Leaves][4];

    /// Prefetches them: channel `j` of an image and those after it.
    struct Read {
        PackedChannels& to;
        const WgmmaLeaf (&leaves)[Leaves];
        index_t image, j;

        template <int I, class U>
        __device__ INLAY_INLINE void leaf(row_cursor<U>&) const {
            if constexpr (Copied >> I & 1u) return;
            const auto c = channels_of<U>(leaves[I], image, j);
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
};
template <int Leaves, unsigned Copied>
struct PrefetchChannels {
    const WgmmaLeaf (&leaves)[Leaves];
    index_t image, j;

    template <int I, class U>
    __device__ INLAY_INLINE void leaf(row_cursor<U>&) const {
        if constexpr (Copied >> I & 1u) return;
        prefetch_line(channels_of<U>(leaves[I], image, j).p);
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};
/// The same as numbers, or halves of them.
template <int Leaves, unsigned Copied, bool Halves>
struct ChannelNumbers {
    Vec<float, 8> of[Leaves];

    struct Convert {
        ChannelNumbers& to;
        const PackedChannels<Leaves, Copied>& from;

        template <int I, class U>
        __device__ INLAY_INLINE void leaf(row_cursor<U>&) const {
            if constexpr (!(Copied >> I & 1u)) {
                to.of[I] = load_vector<8>(reinterpret_cast<const U*>(from.words[I]));
                if constexpr (Halves) to.of[I] = 0.5f * to.of[I];
            }
        }
        __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
    };
};

/// Reads the leaves that are copied from their chunks, the others from registers. A cursor's step is the number of its
/// leaf.
template <class T, int Leaves, unsigned Copied, bool Halves>
struct ChannelReader {
    using scalar = float;
    using value = Vec<float, 8>;
    static constexpr bool coarse = is_coarse<T>;
    const ChannelNumbers<Leaves, Copied, Halves>& numbers;
    const value (&chunks)[std::popcount(Copied)];

    template <class U>
    __device__ INLAY_INLINE value load(const U*, index_t leaf, index_t) const {
        const unsigned bit = 1u << leaf;
        return Copied & bit ? chunks[bit_count(Copied & (bit - 1))] : numbers.of[leaf];
    }
};
struct NumberLeaves {
    template <int I, class U>
    __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
        c.step = I;
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};

}  // namespace detail

/// 8 channels of each vector, which are prefetched, then taken.
template <class Tile, class Args>
class WgmmaChannels {
    using T = typename Args::value_type;
    using In = typename Args::In;
    static constexpr int leaves = Args::leaves, source_operands = Tile::source_operands;
    static constexpr unsigned copied = Args::copied;
    using Halved = detail::Halved<typename In::expression, copied>;
    using Cursors = CursorsOf<typename Halved::expression, In, float>;
    using PackedChunk = detail::PackedChannels<leaves, copied>;
    using Numbers = detail::ChannelNumbers<leaves, copied, Halved::vectors>;

public:
    /// `chunk`: of the 8 in a block of 64 channels.
    __device__ WgmmaChannels(const Args& args, int chunk) : a_(args), chunk_(chunk) {}

    /// Prefetches those of an image and of a block of 64 channels. Out-of-range threads clamp to the first ones.
    __device__ INLAY_INLINE void ask(int image, int block) {
        asked_inside_ = has(image, block);
        const typename PackedChunk::Read read{words_, a_.leaf, has_image(image) ? image : 0,
                                        asked_inside_ ? channel(block) : 0};
        Cursors cursors{};
        detail::each_leaf<0>(cursors, read);
    }
    /// Prefetches the next ones into the cache.
    __device__ INLAY_INLINE void prefetch(int image, int block) const {
        if (!has(image, block)) return;
        const detail::PrefetchChannels<leaves, copied> lines{a_.leaf, image, channel(block)};
        Cursors cursors{};
        detail::each_leaf<0>(cursors, lines);
    }
    /// Takes the prefetched ones.
    __device__ INLAY_INLINE void take() {
        inside_ = asked_inside_;
        const typename Numbers::Convert convert{numbers_, words_};
        Cursors cursors{};
        detail::each_leaf<0>(cursors, convert);
    }
    /// True if there are such channels, of such an image.
    __device__ bool inside() const { return inside_; }
    /// The expression of 8 elements of the leaves that are copied.
    __device__ INLAY_INLINE uint4 evaluate(const uint4 (&stored)[source_operands]) const {
        Vec<float, 8> chunks[source_operands];
        INLAY_UNROLL
        for (int i = 0; i < source_operands; ++i) chunks[i] = chunk_floats<T>(stored[i]);
        const detail::ChannelReader<T, leaves, copied, Halved::vectors> reader{numbers_, chunks};
        Cursors cursors{};
        const detail::NumberLeaves number;
        detail::each_leaf<0>(cursors, number);
        return packed_chunk<T>(cursors.eval(a_.in, reader, 0));
    }

private:
    __device__ int channel(int block) const { return block * Tile::k + chunk_ * 8; }
    __device__ bool has_image(int image) const { return image < (a_.rows.pixels ? a_.rows.images : 1); }
    __device__ bool has(int image, int block) const { return has_image(image) && channel(block) < a_.k; }

    const Args& a_;
    const int chunk_;
    bool asked_inside_ = false, inside_ = false;
    PackedChunk words_;
    Numbers numbers_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
