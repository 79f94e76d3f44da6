// SPDX-License-Identifier: Apache-2.0
/// The warp of a decoder's persistent block that copies rows, and the parts of both roles.
#pragma once

#include <inlay/plan/persistent/decoder.hpp>
#include <inlay/plan/persistent/tags.hpp>
#include <inlay/tile/cuda/persistent/attend.hpp>
#include <inlay/tile/gpu/scheduler.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The parts that both roles of a block share: places, tags and shares.
template <class S, class T, persistent::TokenChoice C, DecoderMemory M>
struct DecoderRole {
    using Model = persistent::Decoder<S, C>;
    using Element = T;
    static constexpr persistent::TokenChoice choice = C;
    using LaunchArguments = std::conditional_t<
        C == persistent::TokenChoice::greedy, DecoderArguments<T>,
        std::conditional_t<C == persistent::TokenChoice::sampled, SampledArguments<T>, RestrictedArguments<T>>>;
    using Arguments =
        std::conditional_t<M == DecoderMemory::all, LaunchArguments, DecoderPhaseArguments<LaunchArguments, T>>;
    using Step = typename Model::Step;
    using Shared = DecoderShared<S, T, M>;
    using Ring = DecoderRing<S, T, M>;
    using Attention = AttendPart<S, T, M>;
    using Narrow = RowProduct<T, S::width, 1, S::batch, Ring>;
    using Wide = RowProduct<T, S::width, S::inner / S::width, S::batch, Ring>;
    static constexpr int head = S::width / S::heads;
    static_assert(S::inner % S::width == 0);
    static constexpr int outside_layers = persistent::instance_count(persistent::facts_of<Step>(), 0, 1),
                         each_layer =
                             persistent::instance_count(persistent::facts_of<Step>(), 1, 1) - outside_layers;

    const Arguments& a;
    char* memory;
    int pass;

    __device__ INLAY_INLINE Shared& shared() const { return *reinterpret_cast<Shared*>(memory); }
    __device__ INLAY_INLINE const DecoderLayer<T>& layer([[maybe_unused]] int round) const {
        if constexpr (M == DecoderMemory::all) return a.layers[round];
        else return a.layer;
    }
    __device__ INLAY_INLINE int batch() const { return S::batch == 1 ? 1 : a.batch; }
    __device__ INLAY_INLINE int parts() const { return S::batch == 1 ? S::parts : a.parts; }
    /// The number of a warp, where it is a sequence's.
    __device__ INLAY_INLINE static int own_row() { return S::batch == 1 ? 0 : warp_index(); }
    __device__ INLAY_INLINE int position(int row = 0) const { return shared().position[row] + pass; }
    /// Read anew where they are used: they would take registers all along.
    __device__ INLAY_INLINE static int block() { return PersistentTiles{}.first(); }
    __device__ INLAY_INLINE static int blocks() { return PersistentTiles{}.stride(); }

    /// The stored column of a phase's column n: queries of all heads come first, then keys, then values, where the
    /// phase takes them head by head.
    template <class Phase>
    __device__ INLAY_INLINE static int stored_column(int n) {
        if constexpr (!std::is_same_v<Phase, typename Model::Qkv>) return n;
        const int h = n / (3 * head), in = n - h * (3 * head), part = in / head;
        return part * S::width + h * head + (in - part * head);
    }
    INLAY_FN static int instances(int layers) { return outside_layers + each_layer * layers; }
    template <class Phase>
    __device__ INLAY_INLINE ColumnRange columns() const {
        constexpr bool words = !std::is_same_v<Phase, typename Model::Vocabulary>;
        if constexpr (words) return ColumnRange::of(Phase::tiles / 2, block(), blocks());
        else
            return {static_cast<int>(static_cast<index_t>(Phase::tiles) * block() / blocks()),
                    static_cast<int>(static_cast<index_t>(Phase::tiles) * (block() + 1) / blocks())};
    }
    /// Calls f(sequence, head, part) for this block's tiles of attention: a part of a head is always the same block's.
    template <class F>
    __device__ INLAY_INLINE void each_part(const F& f) const {
        if constexpr (S::batch == 1) {
            const int all = S::heads * persistent::parts_at<S>(position());
            for (int t = block(); t < all; t += blocks()) f(0, t % S::heads, t / S::heads);
        } else {
            const int all = S::heads * batch() * parts();
            for (int t = block(); t < all; t += blocks()) {
                const int of = t / S::heads, part = of / batch(), row = of - part * batch();
                if (part < persistent::parts_at<S>(position(row), parts())) f(row, t - of * S::heads, part);
            }
        }
    }
};

/// The warp that copies: what it is waiting for is room alone.
template <class S, class T, persistent::TokenChoice C, DecoderMemory M = DecoderMemory::all,
          class Producer = RowProducer<DecoderRing<S, T, M>>>
struct DecoderProducer : DecoderRole<S, T, C, M> {
    using Role = DecoderRole<S, T, C, M>;
    using Model = typename Role::Model;
    Producer& ring;

    template <class Phase>
    __device__ INLAY_INLINE void operator()(int round, int) const {
        const DecoderLayer<T>& layer = this->layer(round);
        [[maybe_unused]] const auto stored = [](int n) { return Role::template stored_column<Phase>(n); };
        [[maybe_unused]] const ColumnRange own = this->template columns<Phase>();
        if constexpr (std::is_same_v<Phase, typename Model::Qkv>) {
            prefetch(layer.norm1, 0, S::width), prefetch(layer.norm1_shift, 0, S::width);
            prefetch(layer.norm2, 0, S::width), prefetch(layer.norm2_shift, 0, S::width);
            const int first = Role::template stored_column<Phase>(own.first),
                      last = Role::template stored_column<Phase>(own.end - 1);
            prefetch(layer.qkv_bias, first, first + 1), prefetch(layer.qkv_bias, last, last + 1);
            Role::Narrow::copy(ring, layer.qkv, own, stored);
        }
        if constexpr (std::is_same_v<Phase, typename Model::Attend>)
            this->each_part([&](int row, int h, int part) {
                Role::Attention::copy(ring, layer, this->a.capacity, row * S::heads + h, part, this->parts(),
                                      this->position(row));
            });
        if constexpr (std::is_same_v<Phase, typename Model::Project>) {
            prefetch(layer.project_bias, own.first, own.end);
            Role::Narrow::copy(ring, layer.project, own, stored);
        }
        if constexpr (std::is_same_v<Phase, typename Model::Up>) {
            prefetch(layer.up_bias, own.first, own.end);
            Role::Narrow::copy(ring, layer.up, own, stored);
        }
        if constexpr (std::is_same_v<Phase, typename Model::Down>) {
            prefetch(layer.down_bias, own.first, own.end);
            Role::Wide::copy(ring, layer.down, own, stored);
        }
        if constexpr (std::is_same_v<Phase, typename Model::Vocabulary>)
            Role::Narrow::copy(ring, this->a.vocabulary, own, stored);
    }

private:
    /// Lines of elements [first, end) to the second-level cache, for the warps that compute.
    __device__ INLAY_INLINE static void prefetch(const T* p, int first, int end) {
        constexpr int line = 128 / static_cast<int>(sizeof(T));
        for (int i = first + lane_index() * line; i < end; i += warp_size * line) prefetch_line(p + i);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
