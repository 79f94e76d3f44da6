// SPDX-License-Identifier: Apache-2.0
/// Arguments of a spatial transformer's persistent launch: each phase's kernel is prepared on its operands, and its
/// body's arguments become those of the phase's tasks.
#pragma once

#include <inlay/exec/cuda/persistent/transformer_kernels.hpp>
#include <inlay/exec/cuda/persistent/transformer_operands.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A launch's memory, of the sizes that the members of `TransformerLayout` say.
struct TransformerMemory {
    char* storage;
    TaskState* state;
    std::uint32_t* counters;
    float* partial;             ///< sums of slices
    std::uint32_t* semaphores;  ///< of slices
};

/// A shape's program: its facts, the places of its buffers, and the memory of its tasks.
struct TransformerLayout {
    persistent::TransformerShape shape;
    persistent::TransformerTasks tasks;
    persistent::ProgramFacts facts;
    persistent::Storage places;

    TransformerLayout(const persistent::TransformerShape& s, int units)
        : shape(s), tasks(persistent::transformer_tasks(s, units)), facts(persistent::transformer_facts(s, tasks)),
          places(persistent::place_buffers(facts, persistent::order_of(facts))) {}

    int counter_words() const { return TaskTable::counter_words(facts); }
    /// Slices of all tiles of a product: each has a semaphore and its sums.
    index_t slices(int phase) const { return tasks.slices[phase] > 1 ? facts.phases[phase].tiles : 0; }
    index_t slices_before(int phase) const {
        index_t n = 0;
        for (int p = 0; p < phase; ++p) n += slices(p);
        return n;
    }
    index_t slices() const { return slices_before(persistent::transformer_phases); }
};

/// The arguments of a launch; what they refer to outlives it.
template <class T, int D>
class TransformerTasks {
    using Types = TransformerTypes<T, D>;
    using Tile = typename Types::ProductTile;
    using M = persistent::AnyTransformer;
    using Shape = persistent::TransformerShape;
    template <class Kind>
    using Arguments = typename Kind::Arguments;

public:
    static constexpr index_t slice_floats = ReducedSums<Tile>::floats;

    TransformerTasks(const TransformerLayout& layout, const TransformerMemory& memory, const TransformerWeights<T>& w,
                     const TransformerOperands<T>& io)
        : l_(layout), m_(memory), rows_(layout.shape.rows()), c_(layout.shape.channels), a_(made(w, io)) {}

    const typename Types::Arguments& arguments() const { return a_; }
    /// Dynamic shared memory of a block.
    int shared() const {
        const auto& k = a_.kinds;
        int most = larger(static_cast<int>(Types::Heads::Body::shared), 2 * Shape::norm_groups * 4);
        most = larger(most, Types::Product::shared(get<3>(k).of[0]));
        most = larger(most, Types::Bias::shared(get<4>(k).of[0]));
        most = larger(most, Types::Residual::shared(get<5>(k).of[0]));
        return larger(most, Types::Gated::shared(get<6>(k).of[0]));
    }

private:
    typename Types::Arguments made(const TransformerWeights<T>& w, const TransformerOperands<T>& io) const {
        const Shape& s = l_.shape;
        TaskTable table = task_table(l_.facts, Types::kinds);
        table.state = m_.state, table.counters = m_.counters;
        const GroupNormTask<T> norm{io.image, at<M::Normal>(), w.norm, w.norm_shift,
                                    reinterpret_cast<MeanM2*>(m_.storage + place<M::Moments>()),
                                    Shape::group_rows, c_, Shape::norm_groups, s.pixels / Shape::group_rows, 1e-6f};
        const T* const heads = at<M::Heads>();
        const auto part = [&](int i) { return of_heads(heads + i * c_, s.pixels, 3 * c_); };
        return {table,
                make_pack(
                    Arguments<typename Types::MeasureKind>{{norm}}, Arguments<typename Types::NormaliseKind>{{norm}},
                    Arguments<typename Types::RowsKind>{
                        {normal<M::Norm1, M::Normal1, M::Begin, 0>(w.norm1, w.norm1_shift),
                         normal<M::Norm2, M::Normal2, M::Middle, 1>(w.norm2, w.norm2_shift),
                         normal<M::Norm3, M::Normal3, M::Late, 2>(w.norm3, w.norm3_shift)}},
                    Arguments<typename Types::ProductKind>{
                        {product<M::Qkv, M::Heads, M::Normal1, 0>(3 * c_, w.qkv),
                         product<M::Query, M::Queries, M::Normal2, 1>(c_, w.query)}},
                    Arguments<typename Types::BiasKind>{{bias(w.project_in, w.project_in_bias)}},
                    Arguments<typename Types::ResidualKind>{
                        {residual<M::Out, M::Attended, 0>(at<M::Middle>(), w.out, c_,
                                                                            w.out_bias, at<M::Begin>()),
                         residual<M::OutText, M::AttendedText, 1>(
                             at<M::Late>(), w.out_text, c_, w.out_text_bias, at<M::Middle>()),
                         residual<M::Down, M::Inner, 2>(at<M::End>(), w.down, 4 * c_,
                                                                          w.down_bias, at<M::Late>()),
                         residual<M::ProjectOut, M::End, 3>(io.result, w.project_out, c_,
                                                                              w.project_out_bias, io.image)}},
                    Arguments<typename Types::GatedKind>{{gated(w.up, w.up_bias, w.gate_bias)}},
                    Arguments<typename Types::HeadsKind>{
                        {attend<M::Attend, M::Attended, 0>(part(0), part(1), part(2)),
                         attend<M::AttendText, M::AttendedText, 1>(
                             of_heads(at<M::Queries>(), s.pixels, c_), of_text(io.keys),
                             of_text(io.values))}})};
    }

    template <class B>
    int place() const {
        return l_.places.at[persistent::buffer_number<M::Step, B>];
    }
    template <class B>
    T* at() const {
        return reinterpret_cast<T*>(m_.storage + place<B>());
    }
    template <class B>
    Tensor<const T, 2> rows(index_t columns) const {
        return tensor<const T>(at<B>(), rows_, columns);
    }
    static Packed<T, 2> weight(const T* at, index_t n, index_t k) { return {at, {{n, k}}}; }
    /// A row of `pitch` elements has those of all heads.
    Tensor<const T, 4> of_heads(const T* at, index_t keys, index_t pitch) const {
        return {at, {{l_.shape.batch, l_.shape.heads, keys, D}}, {{keys * pitch, D, pitch, 1}}};
    }
    Tensor<const T, 4> of_text(const Tensor<const T, 3>& t) const {
        return {t.data,
                {{t.extents[0], l_.shape.heads, t.extents[1], D}},
                {{t.strides[0], D * t.strides[2], t.strides[1], t.strides[2]}}};
    }
    template <class Phase, int Kind, int Number>
    static constexpr int phase() {
        constexpr int p = persistent::phase_number<M::Step, Phase>;
        static_assert(Types::kinds[p].kind == Kind && Types::kinds[p].number == Number);
        return p;
    }
    /// Arguments of a product's tiles, and of their slices.
    template <class Prepared>
    auto divided(int phase, const Prepared& p) const {
        auto a = gemm_task<Tile>(p, l_.tasks.slices[phase]);
        require(a.n_tiles * a.slices == l_.tasks.members[phase], "phase ", persistent::transformer_phase_names[phase],
                " of a persistent launch has ", a.n_tiles, " tiles across of ", a.slices, " slices, its program ",
                l_.tasks.members[phase], " tasks");
        a.partial = m_.partial + l_.slices_before(phase) * slice_floats;
        a.semaphores = m_.semaphores + l_.slices_before(phase);
        return a;
    }
    template <class Phase, class To, class From, int Number>
    auto product(index_t n, const T* w) const {
        return divided(phase<Phase, 3, Number>(), prepare<transformer_product>(tensor(at<To>(), rows_, n),
                                                                               weight(w, n, c_), rows<From>(c_)));
    }
    auto bias(const T* w, const T* b) const {
        return divided(phase<M::ProjectIn, 4, 0>(),
                       prepare<transformer_bias>(tensor(at<M::Begin>(), rows_, c_), weight(w, c_, c_),
                                                 rows<M::Normal>(c_), tensor(b, c_)));
    }
    template <class Phase, class From, int Number>
    auto residual(T* y, const T* w, index_t k, const T* b, const T* before) const {
        return divided(phase<Phase, 5, Number>(),
                       prepare<transformer_residual>(tensor(y, rows_, c_), weight(w, c_, k), rows<From>(k),
                                                     tensor(b, c_), tensor(before, rows_, c_)));
    }
    auto gated(const T* w, const T* b, const T* of_gate) const {
        return divided(phase<M::Up, 6, 0>(),
                       prepare<transformer_gated>(tensor(at<M::Inner>(), rows_, 4 * c_),
                                                  weight(w, 8 * c_, c_), rows<M::Normal3>(c_),
                                                  tensor(b, 4 * c_), tensor(of_gate, 4 * c_)));
    }
    template <class Phase, class To, class From, int Number>
    auto normal(const T* gamma, const T* beta) const {
        static_assert(phase<Phase, 2, Number>() >= 0);
        const auto p = prepare<transformer_norm>(tensor(at<To>(), rows_, c_), tensor(gamma, c_), tensor(beta, c_),
                                                 rows<From>(c_));
        return layer_norm_task(p, 1e-5, Shape::group_rows, Types::threads, l_.tasks.row_threads);
    }
    template <class Phase, class To, int Number>
    auto attend(const Tensor<const T, 4>& q, const Tensor<const T, 4>& k, const Tensor<const T, 4>& v) const {
        static_assert(phase<Phase, 7, Number>() >= 0);
        const Tensor<T, 4> to{at<To>(), q.extents, {{l_.shape.pixels * index_t(c_), D, c_, 1}}};
        return attention_task<typename Types::AttendTile>(prepare<transformer_attention<D>>(to, q, k, v));
    }

    const TransformerLayout& l_;
    const TransformerMemory& m_;
    index_t rows_;
    int c_;
    typename Types::Arguments a_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
