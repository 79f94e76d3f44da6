// SPDX-License-Identifier: Apache-2.0
/// The choice of the next token from a row of logits: as transformers' generate restricts it (repetition penalty,
/// temperature, top-k, top-p, in this order), but by numbers of this library's own.
///
/// Sums are of whole numbers, so any order of adding, on any device, gives the same token for the same logits.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/core/sampling.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

struct Sampling {
    double temperature = 0;         ///< logits are divided by it; 0: the most likely token, whatever k, p and the seed
    index_t top_k = 0;              ///< tokens less likely than the k-th are out; 0: none
    double top_p = 1;               ///< the most likely tokens that have this probability together stay; 1: all
    double repetition_penalty = 1;  ///< logits of tokens in the text: divided by it above 0, else multiplied
    std::uint64_t seed = 0;
};

/// Throws one sentence for a value out of its range.
inline void check_sampling(const Sampling& s) {
    require(s.temperature >= 0 && std::isfinite(s.temperature), "sampling: the temperature is ", s.temperature,
            ", expected a number from 0 on");
    require(s.top_k >= 0, "sampling: top-k is ", s.top_k, ", expected 0 (off) or more");
    require(s.top_p >= 0 && s.top_p <= 1, "sampling: top-p is ", s.top_p, ", expected a number from 0 to 1");
    // Logits are fp32: a penalty that is 0 there would make NaN of them.
    require(s.repetition_penalty >= 1e-30 && s.repetition_penalty <= 1e30, "sampling: the repetition penalty is ",
            s.repetition_penalty, ", expected a number from 1e-30 to 1e30");
}

namespace detail {

inline void require_finite(std::span<const float> logits) {
    require(!logits.empty(), "sampling: no logits, expected one for each token of the vocabulary");
    for (std::size_t i = 0; i < logits.size(); ++i)
        require(std::isfinite(logits[i]), "sampling: the logit of token ", i, " is ", static_cast<double>(logits[i]),
                ", expected a finite number");
}

}  // namespace detail

/// The most likely token; of equals the first. Throws when `logits` is empty or holds NaN or an infinity.
inline std::int32_t most_likely(std::span<const float> logits) {
    detail::require_finite(logits);
    return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
}

/// The natural logarithm of the probability of `token` by the bare logits, without any of the restrictions above.
inline double log_probability(std::span<const float> logits, std::int32_t token) {
    detail::require_finite(logits);
    require(token >= 0 && static_cast<std::size_t>(token) < logits.size(), "sampling: token ", token,
            " has no logit, expected 0 to ", logits.size() - 1);
    const double most = static_cast<double>(*std::ranges::max_element(logits));
    double sum = 0;
    for (const float x : logits) sum += std::exp(static_cast<double>(x) - most);
    return static_cast<double>(logits[static_cast<std::size_t>(token)]) - most - std::log(sum);
}

/// Chooses tokens of one vocabulary; its memory is allocated once.
class TokenSampler {
public:
    /// Throws where `check_sampling` does.
    explicit TokenSampler(const Sampling& sampling) : sampling_(sampling) { check_sampling(sampling); }

    /// The token behind `text`, the ids of prompt and result so far, which only the repetition penalty reads. `row` of
    /// the batch and `position` of the token count the random numbers. Throws when `logits` is empty or holds NaN or an
    /// infinity.
    std::int32_t choose(std::span<const float> logits, std::span<const std::int32_t> text, std::uint64_t row,
                        std::uint64_t position) {
        detail::require_finite(logits);
        penalise(logits, text);
        const float most = *std::ranges::max_element(logits_);
        if (!(sampling_.temperature > 0))
            return static_cast<std::int32_t>(std::ranges::find(logits_, most) - logits_.begin());
        weigh(most);
        keep_top_p();
        std::uint64_t total = 0;
        for (const std::uint64_t w : weights_) total += w;
        std::uint64_t rest = sampling::high_product(sampling::random_word(sampling_.seed, row, position), total);
        std::size_t i = 0;
        while (rest >= weights_[i]) rest -= weights_[i++];
        return static_cast<std::int32_t>(i);
    }
    /// Of the last choice: a whole number for each token, in proportion to its probability; 0 for those that are out.
    /// Empty before the first choice at a temperature above 0.
    std::span<const std::uint64_t> weights() const { return weights_; }

private:
    /// Each token of the text once, however often it comes; ids past the logits (of padding, say) change nothing.
    void penalise(std::span<const float> logits, std::span<const std::int32_t> text) {
        logits_.assign(logits.begin(), logits.end());
        if (sampling_.repetition_penalty == 1) return;
        const auto by = static_cast<float>(sampling_.repetition_penalty);
        for (const std::int32_t id : text) {
            if (id < 0 || static_cast<std::size_t>(id) >= logits.size()) continue;
            const auto i = static_cast<std::size_t>(id);
            logits_[i] = sampling::penalised(logits[i], by);
        }
    }
    /// Weights 2⁴⁰ · e^((x − most) / temperature), rounded; 0 past top-k. Tokens as likely as the k-th stay, however
    /// many they are.
    void weigh(float most) {
        float least = -largest;
        if (sampling_.top_k > 0 && static_cast<std::size_t>(sampling_.top_k) < logits_.size()) {
            sorted_ = logits_;
            const auto kth = sorted_.begin() + (sampling_.top_k - 1);
            std::ranges::nth_element(sorted_, kth, std::greater<>());
            least = *kth;
        }
        weights_.resize(logits_.size());
        for (std::size_t i = 0; i < logits_.size(); ++i)
            weights_[i] = logits_[i] < least ? 0 : sampling::weight_of(logits_[i], most, sampling_.temperature);
    }
    /// Tokens in the order of their logits, of equals the greater id first, as the reference's stable ascending sort
    /// has them from its end: one is out when those before it have the probability p already. The first one stays.
    void keep_top_p() {
        if (sampling_.top_p >= 1) return;
        std::uint64_t total = 0;
        heap_.clear();
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            total += weights_[i];
            if (weights_[i] > 0) heap_.emplace_back(logits_[i], i);
        }
        std::ranges::make_heap(heap_);
        const double enough = sampling_.top_p * static_cast<double>(total);
        std::uint64_t before = 0;
        auto end = heap_.end();
        do {  // a heap: most of the vocabulary is never sorted
            std::pop_heap(heap_.begin(), end--);
            before += weights_[end->second];
        } while (end != heap_.begin() && static_cast<double>(before) < enough);
        for (auto it = heap_.begin(); it != end; ++it) weights_[it->second] = 0;
    }

    static constexpr float largest = 3.40282347e38f;

    Sampling sampling_;
    std::vector<float> logits_, sorted_;
    std::vector<std::uint64_t> weights_;
    std::vector<std::pair<float, std::size_t>> heap_;
};

}  // namespace inlay::inline INLAY_ABI::model
