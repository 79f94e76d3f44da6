// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/gpt2/sampling.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>

namespace {

using namespace inlay::model;
using inlay::index_t;

/// Probabilities as transformers' processors give them, step by step over whole rows in double.
std::vector<double> expected(std::vector<double> x, const std::vector<std::int32_t>& text, const Sampling& s) {
    const std::size_t n = x.size();
    std::vector<bool> seen(n);
    for (const std::int32_t id : text) seen[static_cast<std::size_t>(id)] = true;
    for (std::size_t i = 0; i < n; ++i)
        if (seen[i]) x[i] = x[i] < 0 ? x[i] * s.repetition_penalty : x[i] / s.repetition_penalty;
    for (double& v : x) v /= s.temperature;
    const auto softmax = [&] {
        std::vector<double> p(n);
        for (std::size_t i = 0; i < n; ++i) p[i] = std::exp(x[i]);
        const double sum = std::accumulate(p.begin(), p.end(), 0.0);
        for (double& v : p) v /= sum;
        return p;
    };
    constexpr double out = -std::numeric_limits<double>::infinity();
    if (s.top_k > 0) {
        std::vector<double> sorted = x;
        std::ranges::sort(sorted, std::greater<>());
        const double least = sorted[std::min(n, static_cast<std::size_t>(s.top_k)) - 1];
        for (double& v : x) v = v < least ? out : v;
    }
    if (s.top_p < 1) {
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(x[i], i); });
        const std::vector<double> p = softmax();
        double sum = 0;
        for (std::size_t j = 0; j + 1 < n; ++j)
            if ((sum += p[order[j]]) <= 1 - s.top_p) x[order[j]] = out;
    }
    return softmax();
}

TEST(TokenSampler, KeepsAndWeighsTokensAsTransformersDoes) {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        std::vector<float> logits(1 + random() % 60);
        for (float& x : logits) x = static_cast<float>(random() % 4000) / 256 - 8;
        std::vector<std::int32_t> text(random() % 8);
        for (auto& id : text) id = static_cast<std::int32_t>(random() % logits.size());
        const double penalties[] = {1, 1.25, 0.5}, temperatures[] = {1, 0.7, 3}, ps[] = {1, 0.93, 0.4, 0};
        const Sampling s{temperatures[random() % 3], static_cast<index_t>(random() % 70), ps[random() % 4],
                         penalties[random() % 3], 9};
        TokenSampler sampler(s);
        const std::int32_t chosen = sampler.choose(logits, text, 0, static_cast<std::uint64_t>(round));
        const auto want = expected({logits.begin(), logits.end()}, text, s);
        double total = 0;
        for (const auto w : sampler.weights()) total += static_cast<double>(w);
        for (std::size_t i = 0; i < logits.size(); ++i)
            ASSERT_NEAR(static_cast<double>(sampler.weights()[i]) / total, want[i], 1e-6) << round << ' ' << i;
        EXPECT_GT(sampler.weights()[static_cast<std::size_t>(chosen)], 0u);
    }
}

TEST(TokenSampler, ChoosesByProbability) {
    const std::vector<float> logits{0, std::log(2.f), std::log(5.f)};
    TokenSampler sampler({.temperature = 1, .seed = 4});
    std::array<int, 3> counts{};
    for (std::uint64_t i = 0; i < 8000; ++i) ++counts[static_cast<std::size_t>(sampler.choose(logits, {}, 1, i))];
    EXPECT_NEAR(counts[0], 1000, 150);
    EXPECT_NEAR(counts[1], 2000, 200);
    EXPECT_NEAR(counts[2], 5000, 250);
}

TEST(TokenSampler, IsGreedyWithoutATemperature) {
    const std::vector<float> logits{1, 4, 4, -2};
    TokenSampler greedy({});
    EXPECT_EQ(greedy.choose(logits, {}, 0, 0), 1);
    EXPECT_EQ(most_likely(logits), 1);
    TokenSampler penalised({.repetition_penalty = 2});
    EXPECT_EQ(penalised.choose(logits, std::vector<std::int32_t>{1, 1, -5, 99}, 0, 0), 2);
    TokenSampler cold({.temperature = 1e-300, .top_k = 99, .top_p = 0});
    EXPECT_EQ(cold.choose(std::vector<float>{-3e38f, 3e38f}, {}, 0, 0), 1);
}

TEST(TokenSampler, BadNumbersAreErrors) {
    const auto error = [](const std::vector<float>& logits, const Sampling& s) -> std::string {
        try {
            TokenSampler(s).choose(logits, {}, 0, 0);
        } catch (const inlay::Error& e) {
            return e.what();
        }
        return "no error";
    };
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(error({0, nan}, {}), "inlay: sampling: the logit of token 1 is nan, expected a finite number");
    EXPECT_EQ(error({-infinity}, {}), "inlay: sampling: the logit of token 0 is -inf, expected a finite number");
    EXPECT_EQ(error({}, {}), "inlay: sampling: no logits, expected one for each token of the vocabulary");
    EXPECT_EQ(error({0}, {.temperature = -1}), "inlay: sampling: the temperature is -1, expected a number from 0 on");
    EXPECT_EQ(error({0}, {.top_k = -1}), "inlay: sampling: top-k is -1, expected 0 (off) or more");
    EXPECT_EQ(error({0}, {.top_p = 1.5}), "inlay: sampling: top-p is 1.5, expected a number from 0 to 1");
    EXPECT_EQ(error({0}, {.repetition_penalty = 0}),
              "inlay: sampling: the repetition penalty is 0, expected a number from 1e-30 to 1e30");
    for (const double none : {1e-50, 1e300, static_cast<double>(nan)})  // 0, infinite or NaN in fp32
        EXPECT_NE(error({0}, {.repetition_penalty = none}), "no error") << none;
}

TEST(LogProbability, IsThatOfTheBareLogits) {
    EXPECT_NEAR(log_probability(std::vector<float>{0, std::log(3.f)}, 1), std::log(0.75), 1e-7);
    EXPECT_NEAR(log_probability(std::vector<float>{1000, 1000}, 0), std::log(0.5), 1e-12);
}

}  // namespace
