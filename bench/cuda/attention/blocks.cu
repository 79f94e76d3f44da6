// SPDX-License-Identifier: Apache-2.0
/// Masks that leave out blocks of keys: documents of 100 to 1000 tokens, prefix-LM, a window with sinks.
#include "masks.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

/// Ascending ids of documents of 100 to 1000 tokens, [B, S]; bench/attention_torch.py has the same lengths.
std::vector<std::int32_t> document_ids(const Sizes& s) {
    std::vector<std::int32_t> ids;
    std::uint32_t random = 1;
    for (index_t b = 0; b < s.batch; ++b) {
        index_t left = 0;
        std::int32_t id = -1;
        for (index_t i = 0; i < s.keys; ++i, --left) {
            if (left == 0) {
                random = (random * 1103515245u + 12345u) & 0x7fffffffu;
                left = 100 + static_cast<index_t>((random >> 8) % 901);
                ++id;
            }
            ids.push_back(id);
        }
    }
    return ids;
}

/// Documents that see themselves alone, causally. The ids lie on the device, which reads them, and on the host, which
/// counts pairs.
struct DocumentRule : CausalRule {
    const std::int32_t *on_host, *on_device;
    index_t keys;
    DocumentRule(index_t d, const std::int32_t* host, const std::int32_t* device, index_t n)
        : CausalRule(d), on_host(host), on_device(device), keys(n) {}
    __host__ __device__ bool visible(index_t b, index_t q, index_t k) const {
#ifdef __CUDA_ARCH__
        const std::int32_t* const ids = on_device + b * keys;
#else
        const std::int32_t* const ids = on_host + b * keys;
#endif
        return k <= q && ids[q] == ids[k];
    }
};
using Documents = And<Equal<Buf<3>, Ascending<Buf<4>>>, LessEqual<Coord<3>, QueryPosition>>;

struct PrefixRule : CausalRule {
    index_t prefix;
    PrefixRule(index_t d, index_t n) : CausalRule(d), prefix(n) {}
    __host__ __device__ bool visible(index_t, index_t q, index_t k) const { return k < prefix || k <= q; }
};

/// The first keys and a window, as streaming models keep them.
constexpr int first_keys = 4, window = 1024;
struct SinkWindowRule : CausalRule {
    using CausalRule::CausalRule;
    __host__ __device__ bool visible(index_t, index_t q, index_t k) const {
        return k <= q && (k < first_keys || q - k < window);
    }
};
using SinkWindow = And<LessEqual<Coord<3>, QueryPosition>,
                       Or<Less<Coord<3>, Const<first_keys>>, Less<Sub<QueryPosition, Coord<3>>, Const<window>>>>;

}  // namespace

void documents(Bench& bench) {
    for (const Sizes& s : {language, long_language}) {
        const std::vector<std::int32_t> ids = document_ids(s);
        const std::int32_t* on_device = nullptr;
        masked_row(
            bench, "documents", s,
            [&](Case& c) { return DocumentRule(s.d, ids.data(), on_device = c.constant(ids), s.keys); },
            [&](Case&, const Tokens<bf16>& o) {
                return kernel<attend<128, mask::If<Documents>>>(o, tensor(on_device, s.batch, 1, s.queries, 1),
                                                                tensor(on_device, s.batch, 1, 1, s.keys));
            });
    }
}

void prefixes(Bench& bench) {
    for (const Sizes& s : {language, long_language}) {
        const index_t prefix = s.keys / 4;
        masked_row(
            bench, "prefix", s, [&](Case&) { return PrefixRule(s.d, prefix); },
            [&](Case&, const Tokens<bf16>& o) {
                return kernel<attend<128, mask::Prefix<Param<0>>>>(o, static_cast<float>(prefix));
            });
    }
}

void sink_windows(Bench& bench) {
    masked_row(
        bench, "sink_window", long_language, [](Case&) { return SinkWindowRule(long_language.d); },
        [](Case&, const Tokens<bf16>& o) { return kernel<attend<128, mask::If<SinkWindow>>>(o); });
}

}  // namespace inlay_bench
