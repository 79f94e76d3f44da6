// SPDX-License-Identifier: Apache-2.0
/// A spatial transformer of the UNet in one launch (docs/persistent.md), for heads of 40, 80 and 160 elements of fp16
/// or bf16. Memory is taken by the constructor alone.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/exec/cuda.hpp>
#include <inlay/exec/cuda/persistent/transformer_arguments.hpp>

#include <cstddef>
#include <cstdint>

namespace inlay::inline INLAY_ABI {

struct TransformerRun {
    int blocks = 0;  ///< 0: all that are resident at once
    int units = 0;   ///< multiprocessors for which work is divided into tasks; 0: the device's
    int delay = 0;   ///< clocks that blocks waste at random before tasks, at most; to find races
};

template <Storage T>
class PersistentTransformer {
    static_assert(sizeof(T) == 2, "inlay: a persistent launch of a transformer is of fp16 or bf16");

public:
    /// The target and the memory of the weights outlive it. Throws one sentence where the shape has no program.
    PersistentTransformer(Cuda& target, const TransformerWeights<T>& weights, const persistent::TransformerShape& shape,
                          const TransformerRun& run = {})
        : target_(&target), weights_(weights), run_(run),
          layout_(checked(shape), run.units > 0 ? run.units : target.device().multiprocessors) {
        require(run.blocks >= 0 && run.units >= 0 && run.delay >= 0, "a persistent launch of a transformer has ",
                run.blocks, " blocks, ", run.units, " multiprocessors and delays of ", run.delay,
                " clocks, expected no negative number");
        with_head([&]<int D>() {
            launch_ = &PersistentTransformer::launch_on<D>;
            slice_floats_ = on_gpu::TransformerTasks<T, D>::slice_floats;
        });
        Arena measure;
        place(measure);
        device_ = target.allocate(measure.measured());
        Arena arena(device_.data(), device_.size());
        place(arena);
        target.zero(device_.data(), device_.size());
    }
    PersistentTransformer(const PersistentTransformer&) = delete;
    PersistentTransformer& operator=(const PersistentTransformer&) = delete;

    /// Enqueues the launch, in a capture too. One at a time: launches of one object share its memory.
    void launch(const TransformerOperands<T>& io) { (this->*launch_)(io); }

    const on_gpu::TransformerLayout& layout() const { return layout_; }
    std::size_t bytes() const { return device_.size(); }

private:
    static const persistent::TransformerShape& checked(const persistent::TransformerShape& s) {
        using Shape = persistent::TransformerShape;
        require(s.batch > 0 && s.pixels > 0 && s.pixels % Shape::group_rows == 0 && s.text > 0,
                "a persistent launch of a transformer has ", s.batch, " images of ", s.pixels, " pixels and a text of ",
                s.text, " tokens, expected images of a multiple of ", Shape::group_rows, " pixels and some tokens");
        require(s.heads > 0 && s.channels == s.heads * s.head() && s.channels % Shape::norm_groups == 0 &&
                    (s.head() == 40 || s.head() == 80 || s.head() == 160),
                "a persistent launch of a transformer has ", s.channels, " channels of ", s.heads,
                " heads, expected heads of 40, 80 or 160, and a multiple of ", Shape::norm_groups, " channels");
        // 20 buffers' worth at most, at places that are ints.
        constexpr index_t most = (index_t(1) << 31) / 20;
        require(index_t(s.batch) * s.pixels * s.channels * Shape::element_bytes < most,
                "a persistent launch of a transformer has ", s.batch, " images of ", s.pixels, " pixels and ",
                s.channels, " channels, expected less than ", most, " bytes");
        return s;
    }
    template <class F>
    void with_head(const F& f) const {
        switch (layout_.shape.head()) {
            case 40: return f.template operator()<40>();
            case 80: return f.template operator()<80>();
            default: return f.template operator()<160>();
        }
    }
    void place(Arena& arena) {
        const auto take = [&]<class V>(V*& p, index_t n) {
            p = static_cast<V*>(arena.take(static_cast<std::size_t>(n) * sizeof(V)));
        };
        take(memory_.storage, layout_.places.bytes);
        take(memory_.state, 1);
        take(memory_.counters, layout_.counter_words());
        take(memory_.partial, layout_.slices() * slice_floats_);
        take(memory_.semaphores, layout_.slices());
    }
    template <int D>
    void launch_on(const TransformerOperands<T>& io) {
        using Body = typename on_gpu::TransformerTypes<T, D>::Body;
        check(io);
        const on_gpu::TransformerTasks<T, D> tasks(layout_, memory_, weights_, io);
        typename Body::Arguments a = tasks.arguments();
        a.table.delay = run_.delay;
        const auto shared = static_cast<std::size_t>(tasks.shared());
        on_gpu::Launcher& l = target_->launcher();
        int blocks = run_.blocks;
        if (blocks == 0)
            blocks = smaller(a.table.tasks, l.resident_blocks(on_gpu::kernel<Body>, Body::threads, shared));
        l.launch<Body>({.blocks = blocks, .threads = Body::threads, .shared = shared}, a);
    }
    void check(const TransformerOperands<T>& io) const {
        const persistent::TransformerShape& s = layout_.shape;
        const Extents<3> text_extents{{s.batch, s.text, s.channels}};
        require(io.keys.extents == text_extents && io.values.extents == text_extents,
                "a persistent launch of a transformer reads keys ", text(io.keys.extents), " and values ",
                text(io.values.extents), " of its text, expected ", text(text_extents));
    }

    Cuda* target_;
    TransformerWeights<T> weights_;
    TransformerRun run_;
    on_gpu::TransformerLayout layout_;
    void (PersistentTransformer::*launch_)(const TransformerOperands<T>&) = nullptr;
    index_t slice_floats_ = 0;
    DeviceMemory device_;
    on_gpu::TransformerMemory memory_{};
};

}  // namespace inlay::inline INLAY_ABI
