// SPDX-License-Identifier: Apache-2.0
/// Masks of attention: intervals by constants and by slots, and conditions that are computed.
#include "attention_cases.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T>
struct AttentionMasks : AttentionCase<T> {};
TYPED_TEST_SUITE(AttentionMasks, AttentionTypes, StorageNames);

TYPED_TEST(AttentionMasks, Windows) {
    this->template expect_all<attentions::window>();
    for (const double keys : {1.0, 16.0, 1000.0}) this->template expect_all<attentions::window_at_run_time>(keys);
    this->template expect_all<attentions::window_softcap>();
}
TYPED_TEST(AttentionMasks, MasksByPosition) {
    this->template expect_all<attentions::prefix>();
    this->template expect_all<attentions::sink_and_window>();
    this->template expect_all<attentions::blocks>();
    this->template expect_all<attentions::every_other>();
    this->template expect_all<attentions::nothing>();
}
TYPED_TEST(AttentionMasks, Documents) {
    for (const AttentionSizes& s : all_shapes) {
        Array<std::int32_t, 4> of_query({{s.b, 1, s.queries, 1}}, 0), of_key({{s.b, 1, 1, s.keys}}, 0);
        // Ids that fp32 cannot tell apart, in runs of 1 to 40 keys.
        const std::int32_t least = 1 << 25;
        for (index_t b = 0; b < s.b; ++b) {
            for (index_t j = 0; j < s.keys; ++j)
                of_key.v[static_cast<std::size_t>(b * s.keys + j)] = least + static_cast<std::int32_t>((j + b) / 23);
            for (index_t i = 0; i < s.queries; ++i)
                of_query.v[static_cast<std::size_t>(b * s.queries + i)] =
                    least + static_cast<std::int32_t>((i + s.keys - s.queries + b) / 23);
        }
        this->template expect<attentions::documents>(s, *of_query, *of_key);
        for (auto& id : of_key.v) id = least + static_cast<std::int32_t>(&id - of_key.v.data()) * 7 % 5;
        for (auto& id : of_query.v) id = least + static_cast<std::int32_t>(&id - of_query.v.data()) % 6;
        this->template expect<attentions::scattered>(s, *of_query, *of_key);
        Array<std::int32_t, 4> length({{s.b, 1, 1, 1}}, 0);
        for (auto& n : length.v) n = static_cast<std::int32_t>((&n - length.v.data()) * 33 % (s.keys + 1));
        this->template expect<attentions::lengths>(s, *length);
    }
}

}  // namespace
