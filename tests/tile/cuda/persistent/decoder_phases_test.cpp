// SPDX-License-Identifier: Apache-2.0
/// Tokens of a small decoder by a kernel for each phase: the bits of one launch, from any number of blocks.
#include "decoder.hpp"

namespace emulator_test {

namespace {

using namespace small_decoder;

void expect_same(const Tokens& r, const Tokens& as, const std::string& of) {
    EXPECT_EQ(r.tokens, as.tokens) << of;
    EXPECT_EQ(r.logits, as.logits) << of;
}

template <class T>
void expect_same_by_phases(std::initializer_list<int> all) {
    const Model<T> m;
    const Tokens one = run(m, 5);
    for (const int blocks : all)
        expect_same(run_batch<Single<T>>(m, blocks, {{7, begin, 0}}, nullptr, blocks == 5 ? 400 : 0, true), one,
                    std::to_string(blocks) + " blocks");
}
TEST(DecoderPhases, TokensAndLogitsAreThoseOfOneLaunch) { expect_same_by_phases<fp16>({1, 5, 8}); }
TEST(DecoderPhases, TokensAndLogitsOfFp32AreThoseOfOneLaunch) {
    expect_same_by_phases<float>({5});
    const Model<float> m;
    const std::vector<DecoderState> all = {{7, begin, 0}, {0, 0, 0}, {299, capacity - passes, 0}, {150, begin + 5, 0}};
    const Sampled by{.temperature = 2, .penalty = 1.3f, .seed = 5, .text = {7, 9}, .top_k = 20, .top_p = 0.9};
    expect_same(run_batch<Several<float>>(m, 5, all, &by, 400, true), run_batch<Several<float>>(m, 8, all, &by),
                "four sequences");
}
TEST(DecoderPhases, TokensAndLogitsOfABatchAreThoseOfOneLaunch) {
    const Model m;
    const std::vector<DecoderState> all = {{7, begin, 0}, {0, 0, 0}, {299, capacity - passes, 0}, {150, begin + 5, 0},
                                           {31, 3, 0},    {8, 31, 0}, {1, 8, 0},                  {7, begin, 0}};
    expect_same(run_batch<Several<>>(m, 5, all, nullptr, 0, true), run_batch<Several<>>(m, 8, all), "eight sequences");
    expect_same(run_batch<Several<>>(m, 8, {all[0], all[5]}, nullptr, 400, true),
                run_batch<Several<>>(m, 8, {all[0], all[5]}), "two sequences");
}
TEST(DecoderPhases, SampledTokensAreThoseOfOneLaunch) {
    const Model m;
    for (const Sampled& by : {Sampled{.temperature = 0.8, .penalty = 1.3f, .seed = 5, .text = {7, 9}},
                              Sampled{.temperature = 0}, Sampled{.temperature = 2, .top_k = 20, .top_p = 0.9}})
        expect_same(run_batch(m, 5, {{7, begin, 0}}, &by, 400, true), run(m, 4, {7, begin, 0}, &by),
                    "temperature " + std::to_string(by.temperature));
}
TEST(DecoderPhases, RestrictedTokensOfABatchAreThoseOfOneLaunch) {
    const Model m;
    const std::vector<DecoderState> all = {{7, begin, 0}, {0, 0, 0}, {299, capacity - passes, 0}};
    const Sampled by{.temperature = 2, .penalty = 1.3f, .seed = 5, .text = {7, 9}, .top_k = 20, .top_p = 0.9};
    expect_same(run_batch<Several<>>(m, 5, all, &by, 400, true), run_batch<Several<>>(m, 8, all, &by),
                "three sequences");
}
TEST(DecoderPhases, StopsBeforeItReadsOrWritesOutside) {
    const Model m;
    for (const DecoderState& from : {DecoderState{7, capacity - passes + 2, 0}, DecoderState{vocabulary, begin, 0}})
        try {
            run_batch(m, 3, {from}, nullptr, 0, true);
            ADD_FAILURE() << "token " << from.token << ", position " << from.position;
        } catch (const Error& e) {
            EXPECT_SAYS(e.what(), "a kernel stopped itself");
        }
}

}  // namespace

}  // namespace emulator_test
