// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/tokenizer/bpe.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace inlay::io;
using Ids = std::vector<std::int32_t>;

/// Letters a, b, c with and without the end of a word, and what the merges make.
struct Toy {
    Vocabulary vocabulary;
    Merges merges;
    explicit Toy(Merges m) : merges(std::move(m)) {
        for (const char* letter : {"a", "b", "c"}) {
            add(letter);
            add(std::string(letter) + "</w>");
        }
        for (const auto& [left, right] : merges) add(left + right);
    }
    void add(const std::string& token) { vocabulary.emplace(token, static_cast<std::int32_t>(vocabulary.size())); }
    Ids encode(std::string_view word) const {
        Ids ids;
        BytePairEncoder(vocabulary, merges, 77).encode(word, ids);
        return ids;
    }
    Ids ids(std::initializer_list<const char*> tokens) const {
        Ids out;
        for (const char* t : tokens) out.push_back(vocabulary.at(t));
        return out;
    }
};

TEST(BytePairEncoder, MergesByRankThenFromTheLeft) {
    const Toy toy({{"b", "c</w>"}, {"a", "b"}, {"a", "a"}, {"aa", "aa"}});
    EXPECT_EQ(toy.encode("abc"), toy.ids({"a", "bc</w>"}));
    EXPECT_EQ(toy.encode("abb"), toy.ids({"ab", "b</w>"}));
    EXPECT_EQ(toy.encode("aaac"), toy.ids({"aa", "a", "c</w>"}));
    EXPECT_EQ(toy.encode("aaaac"), toy.ids({"aaaa", "c</w>"}));
    EXPECT_EQ(toy.encode("a"), toy.ids({"a</w>"}));
    EXPECT_EQ(toy.encode(""), Ids{});
}

TEST(BytePairEncoder, BytesWithoutASymbolAreUnknown) {
    const Toy toy({});
    EXPECT_EQ(toy.encode("axb"), (Ids{toy.vocabulary.at("a"), 77, toy.vocabulary.at("b</w>")}));
}

TEST(BytePairEncoder, MergeWithoutATokenIsAnError) {
    const Toy toy({});
    EXPECT_EQ(test::error_of([&] { BytePairEncoder(toy.vocabulary, {{"a", "x"}}, 0); }),
              "inlay: the merges use 'x', which the vocabulary lacks");
    EXPECT_EQ(test::error_of([&] { BytePairEncoder(toy.vocabulary, {{"a", "b"}}, 0); }),
              "inlay: the merges use 'ab', which the vocabulary lacks");
}

/// The definition, quadratic: again and again the pair of least rank, the leftmost of equals.
TEST(BytePairEncoder, AgreesWithTheDefinitionOnRandomWords) {
    std::mt19937 random(20);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> parts{"a", "b", "c", "a</w>", "b</w>", "c</w>"};
        Merges merges;
        for (int i = 0; i < 12; ++i) {
            std::string left = parts[random() % parts.size()], right = parts[random() % parts.size()];
            if (left.ends_with('>') || std::ranges::find(merges, std::pair(left, right)) != merges.end()) continue;
            merges.emplace_back(left, right);
            parts.push_back(left + right);
        }
        const Toy toy(merges);
        for (int w = 0; w < 20; ++w) {
            std::string word;
            for (std::size_t n = 1 + random() % 40; n > 0; --n) word += static_cast<char>('a' + random() % 3);
            std::vector<std::string> symbols;
            for (std::size_t i = 0; i < word.size(); ++i)
                symbols.push_back(std::string(1, word[i]) + (i + 1 == word.size() ? "</w>" : ""));
            for (;;) {
                std::size_t best = merges.size(), place = 0;
                for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
                    const auto it = std::ranges::find(merges, std::pair(symbols[i], symbols[i + 1]));
                    const auto rank = static_cast<std::size_t>(it - merges.begin());
                    if (rank < best) best = rank, place = i;
                }
                if (best == merges.size()) break;
                symbols[place] += symbols[place + 1];
                symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
            }
            Ids expected;
            for (const std::string& s : symbols) expected.push_back(toy.vocabulary.at(s));
            ASSERT_EQ(toy.encode(word), expected) << word;
        }
    }
}

}  // namespace
