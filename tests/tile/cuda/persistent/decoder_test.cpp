// SPDX-License-Identifier: Apache-2.0
/// Tokens of a small decoder by persistent launches, against plain loops; the same bits from any number of blocks.
#include "decoder.hpp"

namespace emulator_test {

namespace {

using namespace small_decoder;

struct Narrow : Sizes {
    static constexpr int inner = 512, vocabulary = 50257, winner_bytes = 16 * 132;
};

TEST(PersistentDecoder, TokensAreThoseOfPlainLoops) {
    Model m;
    const Tokens r = run(m, 4);
    int token = 7;
    for (int p = 0; p < passes; ++p) {
        const Numbers right = expected(m, token, begin + p);
        double off = 0, all = 0;
        int best = 0;
        for (int n = 0; n < vocabulary; ++n) {
            const float x = r.logits[at(p * vocabulary + n)];
            off += (x - right[at(n)]) * (x - right[at(n)]), all += right[at(n)] * right[at(n)];
            if (x > r.logits[at(p * vocabulary + best)]) best = n;
        }
        EXPECT_LT(std::sqrt(off / all), 4e-3) << "pass " << p;
        EXPECT_EQ(r.tokens[at(p)], best);
        token = r.tokens[at(p)];
    }
    for (const int blocks : {1, 3}) {
        const Tokens other = run(m, blocks);
        EXPECT_EQ(other.tokens, r.tokens);
        EXPECT_EQ(other.logits, r.logits) << blocks << " blocks";
    }
}
TEST(PersistentDecoder, LogitsThatAreNoNumbersNameATokenOfTheVocabulary) {
    Model m;
    m.shift.d = std::make_unique<Device<fp16>>(std::vector<fp16>(at(width), fp16(NAN)));
    EXPECT_EQ(run(m, 3).tokens, std::vector<int>(at(passes), 0));
}
TEST(PersistentDecoder, StopsBeforeItReadsOrWritesOutside) {
    const Model m;
    for (const DecoderState& from : {DecoderState{7, capacity - passes + 2, 0}, DecoderState{7, -1, 0},
                                     DecoderState{vocabulary, begin, 0}, DecoderState{-1, begin, 0}})
        try {
            run(m, 3, from);
            ADD_FAILURE() << "token " << from.token << ", position " << from.position;
        } catch (const Error& e) {
            EXPECT_SAYS(e.what(), "a kernel stopped itself");
        }
}
TEST(PersistentDecoder, RefusesBlocksThatWouldWaitForEver) {
    Launcher l(0, nullptr);
    DecoderArguments<fp16> a{};
    a.passes = 1, a.layer_count = 1;
    const auto sentence = [&](int blocks) -> std::string {
        try {
            decode_persistently<Sizes>(l, a, blocks);
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_SAYS(sentence(9), "a persistent launch has 9 blocks that wait for each other, of which 8 are resident");
    EXPECT_SAYS(sentence(10), "has 10 blocks, expected 1 to 9");
    EXPECT_SAYS(sentence(0), "has 0 blocks, expected 1 to 9");
    EXPECT_EQ(most_decoder_blocks<Narrow>(), 96);  // pairs of columns of queries, keys and values
}

}  // namespace

}  // namespace emulator_test
