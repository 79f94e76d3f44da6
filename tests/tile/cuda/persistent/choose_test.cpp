// SPDX-License-Identifier: Apache-2.0
/// Tokens that persistent launches sample are those of `TokenSampler`, which has its own oracle, from the same logits.
#include "decoder.hpp"

#include <inlay/model/gpt2/sampling.hpp>

#include <initializer_list>
#include <set>

namespace emulator_test {

namespace {

using namespace small_decoder;

/// The tokens that the sampler chooses from a sequence's logits of a run, whose text begins as `by` says.
std::vector<int> expected_tokens(const Tokens& r, const Sampled& by, int row = 0,
                                 const DecoderState& from = {7, begin, 0}) {
    model::TokenSampler sampler(
        {.temperature = by.temperature, .top_k = by.top_k, .top_p = by.top_p, .repetition_penalty = by.penalty,
         .seed = by.seed + static_cast<std::uint64_t>(row)});
    std::vector<std::int32_t> text(by.text.begin(), by.text.end());
    text.push_back(from.token);
    std::vector<int> tokens;
    for (int p = 0; p < passes; ++p) {
        const std::span<const float> logits(r.logits.data() + (row * passes + p) * vocabulary, at(vocabulary));
        tokens.push_back(sampler.choose(logits, text, 0, static_cast<std::uint64_t>(from.position + p + 1)));
        text.push_back(tokens.back());
    }
    return tokens;
}
template <class T>
void expect_tokens(const Model<T>& m, const Sampled& by, std::initializer_list<int> blocks,
                   std::set<int>* all = nullptr) {
    Tokens first;
    for (const int n : blocks) {
        const Tokens r = run(m, n, {7, begin, 0}, &by, n == 5 ? 300 : 0);
        if (first.tokens.empty()) first = r;
        EXPECT_EQ(r.tokens, expected_tokens(r, by)) << n << " blocks, temperature " << by.temperature;
        EXPECT_EQ(r.tokens, first.tokens) << n << " blocks";
    }
    if (all) all->insert(first.tokens.begin(), first.tokens.end());
}
/// The same of several sequences, from each of these numbers of blocks; the tokens of all of them.
template <class T>
std::set<int> expect_tokens_of(const Model<T>& m, const Sampled& by, const std::vector<DecoderState>& from,
                               std::initializer_list<int> blocks) {
    std::set<int> all;
    for (const int n : blocks) {
        const Tokens r = run_batch<Several<T>>(m, n, from, &by, n == 2 ? 300 : 0);
        for (int row = 0; row < static_cast<int>(from.size()); ++row)
            EXPECT_EQ(std::vector(r.tokens.begin() + row * passes, r.tokens.begin() + (row + 1) * passes),
                      expected_tokens(r, by, row, from[at(row)]))
                << "sequence " << row << " of " << from.size() << ", " << n << " blocks, top-k " << by.top_k
                << ", top-p " << by.top_p;
        all.insert(r.tokens.begin(), r.tokens.end());
    }
    return all;
}
/// Sequences from the first position to the end of the cache.
const std::vector<DecoderState> eight = {{7, begin, 0},       {0, 0, 0},  {299, capacity - passes, 0}, {7, begin, 0},
                                         {150, begin + 5, 0}, {31, 3, 0}, {8, 31, 0},                  {1, 8, 0}};
std::vector<DecoderState> first_of(int n) {
    return {eight.begin(), eight.begin() + n};
}

TEST(TokenChoice, IsThatOfTheSamplerByTemperatureAndSeed) {
    const Model m;
    std::set<int> seen;
    expect_tokens(m, {.temperature = 1, .seed = 1}, {1, 3, 8}, &seen);
    for (std::uint64_t seed = 2; seed < 6; ++seed) expect_tokens(m, {.temperature = 2.5, .seed = seed}, {8}, &seen);
    expect_tokens(m, {.temperature = 1e-3, .seed = ~std::uint64_t(0)}, {5});
    EXPECT_GT(seen.size(), 12u);
}
TEST(TokenChoice, OfEachSequenceIsThatOfItsSeed) {
    const Model m;
    for (const Sampled& by : {Sampled{.temperature = 2.5, .seed = 8},
                              Sampled{.temperature = 0.7, .penalty = 1.5f, .seed = 3, .text = {5, 17, 200}}})
        expect_tokens_of(m, by, first_of(3), {2, 8});
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
/// A model whose vocabulary has groups of tokens with the same logit.
Model<> of_equal_logits(int each) {
    Model m;
    std::vector<fp16> rows = m.tokens.d->get();
    for (int n = 0; n < vocabulary; ++n)
        std::copy_n(rows.begin() + n % (vocabulary / each) * width, width, rows.begin() + n * width);
    m.tokens.d = std::make_unique<Device<fp16>>(rows);
    return m;
}
TEST(TokenChoice, RestrictsTokensByTopKAndTopP) {
    const Model m;
    std::set<int> seen;
    expect_tokens(m, {.temperature = 3, .seed = 1, .top_k = 7}, {1, 8}, &seen);
    expect_tokens(m, {.temperature = 2, .seed = 2, .top_p = 0.6}, {3, 5}, &seen);
    expect_tokens(m, {.temperature = 2, .penalty = 1.3f, .seed = 3, .text = {1, 5}, .top_k = 40, .top_p = 0.8}, {2, 7},
                  &seen);
    EXPECT_GT(seen.size(), 6u);
}
TEST(TokenChoice, OfFp32IsThatOfTheSampler) {
    const Model<float> m;
    const Sampled by{.temperature = 2.5, .penalty = 1.5f, .seed = 3, .text = {5, 17, 200}},
        restricted{.temperature = 2, .penalty = 1.3f, .seed = 3, .text = {1, 5}, .top_k = 40, .top_p = 0.8};
    std::set<int> seen;
    expect_tokens(m, by, {5}, &seen);
    expect_tokens(m, restricted, {5}, &seen);
    EXPECT_GT(seen.size(), 4u);
    EXPECT_GT(expect_tokens_of(m, restricted, first_of(4), {2}).size(), 6u);
}
TEST(TokenChoice, OfOneTokenIsTheMostLikely) {
    const Model m;
    const std::vector<int> likely = run(m, 8).tokens;
    for (const Sampled& by : {Sampled{.temperature = 5, .top_k = 1}, Sampled{.temperature = 5, .top_p = 0},
                             Sampled{.temperature = 5, .top_p = 1e-300}}) {
        EXPECT_EQ(run(m, 8, {7, begin, 0}, &by).tokens, likely);
    }
}
TEST(TokenChoice, OfAllTokensIsThatWithoutRestriction) {
    const Model m;
    for (const int k : {vocabulary - 1, vocabulary, 100000})
        expect_tokens(m, {.temperature = 2.5, .seed = 3, .top_k = k}, {8});
    expect_tokens(m, {.temperature = 2.5, .seed = 3, .top_p = 1 - 1e-12}, {8});
}
TEST(TokenChoice, RestrictsTokensOfEqualLogits) {
    const Model m = of_equal_logits(30);
    expect_tokens(m, {.temperature = 1.5, .seed = 1, .top_k = 2}, {4});
    for (const double p : {0.05, 0.4}) expect_tokens(m, {.temperature = 1.5, .seed = 2, .top_p = p}, {1, 8});
    const Model all = of_equal_logits(vocabulary);
    for (const double p : {0.0, 0.5}) expect_tokens(all, {.seed = 9, .top_k = 3, .top_p = p}, {6});
}
TEST(TokenChoice, RestrictsTokensOfEachSequence) {
    const Model m;
    const Sampled by_k{.temperature = 3, .seed = 1, .top_k = 7}, by_p{.temperature = 2, .seed = 2, .top_p = 0.6},
        both{.temperature = 2, .penalty = 1.3f, .seed = 3, .text = {1, 5}, .top_k = 40, .top_p = 0.8};
    EXPECT_GT(expect_tokens_of(m, by_k, first_of(2), {4}).size(), 3u);
    EXPECT_GT(expect_tokens_of(m, by_p, first_of(3), {2}).size(), 3u);
    expect_tokens_of(m, both, first_of(5), {1});
    EXPECT_GT(expect_tokens_of(m, both, eight, {8}).size(), 12u);
}
TEST(TokenChoice, OfEachSequenceIsTheMostLikelyOfOne) {
    const Model m;
    const std::vector<int> likely = run_batch<Several<>>(m, 3, first_of(4)).tokens;
    for (const Sampled& by : {Sampled{.temperature = 5, .top_k = 1}, Sampled{.temperature = 5, .top_p = 0}})
        EXPECT_EQ(run_batch<Several<>>(m, 3, first_of(4), &by).tokens, likely);
}
TEST(TokenChoice, OfEachSequenceAmongAllTokensIsThatWithoutRestriction) {
    const Model m;
    for (const Sampled& by : {Sampled{.temperature = 2.5, .seed = 3, .top_k = vocabulary - 1},
                              Sampled{.temperature = 2.5, .seed = 3, .top_k = vocabulary, .top_p = 1 - 1e-12}})
        expect_tokens_of(m, by, first_of(7), {3});
}
TEST(TokenChoice, RestrictsEqualLogitsOfEachSequence) {
    const Model m = of_equal_logits(30);
    expect_tokens_of(m, {.temperature = 1.5, .seed = 1, .top_k = 2}, first_of(6), {4});
    expect_tokens_of(m, {.temperature = 1.5, .seed = 2, .top_p = 0.4}, first_of(3), {5});
    const Model all = of_equal_logits(vocabulary);
    expect_tokens_of(all, {.seed = 9, .top_k = 3, .top_p = 0.5}, eight, {2});
}
TEST(TokenChoice, OfLogitsThatAreNoNumbersIsATokenOfTheVocabulary) {
    Model m;
    m.shift.d = std::make_unique<Device<fp16>>(std::vector<fp16>(at(width), fp16(NAN)));
    const Sampled by;
    EXPECT_EQ(run(m, 3, {7, begin, 0}, &by).tokens, std::vector<int>(at(passes), 0));
    const Sampled few{.top_k = 5, .top_p = 0.5};
    EXPECT_EQ(run(m, 3, {7, begin, 0}, &few).tokens, std::vector<int>(at(passes), 0));
    EXPECT_EQ(run_batch<Several<>>(m, 3, first_of(3), &few).tokens,
              std::vector<int>(at(3 * passes), 0));
}

}  // namespace

}  // namespace emulator_test
