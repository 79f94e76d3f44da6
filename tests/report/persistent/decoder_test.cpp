// SPDX-License-Identifier: Apache-2.0
/// The report of GPT-2's token: its bytes are those of its weights and of the cached keys and values.
#include <inlay/report/persistent/decoder.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::persistent;

double memory_of(const Report& r) {
    double all = 0;
    for (int p = 0; p < r.facts.phase_count; ++p) all += r.memory[p] * r.times(p);
    return all;
}

TEST(DecoderReport, ReadsEachWeightOnceAndTheCacheUpToThePosition) {
    // 124,439,808 weights, of whose 1024 embeddings of positions one row is read, beside that of a token.
    const double weights = 2.0 * (124439808 - 1024 * 768 + 2 * 768);
    const Report first = decoder_report<Gpt2Small>(12, 0, 132), late = decoder_report<Gpt2Small>(12, 500, 132);
    EXPECT_DOUBLE_EQ(memory_of(first), weights);
    EXPECT_DOUBLE_EQ(memory_of(late), weights + 12.0 * 500 * 2 * 768 * 2);
}
/// Rows of 12 keys in 4 parts: 1 part of each head at first, 2 with a 13th key.
TEST(DecoderReport, AttentionHasTasksForKeysThatAreThere) {
    using Step = Decoder<Gpt2Small>::Step;
    constexpr int attend = phase_number<Step, Decoder<Gpt2Small>::Attend>;
    EXPECT_EQ(decoder_report<Gpt2Small>(12, 0, 132).facts.phases[attend].tiles, 12);
    EXPECT_EQ(decoder_report<Gpt2Small>(12, 11, 132).facts.phases[attend].tiles, 12);
    EXPECT_EQ(decoder_report<Gpt2Small>(12, 12, 132).facts.phases[attend].tiles, 24);
    EXPECT_EQ(decoder_report<Gpt2Small>(12, 500, 132).facts.phases[attend].tiles, 48);
    EXPECT_EQ(decoder_report<Gpt2Small>(12, 500, 132).most(attend), 1);
}
TEST(DecoderReport, EveryPhaseIsOnTheCriticalPath) {
    const Report r = decoder_report<Gpt2Small>(12, 500, 132);
    EXPECT_EQ(critical_path(r).instances.size(), 62u);
    EXPECT_NE(explain(r, sm90a_target)
                  .find("Critical path: embed, 12 x (qkv, attend, project, up, down), vocabulary: 62 instances"),
              std::string::npos);
}
TEST(DecoderReport, AGraphOfPhasesHasAKernelForEachInstanceButTheChoice) {
    Report greedy = decoder_report<Gpt2Small>(12, 500, 132),
           sampled = decoder_report<Gpt2Small, TokenChoice::sampled>(12, 500, 132);
    greedy.by_phases(1), sampled.by_phases(3);
    EXPECT_TRUE(explain(greedy, sm90a_target)
                    .starts_with("decoder: a graph of 62 kernels a pass of 7 phases, 62 instances a pass, on 132 "));
    EXPECT_TRUE(explain(sampled, sm90a_target)
                    .starts_with("decoder: a graph of 62 kernels a pass of 9 phases, 64 instances a pass, on 132 "));
}
TEST(DecoderReport, ABatchReadsWeightsOnceAndTheCacheOfEachSequence) {
    using Several = InBatches<Gpt2Small>;
    const double one = memory_of(decoder_report<Gpt2Small>(12, 0, 132)), row = 2.0 * 2 * 768,
                 cache = 12.0 * 500 * row;
    const Report two = decoder_report<Several>(12, 500, 132, 2), all = decoder_report<Several>(12, 500, 132, 8);
    EXPECT_DOUBLE_EQ(memory_of(two), one + row + 2 * cache);
    EXPECT_DOUBLE_EQ(memory_of(all), one + 7 * row + 8 * cache);
    // Heads of two sequences in 4 parts, of eight in 1.
    constexpr int attend = phase_number<Decoder<Several>::Step, Decoder<Several>::Attend>;
    EXPECT_EQ(two.facts.phases[attend].tiles, 96);
    EXPECT_EQ(all.facts.phases[attend].tiles, 96);
    const std::string text = explain(all, sm90a_target);
    for (const char* line : {"decoder of 8 sequences: one persistent launch of 7 phases, 62 instances a pass, on 132 ",
                             "attend             12       96        0 to 1    12.3 MB    50.7 kB  qkv of its group\n",
                             "down               12      768        4 to 6    4.72 MB    49.2 kB  up\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}
TEST(DecoderReport, OfFp32HasTwiceTheBytes) {
    using One = SizesOf<Gpt2Small, 4>;
    const Report one = decoder_report<One>(12, 500, 132), four = decoder_report<InBatches<One>>(12, 500, 132, 4);
    EXPECT_DOUBLE_EQ(memory_of(one), 2 * memory_of(decoder_report<Gpt2Small>(12, 500, 132)));
    EXPECT_DOUBLE_EQ(memory_of(four), 2 * memory_of(decoder_report<InBatches<Gpt2Small>>(12, 500, 132, 4)));
    const std::string text = explain(one, sm90a_target);
    for (const char* line : {"decoder in fp32: one persistent launch of 7 phases, 62 instances a pass, on 132 ",
                             "up                 12     3072      22 to 24    9.46 MB    98.3 kB  project\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
    EXPECT_TRUE(explain(four, sm90a_target).starts_with("decoder in fp32 of 4 sequences: one persistent launch "));
}
TEST(DecoderReport, ASampledTokenHasTwoMoreHandOversBehindTheVocabulary) {
    const Report r = decoder_report<Gpt2Small, TokenChoice::sampled>(12, 500, 132);
    EXPECT_DOUBLE_EQ(memory_of(r), memory_of(decoder_report<Gpt2Small>(12, 500, 132)));
    const std::string text = explain(r, sm90a_target);
    for (const char* line : {"weigh               1    50257    380 to 381        0 B        0 B  vocabulary\n",
                             "choose              1    50257    380 to 381        0 B        0 B  weigh\n",
                             "(qkv, attend, project, up, down), vocabulary, weigh, choose: 64 instances"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

}  // namespace
