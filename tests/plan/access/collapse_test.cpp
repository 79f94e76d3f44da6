// SPDX-License-Identifier: Apache-2.0
/// Axes that join, and that every element is still read and written where it was.
#include <inlay/inlay.hpp>
#include <inlay/plan/access/collapse.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

std::vector<float> memory(1 << 12);
using Image = Tensor<float, 4>;

/// Extents of x + y → out after axes have joined, and the tensors as they are then.
struct Joined {
    Extents<4> e;
    Image out, x, y;
};
Joined joined(Extents<4> e, const Image& out, const Image& x, const Image& y) {
    BoundSink<Store<0>, decltype(make_pack(out))> sink(make_pack(out));
    auto in = bind<Add<Buf<0>, Buf<1>>>(Env<-1, 0, Image, Image>{make_pack(x, y), {}, {}});
    static_assert(collapsible<decltype(sink), decltype(in)>);
    collapse<4>(e, sink, in);
    return {e, get<0>(sink.outs), get<0>(in.env.buffers), get<1>(in.env.buffers)};
}
/// Offsets of a tensor's elements in the order of the kernel's coordinates.
std::vector<index_t> offsets(const Extents<4>& e, const Image& t) {
    std::vector<index_t> all;
    for (index_t i = 0; i < count(e); ++i) {
        const Extents<4> c = unravel(i, e);
        index_t o = 0;
        for (int a = 0; a < 4; ++a) o += (t.extents[a] == 1 ? 0 : c[a]) * t.strides[a];
        all.push_back(o);
    }
    return all;
}
void expect_joined(const Extents<4>& e, const Image& out, const Image& x, const Image& y, const Extents<4>& want) {
    const Joined j = joined(e, out, x, y);
    EXPECT_EQ(j.e, want);
    EXPECT_EQ(offsets(j.e, j.out), offsets(e, out));
    EXPECT_EQ(offsets(j.e, j.x), offsets(e, x));
    EXPECT_EQ(offsets(j.e, j.y), offsets(e, y));
}

const Extents<4> e{{2, 3, 5, 4}};
const Image dense(memory.data(), e);

TEST(Collapse, DenseTensorsAreOneRow) { expect_joined(e, dense, dense, dense, {{1, 1, 1, 120}}); }
TEST(Collapse, AVectorOfChannelsKeepsItsAxis) {
    expect_joined(e, dense, dense, Image(memory.data(), {{1, 1, 1, 4}}), {{1, 1, 30, 4}});
}
TEST(Collapse, AGapKeepsTheAxesAroundIt) {
    const Image padded(memory.data(), e, {{3 * 5 * 8, 5 * 8, 8, 1}}), apart(memory.data(), e, {{100, 20, 4, 1}});
    expect_joined(e, dense, padded, dense, {{1, 1, 30, 4}});
    expect_joined(e, dense, dense, apart, {{1, 1, 2, 60}});
}
TEST(Collapse, AxesInAnotherOrderStay) {
    const Image turned(memory.data(), e, {{60, 4, 12, 1}});
    expect_joined(e, dense, turned, dense, {{2, 3, 5, 4}});
}

}  // namespace
