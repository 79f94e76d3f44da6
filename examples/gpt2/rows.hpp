// SPDX-License-Identifier: Apache-2.0
/// The texts of a batch as they grow, and what of them is printed: of one row at once, of more behind the last token.
#pragma once

#include "sampling.hpp"

#include <inlay/io/json_file.hpp>
#include <inlay/io/tokenizer/gpt2.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

class Rows {
public:
    Rows(const Options& o, const inlay::io::Gpt2Tokenizer& tokenizer, const std::vector<std::int32_t>& stop,
         const std::vector<std::int32_t>& prompt)
        : options_(o), tokenizer_(tokenizer), stop_(stop), prompt_(prompt.size()) {
        for (int i = 0; i < o.batch; ++i) {
            const inlay::model::Sampling sampling = sampling_of(o, i);
            rows_.push_back({inlay::model::TokenSampler(sampling), prompt, {}, {}, false, sampling.seed});
        }
    }

    std::vector<std::vector<std::int32_t>> prompts() const {
        return std::vector<std::vector<std::int32_t>>(rows_.size(), rows_[0].ids);
    }
    /// `logits(row)`: behind the row's last token.
    template <class Logits>
    void choose(const Logits& logits) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            Row& row = rows_[i];
            if (row.ended) continue;
            const std::span<const float> of = logits(static_cast<int>(i));
            add(row, row.sampler.choose(of, row.ids, 0, row.ids.size()), of);
        }
    }
    /// Tokens [rows, n] that the target has chosen. How many of them a row took: those behind its end are left out.
    int take(std::span<const std::int32_t> ids, int n) {
        int most = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (int k = 0; k < n && !rows_[i].ended; ++k) {
                add(rows_[i], ids[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(k)], {});
                most = (std::max)(most, k + 1);
            }
        return most;
    }
    /// The token that each row has chosen last; none of a row that has ended.
    std::vector<std::vector<std::int32_t>> last() const {
        std::vector<std::vector<std::int32_t>> all;
        for (const Row& row : rows_) {
            all.emplace_back();
            if (!row.ended) all.back().push_back(row.ids.back());
        }
        return all;
    }
    /// The same, of ended rows too.
    std::vector<std::int32_t> last_of_all() const {
        std::vector<std::int32_t> all;
        for (const Row& row : rows_) all.push_back(row.ids.back());
        return all;
    }
    bool ended() const {
        return std::ranges::all_of(rows_, [](const Row& row) { return row.ended; });
    }
    /// Tokens of all rows behind their prompts.
    std::size_t chosen() const {
        std::size_t n = 0;
        for (const Row& row : rows_) n += row.ids.size() - prompt_;
        return n;
    }
    void finish() {
        for (Row& row : rows_) {
            if (!options_.log_probabilities) say(row, row.stream.finish() + "\n");
            if (rows_.size() > 1) print("[seed " + std::to_string(row.seed) + "]\n" + row.text);
        }
    }

private:
    struct Row {
        inlay::model::TokenSampler sampler;
        std::vector<std::int32_t> ids;  ///< of prompt and result
        inlay::io::TextStream stream;
        std::string text;               ///< not yet printed
        bool ended;
        std::uint64_t seed;
    };

    /// `logits`: those that the token was chosen from, if its log-probability is printed.
    void add(Row& row, std::int32_t id, std::span<const float> logits) {
        row.ids.push_back(id);
        row.ended = std::ranges::find(stop_, id) != stop_.end();
        // A model may have more rows than its tokenizer has tokens.
        const std::string bytes = tokenizer_.contains(id) ? tokenizer_.bytes(id) : "";
        if (options_.log_probabilities) say(row, line(logits, id, bytes));
        else if (!row.ended) say(row, row.stream.add(bytes));
    }
    /// Id, log-probability and text, between tabs.
    static std::string line(std::span<const float> logits, std::int32_t id, const std::string& bytes) {
        char number[64];
        std::snprintf(number, sizeof number, "%d\t%.6f\t", id, inlay::model::log_probability(logits, id));
        return number + inlay::io::Json(inlay::io::unicode::repaired(bytes)).dump() + "\n";
    }
    void say(Row& row, const std::string& text) {
        if (rows_.size() > 1) row.text += text;
        else print(text);
    }
    static void print(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
            inlay::fail(std::string("cannot write to stdout: ") + std::strerror(errno));
    }

    const Options& options_;
    const inlay::io::Gpt2Tokenizer& tokenizer_;
    std::vector<std::int32_t> stop_;
    std::size_t prompt_;
    std::vector<Row> rows_;
};
