// SPDX-License-Identifier: Apache-2.0
/// A batch of texts that GPT-2 continues: its cache, sized once, and the recorded programs of a part of the prompts and
/// of a token. Positions lie in the target's memory, so one recording serves every token; nothing is allocated behind
/// the constructor.
#pragma once

#include <inlay/exec/recording.hpp>
#include <inlay/model/gpt2/network.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

struct Gpt2Run {
    index_t batch = 1;
    index_t capacity = 1024;    ///< tokens of a row, prompt and result
    index_t chunk = 128;        ///< tokens of a row that one run of the prompts' program takes
};

template <Storage T, class Target>
class Gpt2Session {
public:
    /// The target and the network outlive it. A network without weights (shapes alone) can be explained, not run.
    Gpt2Session(Target& target, const Gpt2<T>& network, const Gpt2Run& run, bool has_weights = true)
        : target_(&target), network_(&network), run_(run) {
        const Gpt2Config& c = network.config();
        require(run.batch >= 1, "gpt2: the batch is ", run.batch, ", expected at least 1");
        require(run.capacity >= 1 && run.capacity <= c.positions, "gpt2: ", run.capacity,
                " tokens of prompt and result, expected 1 to ", c.positions, ", the positions of the model");
        run_.chunk = std::clamp<index_t>(run.chunk, 1, run.capacity);
        Arena measure;
        build(measure);
        if (!has_weights) return;
        memory_ = target.allocate(measure.measured());
        Arena arena(memory_.data(), memory_.size());
        build(arena);
        target.zero(memory_.data(), memory_.size());  // keys that nothing has written are 0, not perhaps NaN
        for (Stage* s : {&prompt_, &token_})
            for (const auto* p : {&s->layers, &s->logits}) target.load(*p);
        prompt_layers_ = Recording<Target>(target, prompt_.layers);
        prompt_logits_ = Recording<Target>(target, prompt_.logits);
        token_run_ = Recording<Target>(target, token_.layers, token_.logits);
        lengths_.assign(static_cast<std::size_t>(run.batch), 0);
        host_logits_.resize(static_cast<std::size_t>(run.batch * c.vocabulary));
        read_.resize(host_logits_.size());
        staged_.resize(static_cast<std::size_t>(run.batch * (2 * run_.chunk + 1)));
    }
    Gpt2Session(const Gpt2Session&) = delete;
    Gpt2Session& operator=(const Gpt2Session&) = delete;

    /// Appends tokens to each row, perhaps none to some; `logits` are then those behind the last of them. Throws where
    /// a row would pass the capacity, or an id is none of the vocabulary, before anything runs.
    void append(const std::vector<std::vector<std::int32_t>>& rows) {
        require(rows.size() == lengths_.size(), "gpt2: ", rows.size(), " rows of tokens, expected ", lengths_.size());
        std::size_t most = 0;
        for (std::size_t b = 0; b < rows.size(); ++b) {
            require_room(b, static_cast<index_t>(rows[b].size()));
            check(b, rows[b]);
            most = (std::max)(most, rows[b].size());
        }
        if (most == 1) {
            stage(token_, rows, 0);
            token_run_.run();
            keep_logits(token_, rows, 0);
        } else {
            for (std::size_t from = 0; from < most; from += static_cast<std::size_t>(run_.chunk)) {
                stage(prompt_, rows, from);
                prompt_layers_.run();
                keep_logits(prompt_, rows, from);
            }
        }
        for (std::size_t b = 0; b < rows.size(); ++b) extend(b, static_cast<index_t>(rows[b].size()));
    }

    /// Logits [vocabulary] behind the last token of a row, valid until the next `append`.
    std::span<const float> logits(index_t row) const {
        const auto v = static_cast<std::size_t>(network_->config().vocabulary);
        return std::span(host_logits_).subspan(static_cast<std::size_t>(row) * v, v);
    }
    index_t length(index_t row) const { return lengths_[static_cast<std::size_t>(row)]; }
    const Gpt2Run& options() const { return run_; }
    const Gpt2<T>& network() const { return *network_; }

    /// Of each layer. Another program may go on in them: behind a row's length, with room for `extra` tokens, and with
    /// `extend` behind it.
    const std::vector<nn::KeyValueCache<T>>& caches() const { return caches_; }
    /// Throws where a row cannot become longer by `extra` tokens.
    void require_room(std::size_t row, index_t extra) const {
        const index_t n = lengths_[row] + extra;
        require(n <= run_.capacity, "gpt2: row ", row, " would have ", n, " tokens, expected at most ", run_.capacity);
    }
    void extend(std::size_t row, index_t extra) { lengths_[row] += extra; }
    std::size_t bytes() const { return memory_.size(); }

    /// The recorded token alone, with the device's memory as it is.
    void replay() const { token_run_.run(); }
    /// The recorded part of a prompt, of `options().chunk` tokens of each row, and the logits behind it: the same.
    void replay_prompt() const {
        prompt_layers_.run();
        prompt_logits_.run();
    }
    std::size_t token_launches() const { return token_run_.launches(); }
    const Program<Target>& token_program() const { return token_.layers; }
    const Program<Target>& logits_program() const { return token_.logits; }
    const Program<Target>& prompt_program() const { return prompt_.layers; }

private:
    /// Programs over S tokens of each row, and what they read: ids [B, S], positions [B, S] and the rows [B] of the
    /// last tokens, in one piece.
    struct Stage {
        index_t length = 1;
        std::int32_t* inputs = nullptr;
        Program<Target> layers, logits;
    };

    void check(std::size_t b, const std::vector<std::int32_t>& ids) const {
        for (const std::int32_t id : ids)
            require(id >= 0 && id < network_->config().vocabulary, "gpt2: token ", id, " of row ", b,
                    " is none of the vocabulary, expected 0 to ", network_->config().vocabulary - 1);
    }
    /// True if the tokens of a row end within the part that begins at `from`.
    static bool ends(const Stage& s, const std::vector<std::int32_t>& ids, std::size_t from) {
        return ids.size() > from && ids.size() <= from + static_cast<std::size_t>(s.length);
    }
    /// A row's missing tokens take the place behind the capacity, which no token of a text sees.
    void stage(const Stage& s, const std::vector<std::vector<std::int32_t>>& rows, std::size_t from) {
        const auto length = static_cast<std::size_t>(s.length), all = rows.size() * length;
        for (std::size_t b = 0; b < rows.size(); ++b) {
            for (std::size_t i = 0; i < length; ++i) {
                const bool has = from + i < rows[b].size();
                staged_[b * length + i] = has ? rows[b][from + i] : 0;
                staged_[all + b * length + i] = static_cast<std::int32_t>(
                    has ? lengths_[b] + static_cast<index_t>(from + i) : run_.capacity);
            }
            staged_[2 * all + b] =
                static_cast<std::int32_t>(b * length + (ends(s, rows[b], from) ? rows[b].size() - from - 1 : 0));
        }
        target_->upload(s.inputs, staged_.data(), (2 * all + rows.size()) * sizeof(std::int32_t));
    }
    void keep_logits(const Stage& s, const std::vector<std::vector<std::int32_t>>& rows, std::size_t from) {
        if (std::ranges::none_of(rows, [&](const auto& r) { return ends(s, r, from); })) return;
        if (&s == &prompt_) prompt_logits_.run();
        target_->download(read_.data(), logits_.data, read_.size() * sizeof(float));
        const auto v = static_cast<std::ptrdiff_t>(network_->config().vocabulary);
        for (std::size_t b = 0; b < rows.size(); ++b)
            if (ends(s, rows[b], from))
                std::copy_n(read_.begin() + static_cast<std::ptrdiff_t>(b) * v, v,
                            host_logits_.begin() + static_cast<std::ptrdiff_t>(b) * v);
    }

    void build(Arena& arena) {
        const Gpt2Config& c = network_->config();
        const auto keep = [&]<class V, int R>(Tensor<V, R>& t, const Extents<R>& e) {
            t = Tensor<V, R>(static_cast<V*>(arena.take(dense_bytes<V>(e))), e);
        };
        caches_.assign(static_cast<std::size_t>(c.layers), {});
        for (auto& cache : caches_)
            for (auto* t : {&cache.keys, &cache.values})
                keep(*t, Extents<4>{{run_.batch, c.heads, run_.capacity + 1, c.head_width()}});
        // Behind the caches: a persistent launch copies keys in groups of as many as there are heads, some beyond one.
        keep(logits_, Extents<2>{{run_.batch, c.vocabulary}});
        build(arena, prompt_, run_.chunk);
        build(arena, token_, 1);
    }
    void build(Arena& arena, Stage& s, index_t length) {
        const index_t all = run_.batch * length;
        s.length = length;
        s.inputs = static_cast<std::int32_t*>(
            arena.take(static_cast<std::size_t>(2 * all + run_.batch) * sizeof(std::int32_t)));
        s.layers = Program<Target>();
        s.logits = Program<Target>();
        const Extents<2> e{{run_.batch, length}};
        auto x = network_->build_layers(nn::Build<T, Target>{&s.layers, &arena, ""}, {s.inputs, e}, {s.inputs + all, e},
                                        caches_);
        network_->build_logits(nn::Build<T, Target>{&s.logits, &arena, ""}, *x, {s.inputs + 2 * all, {{run_.batch}}},
                               logits_);
    }

    Target* target_;
    const Gpt2<T>* network_;
    Gpt2Run run_;
    typename Target::Memory memory_;
    std::vector<nn::KeyValueCache<T>> caches_;
    Tensor<float, 2> logits_;
    Stage prompt_, token_;
    Recording<Target> prompt_layers_, prompt_logits_, token_run_;
    std::vector<index_t> lengths_;
    std::vector<float> host_logits_, read_;
    std::vector<std::int32_t> staged_;
};

}  // namespace inlay::inline INLAY_ABI::model
