// SPDX-License-Identifier: Apache-2.0
/// A decoder's tokens by a kernel for each phase of each layer, in place of one launch (`decoder.hpp`): the same tiles
/// of the same blocks by the same code, so the same bits. Two blocks share a multiprocessor: a kernel begins when all
/// blocks of the one before have begun, copies its rows beside it, and waits for its words.
#pragma once

#include <inlay/tile/cuda/persistent/decoder.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <class Model, class Phase>
consteval DecoderMemory memory_of_phase() {
    if constexpr (std::is_same_v<Phase, typename Model::Attend>) return DecoderMemory::attention;
    else if constexpr (std::is_same_v<Phase, typename Model::Down>) return DecoderMemory::down;
    else return DecoderMemory::others;
}

template <class A, class B>
consteval bool same_places() {
    const auto same = [](auto... equal) { return (equal && ...); };
    return same(A::Places::template at<typename A::Row> == B::Places::template at<typename B::Row>,
                A::Places::template at<typename A::Heads> == B::Places::template at<typename B::Heads>,
                A::Places::template at<typename A::Parts> == B::Places::template at<typename B::Parts>,
                A::Places::template at<typename A::Middle> == B::Places::template at<typename B::Middle>,
                A::Places::template at<typename A::Inner> == B::Places::template at<typename B::Inner>);
}

}  // namespace detail

/// `First` and `More`: phases that follow one another. A block waits for words of kernels before its own, and, where
/// there are more phases than one or the launch ends, of its own kernel, whose blocks become resident as those before
/// it end. No block of a later kernel begins until all of this one have begun.
template <class S, class T, persistent::TokenChoice C, class First, class... More>
struct DecoderPhasesBody {
    using Model = persistent::Decoder<S, C>;
    static constexpr DecoderMemory memory_kind = detail::memory_of_phase<Model, First>();
    using Ends = DecoderEnds<S, T, C, memory_kind>;
    using Role = typename Ends::Role;
    using Arguments = typename Role::Arguments;
    using Scheduler = PersistentTiles;
    using Ring = typename Role::Ring;
    // No warp more: registers are given out for four at a time, and two blocks share a multiprocessor's.
    // The choice of a token and the projection of several sequences lack registers so.
    static constexpr bool large =
        sizeof...(More) > 0 || (S::batch > 1 && std::is_same_v<First, typename Model::Project>);
    static constexpr int threads = Role::Narrow::threads, min_blocks = large ? 1 : 2;
    using State = typename FedRows<Ring>::State;
    static constexpr bool first = std::is_same_v<First, typename Model::Qkv>,
                          last = std::is_same_v<First, typename Model::Vocabulary>,
                          reads_state = std::is_same_v<First, typename Model::Attend>;

    /// Copies what has room.
    struct Feed {
        const Arguments& a;
        char* memory;

        __device__ INLAY_INLINE void operator()() const {
            State& s = fed(memory);
            if (s.all) return;
            FedRows<Ring> rows{{memory, a.ring_rows}, s};
            DecoderProducer<S, T, C, memory_kind, FedRows<Ring>>{{a, memory, a.pass}, rows}.template operator()<First>(
                a.round, a.index);
            warp_sync();
            if (lane_index() == 0) s.all = rows.count == s.next;
            warp_sync();
        }
    };

    template <class Tiles>
    static __device__ INLAY_INLINE void run(const Arguments& a, Tiles tiles, char* memory) {
        waits_for_words();
        // Cached keys are copied by kernels that begin behind the first layer's first: it lets them when all of the pass
        // before has ended.
        if (!first || a.round > 0) let_next_kernel_begin();
        FedRing<Ring, Feed> ring{{memory, a.ring_rows}, fed(memory), {a, memory}};
        if (thread_index() == 0) ring.init(), fed(memory) = {};
        if (reads_state && thread_index() == 0) Ends::keep_state(a, memory);
        block_sync();
        // Weights are under way while the state is read.
        if (FedRows<Ring>::feeds()) ring.feed();
        if (!reads_state) {
            if (thread_index() == 0) Ends::keep_state(a, memory);
            block_sync();
        }
        // Marks of tokens in the text are no words.
        if constexpr (last && C != persistent::TokenChoice::greedy) wait_for_previous_kernel();
        const DecoderConsumer<S, T, C, memory_kind, FedRing<Ring, Feed>> consumer{{a, memory, a.pass}, ring};
        consumer.template operator()<First>(a.round, a.index);
        int index = a.index;
        ((consumer.template operator()<More>(a.round, ++index)), ...);
        if (last && a.pass == a.passes - 1 && tiles.first() == 0 && warp_index() < Role{a, memory, 0}.batch()) {
            wait_for_previous_kernel();     // all blocks of all kernels have read the state
            Ends::end(a, memory, ring);
        }
        // No kernel ends before those before it.
        if (FedRows<Ring>::feeds()) after_previous_kernel();
    }

private:
    static __device__ INLAY_INLINE State& fed(char* memory) {
        return reinterpret_cast<typename Role::Shared*>(memory)->fed;
    }
};

/// Launches `a.passes` tokens on `blocks` blocks by a kernel for each phase of each layer, and one for the vocabulary's
/// product and the choice. `layers`: those of `a.layers`, in the host's memory.
template <class S, class Arguments, class Layer>
void decode_by_phases(Launcher& l, Arguments a, const Layer* layers, int blocks) {
    using Role = typename DecoderBodyOf<S, Arguments>::Role;
    using Model = typename Role::Model;
    // Kernels of layers are those of greedy tokens, whose phases have the same numbers, and buffers the same places.
    using Layers = persistent::Decoder<S>;
    static_assert(detail::same_places<Model, Layers>());
    // No kernel waits for a block without columns, whose input would be overwritten before it is read.
    static_assert(most_decoder_blocks<S>() <= S::width / 2);
    complete_decoder<S>(a, blocks);
    const auto launch = [&]<class Body>(std::type_identity<Body>, int rows, const persistent::Instance& i, int index) {
        constexpr int at = Body::Ring::rows_at, pitch = Body::Ring::pitch;
        const auto bytes = [&](int n) { return static_cast<std::size_t>(at + n * pitch); };
        // Two blocks a multiprocessor, so that one copies its rows beside the other.
        const int room = (l.device().shared_bytes / 2 - 1024 - at) / pitch;
        a.ring_rows = larger(smaller(rows, room), Body::Ring::most_rows);
        if constexpr (Body::last) {
            const int resident = l.resident_blocks(kernel<Body>, Body::threads, bytes(a.ring_rows));
            require(blocks <= resident, "a decoder's kernel has ", blocks,
                    " blocks that wait for each other, of which ", resident, " are resident on this device at once");
        }
        // The first kernel reads what the launch before it left: nothing of that is in words.
        const bool overlaps = i.pass > 0 || index > 0;
        l.launch<Body>({.blocks = blocks, .threads = Body::threads, .shared = bytes(a.ring_rows), .overlaps = overlaps},
                       {a, layers[i.round], i.pass, i.round, index});
    };
    const auto columns = [&](int tiles) { return (tiles / 2 + blocks - 1) / blocks * 2; };
    const auto of_phase = [&]<class Phase>(std::type_identity<Phase>, const persistent::Instance& i, int index) {
        using T = typename Role::Element;
        constexpr auto choice = Role::choice;
        if constexpr (std::is_same_v<Phase, typename Layers::Embed>) {
            launch(std::type_identity<DecoderPhasesBody<S, T, choice, typename Model::Embed>>{}, 0, i, index);
        } else if constexpr (!std::is_same_v<Phase, typename Layers::Vocabulary>) {
            using Body = DecoderPhasesBody<S, T, persistent::TokenChoice::greedy, Phase>;
            int rows = columns(Phase::tiles);
            if constexpr (std::is_same_v<Phase, typename Layers::Down>) rows *= S::inner / S::width;
            if constexpr (std::is_same_v<Phase, typename Layers::Attend>)   // of a part's keys, and of its values
                rows = 2 * (a.capacity / S::heads / a.parts + 1) *
                       ((S::heads * a.batch * a.parts + blocks - 1) / blocks);
            launch(std::type_identity<Body>{}, rows, i,
                   index + i.pass * (Role::instances(a.layer_count) - Body::Role::instances(a.layer_count)));
        } else if constexpr (choice == persistent::TokenChoice::greedy) {
            launch(std::type_identity<DecoderPhasesBody<S, T, choice, Phase>>{}, columns(Phase::tiles), i, index);
        } else {
            launch(std::type_identity<DecoderPhasesBody<S, T, choice, typename Model::Vocabulary,
                                                        typename Model::Weigh, typename Model::Choose>>{},
                   columns(Phase::tiles), i, index);
        }
    };
    int n = 0;
    persistent::unroll(persistent::facts_of<typename Model::Step>(), a.layer_count, a.passes,
                       [&](const persistent::Instance& i) {
                           const int index = n++ % Role::instances(a.layer_count);
                           [&]<class... Phase>(types<Phase...>) {
                               int number = 0;
                               ((number++ == i.phase ? of_phase(std::type_identity<Phase>{}, i, index) : void()), ...);
                           }(typename Layers::Step::phases{});
                       });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
