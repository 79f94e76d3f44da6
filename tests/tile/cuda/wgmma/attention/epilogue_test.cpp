// SPDX-License-Identifier: Apache-2.0
/// The epilogue of attention on sm_90a: an epilogue that reads a residual, to another order of axes.
#include "attentions.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <int I>
using Third = Permute<Reshape<Slice<Buf<0>, 2, I, 1>, 1, 13, 3, 40>, 0, 2, 1, 3>;
struct fused : Attention<40, Third<0>, Third<1>, Third<2>, Silu<Add<Out, Buf<1>>>,
                         Permuted<Store<0>, 0, 2, 1, 3>> {};

TEST(WgmmaAttentionFinish, ViewsEpilogueSink) {
    auto all = normal<fp16>(5, 1, 13, 3, 3, 40);
    auto r = normal<fp16>(6, 1, 3, 13, 40);
    expect_schedule<fused, WithTile<AttentionTile<40, 2, 64>>, fp16>(1, Extents<4>{{1, 13, 3, 40}}, all, r);
}

}  // namespace
