// SPDX-License-Identifier: Apache-2.0
/// Byte-pair encoding of one word over a byte-level vocabulary. The last symbol of a word may end in a mark: `</w>` in
/// CLIP's, nothing in GPT-2's.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/io/text.hpp>
#include <inlay/io/tokenizer/byte_symbols.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

using Vocabulary = std::unordered_map<std::string, std::int32_t>;
using Merges = std::vector<std::pair<std::string, std::string>>;

class BytePairEncoder {
public:
    /// `unknown` stands for bytes without a symbol; if it is negative they are left out. `mark` ends the last symbol of
    /// a word. Throws when a merge joins or makes a token that has no id.
    BytePairEncoder(const Vocabulary& vocabulary, const Merges& merges, std::int32_t unknown,
                    std::string_view mark = word_end) {
        const auto id = [&](const std::string& token) {
            const auto it = vocabulary.find(token);
            require(it != vocabulary.end(), "the merges use ", quote(token), ", which the vocabulary lacks");
            return it->second;
        };
        for (std::size_t b = 0; b < 256; ++b) {
            const std::string symbol = byte_symbol(static_cast<unsigned char>(b));
            const auto inner = vocabulary.find(symbol), last = vocabulary.find(symbol + std::string(mark));
            inner_[b] = inner == vocabulary.end() ? unknown : inner->second;
            last_[b] = last == vocabulary.end() ? unknown : last->second;
        }
        pairs_.reserve(merges.size());
        for (std::size_t rank = 0; rank < merges.size(); ++rank) {
            const auto& [left, right] = merges[rank];
            const std::int32_t first = id(left), second = id(right);
            pairs_[key(first, second)] = {static_cast<std::int32_t>(rank), id(left + right)};
        }
    }

    /// Appends the ids of `word` (any bytes). Merges go by rank, then from the left: n log n in the word's length.
    void encode(std::string_view word, std::vector<std::int32_t>& out) const {
        std::vector<Symbol> symbols;
        symbols.reserve(word.size());
        for (std::size_t i = 0; i < word.size(); ++i) {
            const auto b = static_cast<unsigned char>(word[i]);
            const std::int32_t id = i + 1 < word.size() ? inner_[b] : last_[b];
            const auto at = static_cast<std::int32_t>(symbols.size());
            if (id >= 0) symbols.push_back({id, at - 1, at + 1});
        }
        if (symbols.empty()) return;
        symbols.back().next = -1;
        const std::int32_t count = static_cast<std::int32_t>(symbols.size());
        const auto at = [&](std::int32_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };

        // (rank, position of the left symbol, id it makes); an entry is stale once either symbol has changed.
        using Candidate = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
        std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
        const auto offer = [&](std::int32_t i) {
            if (i < 0 || at(i).next < 0) return;
            const auto it = pairs_.find(key(at(i).id, at(at(i).next).id));
            if (it != pairs_.end()) queue.emplace(it->second.rank, i, it->second.id);
        };
        for (std::int32_t i = 0; i + 1 < count; ++i) offer(i);
        while (!queue.empty()) {
            const auto [rank, i, id] = queue.top();
            queue.pop();
            if (at(i).id < 0 || at(i).next < 0) continue;
            const std::int32_t next = at(i).next;
            const auto it = pairs_.find(key(at(i).id, at(next).id));
            if (it == pairs_.end() || it->second.id != id) continue;
            at(i) = {id, at(i).previous, at(next).next};
            at(next).id = -1;
            if (at(i).next >= 0) at(at(i).next).previous = i;
            offer(at(i).previous);
            offer(i);
        }
        for (std::int32_t i = 0; i >= 0; i = at(i).next) out.push_back(at(i).id);
    }

private:
    struct Symbol {
        std::int32_t id, previous, next;  ///< id -1: merged into its left neighbour
    };
    struct Merge {
        std::int32_t rank, id;
    };
    static std::uint64_t key(std::int32_t left, std::int32_t right) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
    }

    std::array<std::int32_t, 256> inner_{}, last_{};
    std::unordered_map<std::uint64_t, Merge> pairs_;
};

}  // namespace inlay::inline INLAY_ABI::io
