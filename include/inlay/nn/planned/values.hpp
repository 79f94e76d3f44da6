// SPDX-License-Identifier: Apache-2.0
/// Values of a planned layer while it is built: their extents, and the tensors that hold them.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/nn/build.hpp>
#include <inlay/nn/planned/weights.hpp>

#include <cstddef>
#include <tuple>

namespace inlay::inline INLAY_ABI::nn::detail {

/// Inputs: their numbers and axes.
template <class S>
struct input_of {
    static constexpr int slot = -1;
    static void read(Lengths&, const ClassData&) {}
};
template <int I, planner::Phase P, planner::Dim... D>
struct input_of<planner::InputSymbol<I, P, D...>> {
    static constexpr int slot = I;
    template <int R>
    static void read(Lengths& lengths, const Extents<R>& e) {
        static_assert(R == sizeof...(D), "inlay: a tensor of a planned layer has another rank than its input names");
        int axis = 0;
        (read_axis(lengths, e, axis++, D), ...);
    }

private:
    template <int R>
    static void read_axis(Lengths& lengths, const Extents<R>& e, int axis, planner::Dim d) {
        const auto p = planner::detail::parts_of(d);
        if (p.axis < 0) {
            require(e[axis] == p.factor, "input ", I, " of a planned layer is ", text(e), ", expected ", p.factor,
                    " on axis ", axis);
            return;
        }
        require(e[axis] * p.divisor % p.factor == 0, "input ", I, " of a planned layer is ", text(e), ": axis ", axis,
                " is not ", p.factor, "/", p.divisor, " of a whole number");
        const index_t length = e[axis] * p.divisor / p.factor;
        index_t& known = lengths.length[p.axis];
        require(known == 0 || known == length, "input ", I, " of a planned layer is ", text(e), ": axis ", p.axis,
                " of the layer is ", length, " by it, and ", known, " by another tensor");
        known = length;
        if (p.axis >= lengths.axes) lengths.axes = p.axis + 1;
    }
};

template <class Plan, int V>
using first_symbol = planner::detail::symbol_at<Plan, Plan::facts.first[V]>;

/// The inputs that kernels of phase P read.
template <class Plan, planner::Phase P>
struct Given {
    static constexpr int room = planner::most_inputs;
    struct Slots {
        int count = 0;
        int slot[room] = {};
    };
    static constexpr Slots slots = []<int... V>(std::integer_sequence<int, V...>) {
        constexpr int slot_of[] = {input_of<first_symbol<Plan, V>>::slot..., 0};
        bool read[room] = {};
        for (int k = 0; k < Plan::launches; ++k)
            for (int i = 0; Plan::kernels[k].phase == static_cast<int>(P) && i < Plan::kernels[k].slots; ++i)
                if (const int v = memory_of<Plan>(Plan::kernels[k].slot[i]); slot_of[v] >= 0) read[slot_of[v]] = true;
        Slots s;
        for (int i = 0; i < room; ++i)
            if (read[i]) s.slot[s.count++] = i;
        return s;
    }(std::make_integer_sequence<int, Plan::facts.values>{});
    static constexpr int count = slots.count;
    /// The position of an input among those given; −1: no kernel of the phase reads it.
    static constexpr int position(int slot) {
        for (int i = 0; i < count; ++i)
            if (slots.slot[i] == slot) return i;
        return -1;
    }
};
/// True if all kernels run in each step.
template <class Plan>
constexpr bool is_of_one_phase() {
    for (int k = 0; k < Plan::launches; ++k)
        if (Plan::kernels[k].phase != static_cast<int>(planner::Phase::step)) return false;
    return true;
}
/// True if no kernel runs in a phase before this one.
template <class Plan>
constexpr bool is_first_phase(planner::Phase phase) {
    for (int k = 0; k < Plan::launches; ++k)
        if (Plan::kernels[k].phase < static_cast<int>(phase)) return false;
    return true;
}

/// The lengths of the layer's axes: those known before, and those of the inputs of phase P.
template <class Plan, planner::Phase P, class Tensors>
void read_lengths(Lengths& lengths, const Tensors& given) {
    [&]<int... V>(std::integer_sequence<int, V...>) {
        const auto read = [&]<int N>() {
            using In = input_of<first_symbol<Plan, N>>;
            if constexpr (constexpr int at = Given<Plan, P>::position(In::slot); at >= 0)
                In::read(lengths, std::get<at>(given).extents);
        };
        (read.template operator()<V>(), ...);
    }(std::make_integer_sequence<int, Plan::facts.values>{});
}

/// Extents of every value of a layer.
template <class Plan>
struct Extents_of {
    ClassData of[Plan::facts.values > 0 ? Plan::facts.values : 1];

    explicit Extents_of(const Lengths& lengths) {
        for (int v = 0; v < Plan::facts.values; ++v) {
            const planner::NodeFacts& node = Plan::facts.node[Plan::facts.first[v]];
            ClassData operands[planner::most_operands];
            for (int i = 0; i < node.operands; ++i) operands[i] = of[node.operand[i]];
            of[v] = planner::detail::make_data<typename Plan::symbols>[Plan::symbol_of(Plan::facts.first[v])](operands,
                                                                                                         lengths);
        }
    }
    template <int V>
    auto at() const {
        Extents<Plan::facts.value[V].rank> e;
        for (int i = 0; i < e.rank; ++i) e[i] = of[V].extents[i];
        return e;
    }
};

/// The values that kernels store, in ascending order. A plan has some ten times as many that none does.
template <class Plan>
struct StoredValues {
    static constexpr int count = [] {
        int n = 0;
        for (int v = 0; v < Plan::facts.values; ++v) n += Plan::list.stored_by[v] >= 0;
        return n;
    }();
    /// The I-th of them.
    static constexpr int value(int i) {
        int v = -1;
        for (int n = -1; n < i; n += Plan::list.stored_by[v] >= 0) ++v;
        return v;
    }
    static constexpr int position(int value) {
        int n = 0;
        for (int v = 0; v < value; ++v) n += Plan::list.stored_by[v] >= 0;
        return n;
    }
};

/// Tensors that kernels wrote and others read still.
template <class Plan, Storage T, class Sequence = std::make_integer_sequence<int, StoredValues<Plan>::count>>
struct TemporariesOf;
template <class Plan, Storage T, int... I>
struct TemporariesOf<Plan, T, std::integer_sequence<int, I...>> {
    using Stored = StoredValues<Plan>;
    std::tuple<Temporary<stored_as<Plan, T, Stored::value(I)>, Plan::facts.value[Stored::value(I)].rank>...> all;

    template <int V>
    auto& at() {
        return std::get<Stored::position(V)>(all);
    }
    template <int V>
    const auto& at() const {
        return std::get<Stored::position(V)>(all);
    }
    template <int V, class Target>
    void take(const Build<T, Target>& b, const Extents_of<Plan>& extents) {
        at<V>() = {*b.arena, extents.template at<V>()};
    }
    template <int V>
    void give_back() {
        at<V>() = {};
    }
};
template <class Plan, Storage T>
using Temporaries = TemporariesOf<Plan, T>;

/// A tensor arranged anew by strides alone.
template <class S>
struct arranged {
    static constexpr bool possible = false;
};
template <int I, int N>
struct arranged<planner::Part<I, N>> {
    static constexpr bool possible = true;
    template <Storage T, int R>
    static Tensor<T, R> of(const Tensor<T, R>& t, const Extents<R>& e) {
        return {t.data + I * e.back(0), e, t.strides};
    }
};
template <auto D>
struct arranged<planner::Heads<D>> {
    static constexpr bool possible = true;
    template <Storage T, int R>
    static Tensor<T, 4> of(const Tensor<T, R>& t, const Extents<4>& e) {
        const index_t row = t.strides[R - 2];
        for (int i = R - 2; i > 1; --i)
            require(t.strides[i - 1] == t.strides[i] * t.extents[i], "heads: the tensor ", text(t.extents),
                    " is not dense between its first axis and its last");
        return {t.data, e, {{t.strides[0], e[3], row, t.strides[R - 1]}}};
    }
};
template <>
struct arranged<planner::Tokens> {
    static constexpr bool possible = true;
    template <Storage T, int R, int Q>
    static Tensor<T, Q> of(const Tensor<T, R>& t, const Extents<Q>& e) {
        require(t.contiguous(), "a tensor ", text(t.extents), " is not dense, so its pixels are no tokens");
        return {t.data, e};
    }
};
template <planner::Dim H, planner::Dim W>
struct arranged<planner::Image<H, W>> : arranged<planner::Tokens> {};

/// The tensor that holds value V, for a kernel of phase P.
template <class Plan, Storage T, planner::Phase P, int V, class Tensors, class Kept>
auto tensor_of(const Tensors& given, const Weights& weights, const Kept& earlier, const Kept& kept,
               const Extents_of<Plan>& extents) {
    using In = input_of<first_symbol<Plan, V>>;
    if constexpr (In::slot >= 0) {
        return std::get<Given<Plan, P>::position(In::slot)>(given);
    } else if constexpr (is_loaded<Plan>(V)) {
        constexpr int rank = Plan::facts.value[V].rank;
        using Value = stored_as<Plan, T, V>;
        return Tensor<const Value, rank>(static_cast<const Value*>(weights.at({V, Form::plain}).data),
                                         extents.template at<V>());
    } else if constexpr (constexpr int node = Plan::list.arranged_by[V]; node >= 0) {
        constexpr int from = Plan::facts.node[node].operand[0];
        const auto below = tensor_of<Plan, T, P, from>(given, weights, earlier, kept, extents);
        return arranged<planner::detail::symbol_at<Plan, node>>::of(below, extents.template at<V>());
    } else {
        constexpr bool before = Plan::kernels[Plan::list.stored_by[V]].phase < static_cast<int>(P);
        return *(before ? earlier : kept).template at<V>();
    }
}

/// The extents with which output O of kernel K is bound: those of the frame's result as its sink stores it.
template <class Plan, int K, int V>
constexpr int bound_value() {
    if constexpr (!planner::detail::on_write<Plan, K>(V)) return V;
    else {
        constexpr int node = planner::detail::node_in<Plan, K>(V);
        using S = planner::detail::symbol_at<Plan, node>;
        if constexpr (arranged<S>::possible && std::is_base_of_v<arranged<planner::Tokens>, arranged<S>>)
            return bound_value<Plan, K, Plan::facts.node[node].operand[0]>();
        else return V;
    }
}
template <class S>
inline constexpr bool merges_heads = std::is_same_v<S, planner::MergedHeads>;

template <class Plan, int K, int O, class Tensors>
auto bound_output(const Tensors& tensor, const Extents_of<Plan>& extents) {
    constexpr int V = Plan::kernels[K].output[O], bound = bound_value<Plan, K, V>();
    const auto t = tensor.template operator()<V>();
    using T = typename std::remove_cvref_t<decltype(t)>::value_type;
    if constexpr (planner::detail::on_write<Plan, K>(bound)) {
        constexpr int node = planner::detail::node_in<Plan, K>(bound);
        if constexpr (merges_heads<planner::detail::symbol_at<Plan, node>>) {
            const ClassData& heads = extents.of[Plan::facts.node[node].operand[0]];
            return Tensor<T, 4>(t.data, {{heads.extents[0], heads.extents[2], heads.extents[1], heads.extents[3]}});
        } else {
            return Tensor<T, Plan::facts.value[bound].rank>(t.data, extents.template at<bound>());
        }
    } else {
        return Tensor<T, Plan::facts.value[bound].rank>(t.data, extents.template at<bound>());
    }
}

/// Weight W of kernel K, as the kernel reads it.
template <class Plan, Storage T, int K, int W>
auto kernel_weight(const Weights& weights, const Extents_of<Plan>& extents) {
    constexpr int V = Plan::kernels[K].weight[W], rank = Plan::facts.value[V].rank;
    constexpr Form form = weight_form<Plan, K>();
    const KeptWeight& kept = weights.at({V, form});
    const T* data = static_cast<const T*>(kept.data);
    Extents<rank> e = extents.template at<V>();
    if constexpr (form == Form::plain) {
        return Tensor<const T, rank>(data, e);
    } else {
        if constexpr (rank == 4) e = {{e[0], e[2], e[3], e[1]}};
        return Packed<T, rank>{data, e, groups_of<Plan, K>(), kept.panel_columns};
    }
}

}  // namespace inlay::inline INLAY_ABI::nn::detail
