// SPDX-License-Identifier: Apache-2.0
/// Variants of attention, as exact as PyTorch's kernels are of the same mathematics.
#include "check.hpp"

#include <inlay/frame/attention.hpp>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class... Options>
using Of = Attention<64, Buf<0>, Buf<1>, Buf<2>, Options...>;
struct causal : Of<mask::Causal> {};
struct window : Of<mask::Window<Const<40>>> {};
struct slopes
    : Of<mask::Causal, score::Of<Sub<score::Scaled::of<64>, Mul<Buf<3>, Sub<QueryPosition, Coord<3>>>>>> {};
struct softcap : Of<score::Softcap<Const<5>>> {};
struct with_sink : Of<row::Sink<Buf<3>>> {};

template <class T>
struct AttentionVariants : ::testing::Test {
    /// `of_head`: the number of a head, which the variant has in slot 3.
    template <class K>
    static void expect(const char* op, double (*of_head)(double) = nullptr) {
        expect_torch<T>(op, [&](const TorchCase& t, unsigned seed) {
            const index_t b = t.shape[0], h = t.shape[1], sq = t.shape[2], skv = t.shape[3], d = t.shape[4];
            const auto q = normal<T>(seed, b, h, sq, d), k = normal<T>(seed + 10, b, h, skv, d),
                       v = normal<T>(seed + 20, b, h, skv, d);
            if constexpr (inlay::detail::slots_of<K>::tensors == 3) return compare<K, T>(q.extents, *q, *k, *v).error;
            else {
                auto heads = unwritten<float>(h, 1, 1);
                for (index_t i = 0; i < h; ++i)
                    heads.v[static_cast<std::size_t>(i)] = static_cast<float>(of_head(static_cast<double>(i)));
                return compare<K, T>(q.extents, *q, *k, *v, *heads).error;
            }
        });
    }
};
TYPED_TEST_SUITE(AttentionVariants, StorageTypes, StorageNames);

TYPED_TEST(AttentionVariants, AsExactAsPyTorch) {
    this->template expect<causal>("attention causal");
    this->template expect<window>("attention window");
    this->template expect<softcap>("attention softcap");
    this->template expect<slopes>("attention slopes", [](double head) { return std::exp2(-head); });
    this->template expect<with_sink>("attention sink", [](double head) { return 1 - head / 4; });
}

}  // namespace
