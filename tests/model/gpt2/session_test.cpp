// SPDX-License-Identifier: Apache-2.0
#include "tiny.hpp"

#include <inlay/exec/host.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace {

using namespace inlay;
using namespace inlay_test;

using Tokens = std::vector<std::vector<std::int32_t>>;

template <Storage T>
struct Tiny {
    Host host{1};
    TinyGpt2 weights;
    model::Loaded<model::Gpt2<T>, Host> loaded =
        model::Loaded<model::Gpt2<T>, Host>::from(&weights, host, tiny_gpt2_config(), "");

    model::Gpt2Session<T, Host> session(index_t batch, index_t chunk = 128, index_t capacity = 96) {
        return {host, loaded.network, {batch, capacity, chunk}};
    }
};
template <Storage T>
Tiny<T>& tiny() {
    static Tiny<T> t;
    return t;
}

std::int32_t greatest(std::span<const float> logits) {
    return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
}
double relative_l2(std::span<const float> actual, const std::vector<double>& expected) {
    double error = 0, size = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double e = static_cast<double>(actual[i]) - expected[i];
        error += e * e;
        size += expected[i] * expected[i];
    }
    return std::sqrt(error / size);
}
std::vector<float> copied(std::span<const float> s) { return {s.begin(), s.end()}; }

Tokens prompts() {
    Tokens all;
    for (const auto& text : golden_texts()) all.push_back(text.prompt);
    return all;
}

TEST(Gpt2Session, LogitsAndGreedyTokensAreTheGoldenOnesInABatchOfRaggedRows) {
    const auto golden = golden_texts();
    auto session = tiny<float>().session(3);
    session.append(prompts());
    for (std::size_t b = 0; b < 3; ++b)
        EXPECT_LE(relative_l2(session.logits(static_cast<index_t>(b)), golden[b].logits), 2e-6) << b;
    Tokens chosen(3);
    for (int i = 0; i < 64; ++i) {
        Tokens next(3);
        for (std::size_t b = 0; b < 3; ++b) {
            next[b] = {greatest(session.logits(static_cast<index_t>(b)))};
            chosen[b].push_back(next[b][0]);
        }
        session.append(next);
    }
    for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(chosen[b], golden[b].tokens) << b;
}
TEST(Gpt2Session, NarrowTypesStayNear) {
    const auto golden = golden_texts();
    const auto check = [&](auto& of, double tolerance) {
        auto session = of.session(3);
        session.append(prompts());
        for (std::size_t b = 0; b < 3; ++b)
            EXPECT_LE(relative_l2(session.logits(static_cast<index_t>(b)), golden[b].logits), tolerance) << b;
    };
    check(tiny<fp16>(), 4e-3);
    check(tiny<bf16>(), 3e-2);
}
/// The whole text as one prompt, in parts of any length, and token by token.
TEST(Gpt2Session, PartsOfAPromptAreTheWhole) {
    const auto golden = golden_texts()[2];
    auto whole = tiny<float>().session(1);
    whole.append({golden.prompt});
    for (const index_t chunk : {1, 4, 5, 13}) {
        auto parts = tiny<float>().session(1, chunk);
        parts.append({golden.prompt});
        EXPECT_EQ(copied(parts.logits(0)), copied(whole.logits(0))) << chunk;
        EXPECT_EQ(parts.length(0), 13);
    }
}
/// A part of a prompt that is run again for its time stores the same keys and values.
TEST(Gpt2Session, AReplayedPartChangesNoText) {
    const auto golden = golden_texts()[2];
    auto text = tiny<float>().session(1, 8), replayed = tiny<float>().session(1, 8);
    for (auto* s : {&text, &replayed}) s->append({golden.prompt});
    replayed.replay_prompt();
    for (auto* s : {&text, &replayed}) s->append({{5}});
    EXPECT_EQ(copied(replayed.logits(0)), copied(text.logits(0)));
}
/// Rows of a batch do not see each other: each is the row alone, also beside rows that have ended and rows whose prompt
/// ends in another part.
TEST(Gpt2Session, RowsAreThoseAlone) {
    const auto texts = golden_texts();
    auto batch = tiny<float>().session(3, 4);
    batch.append(prompts());
    batch.append({{}, {11}, {}});
    batch.append({{}, {12, 13}, {14}});
    const Tokens whole = {texts[0].prompt, {5, 11, 12, 13}, [&] {
                              auto t = texts[2].prompt;
                              t.push_back(14);
                              return t;
                          }()};
    for (std::size_t b = 0; b < 3; ++b) {
        auto alone = tiny<float>().session(1);
        alone.append({whole[b]});
        EXPECT_EQ(copied(batch.logits(static_cast<index_t>(b))), copied(alone.logits(0))) << b;
        EXPECT_EQ(batch.length(static_cast<index_t>(b)), static_cast<index_t>(whole[b].size()));
    }
}
/// The last position is used, beside a row that is padded, and what is beyond it is refused before anything runs.
TEST(Gpt2Session, TheCapacityIsReachedAndNotPassed) {
    auto session = tiny<float>().session(2, 4, 6), wide = tiny<float>().session(2, 4, 90);
    const Tokens rows = {{1, 2, 3, 4, 5, 6}, {9}};
    session.append(rows);
    wide.append(rows);
    session.append({{}, {8}});
    wide.append({{}, {8}});
    for (index_t b = 0; b < 2; ++b) EXPECT_EQ(copied(session.logits(b)), copied(wide.logits(b)));
    const auto before = copied(session.logits(0));
    const auto error_of = [](auto&& f) -> std::string {
        try {
            f();
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(error_of([&] { session.append({{7}, {1}}); }),
              "inlay: gpt2: row 0 would have 7 tokens, expected at most 6");
    EXPECT_EQ(error_of([&] { session.append({{}, {300}}); }),
              "inlay: gpt2: token 300 of row 1 is none of the vocabulary, expected 0 to 299");
    EXPECT_EQ(error_of([&] { session.append({{}}); }), "inlay: gpt2: 1 rows of tokens, expected 2");
    EXPECT_EQ(error_of([&] { tiny<float>().session(1, 4, 97); }),
              "inlay: gpt2: 97 tokens of prompt and result, expected 1 to 96, the positions of the model");
    EXPECT_EQ(copied(session.logits(0)), before);
}

}  // namespace
