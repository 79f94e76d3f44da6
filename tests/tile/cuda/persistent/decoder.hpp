// SPDX-License-Identifier: Apache-2.0
/// A small decoder of random weights, its logits by plain loops, and its tokens by persistent launches.
#pragma once

#include <gpu/emulated/check.hpp>

#include <inlay/plan/persistent/sizes.hpp>
#include <inlay/tile/cuda/persistent/decoder_phases.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace emulator_test::small_decoder {

struct Sizes {
    static constexpr int width = 64, heads = 4, inner = 128, vocabulary = 300, positions = 48, parts = 3,
                         element_bytes = 4, part_bytes = 4, copies = 2, winner_bytes = 160, batch = 1;
};
/// Sizes of a type, of one sequence and of several.
template <class T>
using Single = persistent::SizesOf<Sizes, sizeof(T)>;
template <class T = fp16>
using Several = persistent::InBatches<Single<T>>;
inline constexpr int width = Sizes::width, heads = Sizes::heads, head = width / heads, inner = Sizes::inner,
              vocabulary = Sizes::vocabulary, layers = 2, capacity = 48, begin = 14, passes = 4;
using Numbers = std::vector<float>;
inline std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// A weight in device memory, and its values.
template <class T>
struct Weight {
    Numbers v;
    std::unique_ptr<Device<T>> d;

    Weight(int n, float scale, float base) {
        static std::uint32_t seed = 1;
        std::vector<T> stored;
        for (int i = 0; i < n; ++i) {
            seed = seed * 1664525u + 1013904223u;
            stored.push_back(T(base + scale * (static_cast<float>(seed >> 8) / 8388608.0f - 1)));
            v.push_back(static_cast<float>(stored.back()));
        }
        d = std::make_unique<Device<T>>(stored);
    }
};

template <class T>
struct Layer {
    using Weight = small_decoder::Weight<T>;
    Weight norm1{width, 0.3f, 1}, shift1{width, 0.1f, 0}, qkv{3 * width * width, 0.3f, 0}, qkv_bias{3 * width, 0.2f, 0},
        project{width * width, 0.2f, 0}, project_bias{width, 0.1f, 0}, norm2{width, 0.3f, 1}, shift2{width, 0.1f, 0},
        up{inner * width, 0.2f, 0}, up_bias{inner, 0.1f, 0}, down{width * inner, 0.2f, 0}, down_bias{width, 0.1f, 0};
    Weight keys{heads * capacity * head, 1, 0}, values{heads * capacity * head, 1, 0};
};
template <class T = fp16>
struct Model {
    using Weight = small_decoder::Weight<T>;
    Layer<T> layer[layers];
    Weight tokens{vocabulary * width, 0.5f, 0}, positions{48 * width, 0.2f, 0}, norm{width, 0.3f, 1},
        shift{width, 0.1f, 0};
};

template <class T>
Numbers normal(const Numbers& x, const Weight<T>& scale, const Weight<T>& shift) {
    double mean = 0, square = 0;
    for (const float v : x) mean += v / width;
    for (const float v : x) square += (v - mean) * (v - mean) / width;
    Numbers y(x.size());
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = static_cast<float>((x[i] - mean) / std::sqrt(square + 1e-5) * scale.v[i] + shift.v[i]);
    return y;
}
template <class T>
Numbers product(const Numbers& x, const Weight<T>& w, const Weight<T>* bias) {
    Numbers y;
    const std::size_t k = x.size();
    for (std::size_t n = 0; n < w.v.size() / k; ++n) {
        double sum = bias ? bias->v[n] : 0;
        for (std::size_t i = 0; i < k; ++i) sum += w.v[n * k + i] * x[i];
        y.push_back(static_cast<float>(sum));
    }
    return y;
}

/// The logits of a token; the caches of `m` get its keys and values.
template <class T>
Numbers expected(Model<T>& m, int token, int position) {
    Numbers row;
    for (int i = 0; i < width; ++i)
        row.push_back(m.tokens.v[at(token * width + i)] + m.positions.v[at(position * width + i)]);
    for (Layer<T>& l : m.layer) {
        const Numbers x = product(normal(row, l.norm1, l.shift1), l.qkv, &l.qkv_bias);
        Numbers attended(at(width));
        for (int h = 0; h < heads; ++h) {
            const float* const q = &x[at(head * h)];
            float *const k = &l.keys.v[at(h * capacity * head)], *const v = &l.values.v[at(h * capacity * head)];
            for (int d = 0; d < head; ++d)
                k[position * head + d] = q[width + d], v[position * head + d] = q[2 * width + d];
            double sum = 0;
            std::vector<double> p;
            for (int j = 0; j <= position; ++j) {
                double s = 0;
                for (int d = 0; d < head; ++d) s += q[d] * k[j * head + d];
                p.push_back(std::exp(s / std::sqrt(static_cast<double>(head)))), sum += p.back();
            }
            for (int d = 0; d < head; ++d)
                for (int j = 0; j <= position; ++j)
                    attended[at(h * head + d)] += static_cast<float>(p[at(j)] / sum * v[j * head + d]);
        }
        const Numbers z = product(attended, l.project, &l.project_bias);
        for (int i = 0; i < width; ++i) row[at(i)] += z[at(i)];
        Numbers u = product(normal(row, l.norm2, l.shift2), l.up, &l.up_bias);
        for (float& y : u) y = 0.5f * y * (1 + std::tanh(0.79788456f * (y + 0.044715f * y * y * y)));
        const Numbers w = product(u, l.down, &l.down_bias);
        for (int i = 0; i < width; ++i) row[at(i)] += w[at(i)];
    }
    return product<T>(normal(row, m.norm, m.shift), m.tokens, nullptr);
}

/// The cache of a sequence of a batch: that of the layer, from another element on.
inline Numbers cache_of(const Numbers& v, int row) {
    Numbers of = v;
    std::rotate(of.begin(), of.begin() + row * 37, of.end());
    return of;
}

/// [batch, passes, vocabulary] and [batch, passes].
struct Tokens {
    Numbers logits;
    std::vector<int> tokens;
};
/// Numbers of a sampled token.
struct Sampled {
    double temperature = 1;
    float penalty = 1;
    std::uint64_t seed = 0;
    std::vector<int> text = {};  ///< the tokens of each sequence before the first one of a launch
    int top_k = 0;
    double top_p = 1;

    bool restricted() const { return top_k > 0 || top_p < 1; }
};

/// Two launches, one of a pass less; greedy, or sampled; by one kernel each or by one for each phase. `from`: of each
/// sequence.
template <class S = Sizes, class T>
Tokens run_batch(const Model<T>& m, int blocks, const std::vector<DecoderState>& from, const Sampled* by = nullptr,
                 int delay = 0, bool by_phases = false) {
    const int batch = static_cast<int>(from.size());
    std::vector<DecoderLayer<T>> pointers;
    std::vector<std::unique_ptr<Device<T>>> caches;
    const auto cache = [&](const Weight<T>& w) {
        std::vector<T> all;
        for (int row = 0; row < batch; ++row)
            for (const float x : cache_of(w.v, row)) all.push_back(T(x));
        return caches.emplace_back(std::make_unique<Device<T>>(all))->p;
    };
    for (const Layer<T>& l : m.layer) {
        T *const keys = cache(l.keys), *const values = cache(l.values);
        pointers.push_back({l.norm1.d->p, l.shift1.d->p, l.qkv.d->p, l.qkv_bias.d->p, l.project.d->p,
                            l.project_bias.d->p, l.norm2.d->p, l.shift2.d->p, l.up.d->p, l.up_bias.d->p, l.down.d->p,
                            l.down_bias.d->p, keys, values});
    }
    const Device<DecoderLayer<T>> of_layers(pointers);
    using Places = typename persistent::Decoder<S>::Places;
    const auto words_of = [](int bytes) { return std::vector<std::uint64_t>(at(bytes / 8)); };
    const Device<std::uint64_t> words(words_of(Places::places.bytes)), winners(words_of(batch * S::winner_bytes)),
        totals(words_of(8 * batch * persistent::RestrictedRounds::words(Sizes::winner_bytes / 16, S::copies))),
        weights(words_of(8 * batch * vocabulary)), chosen(words_of(batch * Sizes::winner_bytes / 2));
    const Device<DecoderState> state(from);
    const Device<std::int32_t> output(std::vector<std::int32_t>(at(batch * passes), -1));
    const Floats logits(Numbers(at(batch * passes * vocabulary))), scores(Numbers(at(batch * vocabulary), NAN));
    std::vector<std::uint8_t> in_text(at(batch * vocabulary));
    if (by)
        for (int row = 0; row < batch; ++row)
            for (const int id : by->text) in_text[at(row * vocabulary + id)] = 1;
    const Device<std::uint8_t> seen(in_text);
    DecoderArguments<T> a{of_layers.p,
                             m.tokens.d->p,
                             m.positions.d->p,
                             m.norm.d->p,
                             m.shift.d->p,
                             m.tokens.d->p,
                             words.p,
                             winners.p,
                             state.p,
                             output.p,
                             logits.p,
                             layers,
                             passes - 1,
                             capacity,
                             batch,
                             0,
                             0,
                             1e-5f,
                             delay};
    Launcher l(0, nullptr);
    const auto decode = [&](const auto& arguments) {
        if (by_phases) decode_by_phases<S>(l, arguments, pointers.data(), blocks);
        else decode_persistently<S>(l, arguments, blocks);
    };
    const auto launch = [&] {
        if (by) {
            const SampledArguments<T> sampled{a,      totals.p,        chosen.p,    scores.p,
                                                 seen.p, by->temperature, by->penalty, by->seed};
            if (!by->restricted()) return decode(sampled);
            return decode(RestrictedArguments<T>{sampled, weights.p, by->top_k, by->top_p});
        }
        decode(a);
    };
    launch();
    const int first = batch * (passes - 1);
    a.passes = 1, a.output += first, a.logits += first * vocabulary;
    launch();
    const std::vector<std::int32_t> ids = output.get();
    const Numbers all = logits.get();
    Tokens r;
    for (int row = 0; row < batch; ++row)
        for (int p = 0; p < passes; ++p) {
            const int of = p < passes - 1 ? row * (passes - 1) + p : first + row;
            r.tokens.push_back(ids[at(of)]);
            r.logits.insert(r.logits.end(), all.begin() + of * vocabulary, all.begin() + (of + 1) * vocabulary);
        }
    for (int row = 0; row < batch; ++row) {
        const DecoderState after = state.get()[at(row)];
        EXPECT_EQ(after.position, from[at(row)].position + passes);
        EXPECT_EQ(after.token, r.tokens[at((row + 1) * passes - 1)]);
    }
    return r;
}
template <class T>
Tokens run(const Model<T>& m, int blocks, const DecoderState& from = {7, begin, 0}, const Sampled* by = nullptr,
                  int delay = 0) {
    return run_batch<Single<T>>(m, blocks, {from}, by, delay);
}

}  // namespace emulator_test::small_decoder
