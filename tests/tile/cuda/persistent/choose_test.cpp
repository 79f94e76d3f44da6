// SPDX-License-Identifier: Apache-2.0
/// Tokens that persistent launches sample are those of `TokenSampler`, which has its own oracle, from the same logits.
#include "decoder.hpp"

#include <inlay/model/gpt2/sampling.hpp>

#include <initializer_list>
#include <set>

namespace emulator_test {

namespace {

using namespace small_decoder;

/// The tokens that the sampler chooses from the logits of a run, whose text begins as `by` says.
std::vector<int> expected_tokens(const Tokens& r, const Sampled& by) {
    model::TokenSampler sampler(
        {.temperature = by.temperature, .repetition_penalty = by.penalty, .seed = by.seed});
    std::vector<std::int32_t> text(by.text.begin(), by.text.end());
    text.push_back(7);
    std::vector<int> tokens;
    for (int p = 0; p < passes; ++p) {
        const std::span<const float> logits(r.logits.data() + p * vocabulary, at(vocabulary));
        tokens.push_back(sampler.choose(logits, text, 0, static_cast<std::uint64_t>(begin + p + 1)));
        text.push_back(tokens.back());
    }
    return tokens;
}
void expect_tokens(const Model& m, const Sampled& by, std::initializer_list<int> blocks, std::set<int>* all = nullptr) {
    Tokens first;
    for (const int n : blocks) {
        const Tokens r = run(m, n, {7, begin, 0}, &by, n == 5 ? 300 : 0);
        if (first.tokens.empty()) first = r;
        EXPECT_EQ(r.tokens, expected_tokens(r, by)) << n << " blocks, temperature " << by.temperature;
        EXPECT_EQ(r.tokens, first.tokens) << n << " blocks";
    }
    if (all) all->insert(first.tokens.begin(), first.tokens.end());
}

TEST(TokenChoice, IsThatOfTheSamplerByTemperatureAndSeed) {
    const Model m;
    std::set<int> seen;
    expect_tokens(m, {.temperature = 1, .seed = 1}, {1, 3, 8}, &seen);
    for (std::uint64_t seed = 2; seed < 6; ++seed) expect_tokens(m, {.temperature = 2.5, .seed = seed}, {8}, &seen);
    expect_tokens(m, {.temperature = 1e-3, .seed = ~std::uint64_t(0)}, {5});
    EXPECT_GT(seen.size(), 12u);
}
TEST(TokenChoice, OfNoTemperatureIsTheMostLikely) {
    const Model m;
    const Sampled by{.temperature = 0};
    EXPECT_EQ(run(m, 5, {7, begin, 0}, &by).tokens, run(m, 5).tokens);
}
TEST(TokenChoice, PenalisesTheTokensOfTheText) {
    const Model m;
    const std::vector<int> likely = run(m, 8).tokens;
    for (const double temperature : {0.0, 0.7}) {
        expect_tokens(m, {.temperature = temperature, .penalty = 1.5f, .seed = 3, .text = likely}, {3, 8});
        expect_tokens(m, {.temperature = temperature, .penalty = 0.3f, .seed = 4, .text = {0, 7, 299}}, {5});
    }
    const Sampled by{.temperature = 0, .penalty = 1000, .text = likely};
    EXPECT_NE(run(m, 8, {7, begin, 0}, &by).tokens, likely);
}
TEST(TokenChoice, OfLogitsThatAreNoNumbersIsATokenOfTheVocabulary) {
    Model m;
    m.shift.d = std::make_unique<Device<fp16>>(std::vector<fp16>(at(width), fp16(NAN)));
    const Sampled by;
    EXPECT_EQ(run(m, 3, {7, begin, 0}, &by).tokens, std::vector<int>(at(passes), 0));
}

}  // namespace

}  // namespace emulator_test
