// SPDX-License-Identifier: Apache-2.0
/// Layers as facts, written by hand and at random, for tests of what the planner makes of facts.
#pragma once

#include <inlay/rewrite/planner/cover.hpp>

#include <cstdint>
#include <initializer_list>

namespace inlay::planner::testing {

constexpr SymbolFacts symbol(Role role, int specials = 0) {
    SymbolFacts s;
    s.role = role;
    s.specials = static_cast<std::uint8_t>(specials);
    return s;
}
constexpr SymbolFacts sink_symbol(bool strides = true) {
    SymbolFacts s = symbol(Role::view);
    s.sink = true;
    s.strides = strides;
    return s;
}
constexpr SymbolFacts part_symbol(int part, int parts) {
    SymbolFacts s = sink_symbol();
    s.part = static_cast<std::uint8_t>(part), s.parts = static_cast<std::uint8_t>(parts);
    return s;
}
/// The first operand may be an expression, the others are weights.
constexpr SymbolFacts core_symbol(Core core, int weights) {
    SymbolFacts s = symbol(Role::core);
    s.core = core;
    s.expressions = 1;
    s.weights = static_cast<std::uint8_t>(((1 << weights) - 1) << 1);
    s.gates = core == Core::linear;
    return s;
}
constexpr SymbolFacts conv_symbol(int taps) {
    SymbolFacts s = core_symbol(Core::conv, 1);
    s.rows = s.cols = static_cast<std::uint8_t>(taps);
    s.groups = 1;
    return s;
}
constexpr SymbolFacts group_norm_symbol(int groups) {
    SymbolFacts s = core_symbol(Core::group_norm, 2);
    s.groups = groups;
    return s;
}
constexpr SymbolFacts attention_symbol() {
    SymbolFacts s = symbol(Role::core);
    s.core = Core::attention;
    s.expressions = 7;
    s.binary = true;
    return s;
}

/// Adds values to facts.
struct Layer {
    Facts facts{};

    constexpr int value(std::initializer_list<index_t> extents, int phase = 3) {
        ValueFacts v;
        for (const index_t e : extents) v.extents[v.rank++] = e;
        v.phase = phase;
        return facts.add_value(v);
    }
    constexpr void node(const SymbolFacts& s, std::initializer_list<int> operands) {
        NodeFacts n;
        n.symbol = s;
        for (const int o : operands) n.operand[n.operands++] = o;
        facts.add_node(n);
    }
    constexpr int input(std::initializer_list<index_t> extents, int phase = 3) {
        const int v = value(extents, phase);
        node(symbol(Role::input), {});
        return v;
    }
    constexpr int weight(std::initializer_list<index_t> extents) {
        const int v = value(extents, 0);
        node(symbol(Role::weight), {});
        return v;
    }
    constexpr int phase_of(std::initializer_list<int> operands) const {
        int phase = 0;
        for (const int o : operands)
            if (facts.value[o].phase > phase) phase = facts.value[o].phase;
        return phase;
    }
    constexpr int add(const SymbolFacts& s, std::initializer_list<index_t> extents,
                      std::initializer_list<int> operands) {
        const int v = value(extents, phase_of(operands));
        node(s, operands);
        return v;
    }
    /// Of the extents of the first operand.
    constexpr int pointwise(std::initializer_list<int> operands, int specials = 0) {
        ValueFacts v = facts.value[*operands.begin()];
        v.phase = phase_of(operands);
        v.pin = Pin::none;
        const int i = facts.add_value(v);
        node(symbol(Role::pointwise, specials), operands);
        return i;
    }
    constexpr int conv(int x, index_t channels, int taps) {
        const ValueFacts in = facts.value[x];
        const int w = weight({channels, taps, taps, in.last()}), bias = weight({channels});
        const int y = add(conv_symbol(taps), {in.extents[0], in.extents[1], in.extents[2], channels}, {x, w});
        return pointwise({y, bias});
    }
    constexpr int linear_without_bias(int x, index_t n) {
        const ValueFacts in = facts.value[x];
        const int w = weight({n, in.last()});
        return add(core_symbol(Core::linear, 1), {in.extents[0], in.extents[1], n}, {x, w});
    }
    constexpr int linear(int x, index_t n) {
        const int y = linear_without_bias(x, n);
        return pointwise({y, weight({n})});
    }
    constexpr int norm(const SymbolFacts& s, int x) {
        const ValueFacts in = facts.value[x];
        const int gamma = weight({in.last()}), beta = weight({in.last()});
        ValueFacts v = in;
        v.pin = Pin::none;
        const int i = facts.add_value(v);
        node(s, {x, gamma, beta});
        return i;
    }
    constexpr int silu(int x) { return pointwise({x}, 2); }
    /// [B, S, H·D] → [B, H, S, D]
    constexpr int heads(int x, index_t d) {
        const ValueFacts v = facts.value[x];
        return add(sink_symbol(), {v.extents[0], v.last() / d, v.extents[1], d}, {x});
    }
    constexpr int attention(int q, int k, int v) {
        const ValueFacts e = facts.value[q];
        const int y = add(attention_symbol(), {e.extents[0], e.extents[1], e.extents[2], e.extents[3]}, {q, k, v});
        return add(sink_symbol(false), {e.extents[0], e.extents[2], e.extents[1] * e.extents[3]}, {y});
    }
    constexpr int part(int x, int i, int n) {
        const ValueFacts v = facts.value[x];
        return add(part_symbol(i, n), {v.extents[0], v.extents[1], v.last() / n}, {x});
    }
};

/// A ResNet block of the UNet, of [2, size, size, channels].
constexpr Facts resnet(index_t size, index_t channels) {
    Layer l;
    const int x = l.input({2, size, size, channels}), time = l.input({1, 1, 1, channels});
    const int a = l.silu(l.norm(group_norm_symbol(32), x));
    const int h = l.pointwise({l.conv(a, channels, 3), time});
    const int b = l.silu(l.norm(group_norm_symbol(32), h));
    l.facts.add_root(l.pointwise({l.conv(b, channels, 3), x}));
    return l.facts;
}

/// A transformer layer: self-attention, cross-attention on 77 tokens of a prompt, GEGLU; Q, K and V as one product and
/// as three, as a rule of an e-graph leaves them.
constexpr Facts transformer(index_t tokens, index_t c, index_t heads) {
    Layer l;
    const index_t d = c / heads;
    const int x = l.input({2, tokens, c}), text = l.input({2, 77, 768}, 2);
    const SymbolFacts layer_norm = core_symbol(Core::layer_norm, 2), linear = core_symbol(Core::linear, 1);
    const auto residual = [&](int of, int h) { return l.pointwise({l.linear(of, c), h}); };

    const int t1 = l.norm(layer_norm, x);
    const int qkv = l.linear_without_bias(t1, 3 * c);
    int part[3] = {};
    for (int i = 0; i < 3; ++i) {
        const int w = l.weight({c, c});
        part[i] = l.part(qkv, i, 3);
        l.node(linear, {t1, w});
    }
    const int h1 = residual(l.attention(l.heads(part[0], d), l.heads(part[1], d), l.heads(part[2], d)), x);

    const int kv = l.linear_without_bias(text, 2 * c);
    const int k = l.heads(l.part(kv, 0, 2), d), v = l.heads(l.part(kv, 1, 2), d);
    const int q = l.heads(l.linear_without_bias(l.norm(layer_norm, h1), c), d);
    const int h2 = residual(l.attention(q, k, v), h1);

    const int wide = l.linear_without_bias(l.norm(layer_norm, h2), 8 * c);
    const int bias = l.weight({4 * c}), gate_bias = l.weight({4 * c});
    const int hidden = l.pointwise({l.part(wide, 0, 2), bias}), gate = l.pointwise({l.part(wide, 1, 2), gate_bias});
    const int geglu = l.pointwise({hidden, l.pointwise({gate}, 2)});
    l.facts.add_root(residual(geglu, h2));
    return l.facts;
}

/// Numbers of a linear congruential generator.
struct Random {
    std::uint64_t state;
    constexpr int below(int n) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(n));
    }
};

/// Up to 12 values: two inputs, a weight, then nodes of all roles over what comes before, some values with two nodes.
constexpr Facts random_layer(std::uint64_t seed, bool pins = false) {
    Random random{seed * 977 + 13};
    for (int i = 0; i < 8; ++i) random.below(2);
    Layer l;
    l.input({2, 8, 16});
    l.input({2, 8, 16}, random.below(3) == 0 ? 2 : 3);
    const int w = l.weight({16, 16});
    const int values = 7 + random.below(5);
    const auto one = [&](int below) {       // a value of [2, 8, 16]
        for (;;) {
            const int v = random.below(below);
            if (l.facts.value[v].last() == 16 && v != w) return v;
        }
    };
    while (l.facts.values < values) {
        const int n = l.facts.values, a = one(n), b = one(n), kind = random.below(10);
        if (kind < 4) l.pointwise({a, b}, random.below(2));
        else if (kind < 5) l.pointwise({a});
        else if (kind < 6) l.add(random.below(2) ? sink_symbol(random.below(2)) : symbol(Role::view), {2, 8, 16}, {a});
        else if (kind < 8) l.add(core_symbol(Core::linear, 1), {2, 8, 16}, {a, w});
        else {
            const int p = l.part(a, 0, 2), q = l.part(a, 1, 2);
            if (random.below(2)) l.pointwise({p, q});
        }
        const int last = l.facts.values - 1;
        if (l.facts.value[last].last() == 16 && random.below(3) == 0) {
            const int c = one(n), d = one(n);
            const int phase = l.phase_of({c, d});
            if (phase <= l.facts.value[last].phase) {
                if (random.below(2)) l.node(symbol(Role::pointwise, random.below(2)), {c, d});
                else l.node(core_symbol(Core::linear, 1), {c, w});
            }
        }
    }
    l.facts.add_root(l.facts.values - 1);
    if (random.below(2)) l.facts.add_root(one(l.facts.values));
    if (pins)
        for (int i = 0; i < 2; ++i)
            l.facts.value[3 + random.below(l.facts.values - 3)].pin = random.below(2) ? Pin::materialize : Pin::fuse;
    return l.facts;
}

}  // namespace inlay::planner::testing
