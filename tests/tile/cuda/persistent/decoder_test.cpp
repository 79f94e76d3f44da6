// SPDX-License-Identifier: Apache-2.0
/// Tokens of a small decoder by persistent launches, against plain loops; the same bits from any number of blocks.
#include "decoder.hpp"

namespace emulator_test {

namespace {

using namespace small_decoder;

struct Narrow : Sizes {
    static constexpr int inner = 512, vocabulary = 50257, winner_bytes = 16 * 132;
};

/// Sees that the logits of a sequence are those of plain loops behind its own tokens, which have the greatest ones.
template <class T>
void expect_right(Model<T>& m, const Tokens& r, int row, const DecoderState& from) {
    const double tolerance = sizeof(T) == 2 ? 4e-3 : 1e-5;
    int token = from.token;
    for (int p = 0; p < passes; ++p) {
        const Numbers right = expected(m, token, from.position + p);
        const float* const logits = r.logits.data() + (row * passes + p) * vocabulary;
        double off = 0, all = 0;
        int best = 0;
        for (int n = 0; n < vocabulary; ++n) {
            const float x = logits[n];
            off += (x - right[at(n)]) * (x - right[at(n)]), all += right[at(n)] * right[at(n)];
            if (x > logits[best]) best = n;
        }
        EXPECT_LT(std::sqrt(off / all), tolerance) << "sequence " << row << ", pass " << p;
        token = r.tokens[at(row * passes + p)];
        EXPECT_EQ(token, best) << "sequence " << row << ", pass " << p;
    }
}

template <class T>
void expect_tokens() {
    Model<T> m;
    const Tokens r = run(m, 4);
    expect_right(m, r, 0, {7, begin, 0});
    for (const int blocks : {1, 3}) {
        const Tokens other = run(m, blocks, {7, begin, 0}, nullptr, blocks == 3 ? 400 : 0);
        EXPECT_EQ(other.tokens, r.tokens);
        EXPECT_EQ(other.logits, r.logits) << blocks << " blocks";
    }
}
TEST(PersistentDecoder, TokensAreThoseOfPlainLoops) { expect_tokens<fp16>(); }
TEST(PersistentDecoder, TokensOfFp32AreThoseOfPlainLoops) { expect_tokens<float>(); }
/// Sequences of a batch at positions of their own: from the first one, in one part of the keys and in all of them, and
/// up to the end of the cache. A row of the cache has 4 keys.
template <class T>
void expect_tokens_of_each(const std::vector<DecoderState>& all, std::initializer_list<int> fewer,
                           std::initializer_list<int> fewer_blocks) {
    Model<T> m;
    std::vector<Numbers> keys, values;
    for (const auto& l : m.layer) keys.push_back(l.keys.v), values.push_back(l.values.v);
    const Tokens r = run_batch<Several<T>>(m, 8, all);
    for (int row = 0; row < static_cast<int>(all.size()); ++row) {
        for (int l = 0; l < layers; ++l)
            m.layer[l].keys.v = cache_of(keys[at(l)], row), m.layer[l].values.v = cache_of(values[at(l)], row);
        expect_right(m, r, row, all[at(row)]);
    }
    for (int l = 0; l < layers; ++l) m.layer[l].keys.v = keys[at(l)], m.layer[l].values.v = values[at(l)];
    // Fewer of them have their tokens as well, one in two parts of its keys.
    const auto first = [&](const std::vector<int>& v, int n) { return std::vector(v.begin(), v.begin() + n); };
    for (const int batch : fewer)
        EXPECT_EQ(run_batch<Several<T>>(m, 8, {all.begin(), all.begin() + batch}, nullptr, batch == 3 ? 400 : 0).tokens,
                  first(r.tokens, batch * passes))
            << batch << " sequences";
    for (const int blocks : fewer_blocks) {
        const Tokens other = run_batch<Several<T>>(m, blocks, all, nullptr, blocks == 5 ? 400 : 0);
        EXPECT_EQ(other.tokens, r.tokens) << blocks << " blocks";
        EXPECT_EQ(other.logits, r.logits) << blocks << " blocks";
    }
}
TEST(PersistentDecoder, EachSequenceOfABatchHasItsOwnTokens) {
    expect_tokens_of_each<fp16>({{7, begin, 0}, {0, 0, 0}, {299, capacity - passes, 0}, {7, begin, 0},
                                 {150, begin + 5, 0}, {31, 3, 0}, {8, 31, 0}, {1, 8, 0}},
                                {1, 3}, {1, 5});
}
TEST(PersistentDecoder, EachSequenceOfABatchOfFp32HasItsOwnTokens) {
    expect_tokens_of_each<float>({{7, begin, 0}, {0, 0, 0}, {299, capacity - passes, 0}, {150, begin + 5, 0}}, {2},
                                 {5});
}
TEST(PersistentDecoder, ASequenceHasTheSameTokensAloneAndInABatch) {
    const Model m;
    const Tokens alone = run(m, 3);
    const Tokens r = run_batch<Several<>>(m, 8, {{7, begin, 0}, {3, 20, 0}});
    EXPECT_EQ(std::vector(r.tokens.begin(), r.tokens.begin() + passes), alone.tokens);
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
    a.passes = 1, a.layer_count = 1, a.batch = 1;
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
    a.batch = 2;
    EXPECT_SAYS(sentence(8), "has 2 sequences, expected 1 to 1");
    EXPECT_EQ(most_decoder_blocks<Narrow>(), 96);  // pairs of columns of queries, keys and values
}

/// Rows of GPT-2 in shared memory of 8.6, 8.0 and 9.0: at least a piece of 24, or one sentence.
TEST(PersistentDecoder, HasRowsOfFp32ForOneSequenceAndForFour) {
    using One = persistent::SizesOf<persistent::Gpt2Small, 4>;
    using Arguments = DecoderArguments<float>;
    on_gpu::Device device;
    const auto rows = [&]<class S>(std::type_identity<S>, int kilobytes) {
        device.shared_bytes = kilobytes * 1024;
        return decoder_ring_rows<S, Arguments>(device);
    };
    const std::type_identity<One> one;
    const std::type_identity<persistent::InBatches<One>> four;
    EXPECT_EQ(rows(one, 99), 24);
    EXPECT_EQ(rows(one, 227), 66);
    EXPECT_EQ(rows(four, 163), 28);
    EXPECT_EQ(rows(four, 227), 49);
    try {
        rows(four, 99);
        ADD_FAILURE() << "four sequences on 99 KB";
    } catch (const Error& e) {
        EXPECT_SAYS(e.what(), "a persistent launch of a decoder of at most 4 texts in fp32 needs room for 24 rows in "
                              "shared memory, the device has it for 7");
    }
}

}  // namespace

}  // namespace emulator_test
