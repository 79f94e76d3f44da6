// SPDX-License-Identifier: Apache-2.0
/// Extents that a plan gives the classes of a layer, against those that the executors compute of bound tensors.
#include <expr/check.hpp>

#include <inlay/rewrite/planner/class_data.hpp>
#include <inlay/rewrite/planner/layer.hpp>

#include <random>

namespace {

using namespace inlay_test;
namespace p = inlay::planner;

template <class Symbol>
p::ClassData data_of(const std::vector<p::ClassData>& operands, const p::Lengths& lengths = {}) {
    return p::detail::data_of<Symbol>::make(operands.data(), lengths);
}
template <int R>
p::ClassData tensor_of(const Extents<R>& e) {
    p::ClassData d;
    d.rank = R;
    for (int i = 0; i < R; ++i) d.extents[i] = e[i];
    return d;
}
std::vector<index_t> listed(const p::ClassData& d) { return {d.extents, d.extents + d.rank}; }

/// E over tensors of extents e...
template <class E, int... R>
void expect_extents(const Extents<R>&... e) {
    const auto want = extents_of<E>(slots(Data<float, R>(e, 0, 0)...));
    EXPECT_EQ(listed(data_of<p::Expression<E>>({tensor_of(e)...})), listed(tensor_of(want))) << name<E>();
}

/// Rows of a table along an axis, by numbers of extents `index`.
template <int Axis>
void expect_gathered(const Extents<2>& table, const Extents<2>& index) {
    using E = Gather<Buf<0>, Buf<1>, Axis>;
    const auto want = extents_of<E>(slots(Data<float, 2>(table, 0, 0), Data<std::int32_t, 2>(index, 0, 0)));
    EXPECT_EQ(listed(data_of<p::Expression<E>>({tensor_of(table), tensor_of(index)})), listed(tensor_of(want)));
}

TEST(ClassData, ViewsOfTheLibrary) {
    std::mt19937 random(1);
    const auto draw = [&](index_t least, index_t most) {
        return std::uniform_int_distribution<index_t>(least, most)(random);
    };
    for (int i = 0; i < 20; ++i) {
        const Extents<4> x{{draw(1, 4), draw(3, 9), draw(3, 9), 4 * draw(1, 5)}};
        const Extents<4> wide{{x[0], x[1], x[2], draw(1, 7)}}, long_one{{x[0], draw(1, 5), x[2], x[3]}};
        expect_extents<Slice<Buf<0>, -1, 1, 3>>(x);
        expect_extents<Slice<Buf<0>, 1, 0, 2>>(x);
        expect_extents<Concat<-1, Buf<0>, Buf<1>>>(x, wide);
        expect_extents<Concat<1, Buf<0>, Buf<1>, Buf<2>>>(x, long_one, x);
        expect_extents<Permute<Buf<0>, 2, 0, 3, 1>>(x);
        expect_extents<Transpose<Buf<0>, 1, -1>>(x);
        expect_extents<Reshape<Buf<0>, -1, 4>>(x);
        expect_extents<Reshape<Buf<0>, 1, 4, -1, 1, 1>>(x);
        expect_extents<Upsample<Buf<0>, 2, 1, 2>>(x);
        expect_extents<Upsample<Buf<0>, 3, -1>>(x);
        expect_extents<Im2col<Buf<0>, 3, 2, 2, 1, 0>>(x);
        expect_extents<Pad<Buf<0>, 1, 2, 1>>(x);
        expect_extents<Pad<Buf<0>, -1, 0, 3>>(x);
        const Extents<2> table{{draw(1, 6), draw(1, 6)}}, index{{draw(1, 4), draw(1, 4)}};
        expect_gathered<0>(table, index);
        expect_gathered<1>(table, index);
    }
}

TEST(ClassData, BroadcastingIsThatOfTheExecutors) {
    const Extents<4> x{{2, 5, 6, 8}}, empty{{0, 5, 6, 8}}, row{{1, 1, 1, 8}};
    const Extents<1> channels{{8}};
    expect_extents<Add<Buf<0>, Buf<1>>>(x, row);
    expect_extents<Add<Buf<0>, Buf<1>>>(channels, x);
    expect_extents<Add<Buf<0>, Mul<Buf<1>, Const<2>>>>(row, row);
    expect_extents<Where<Less<Buf<0>, Buf<1>>, Buf<2>, Const<0>>>(channels, row, x);
    expect_extents<Broadcast<Buf<0>, Buf<1>>>(channels, x);
    // An empty batch stays one beside an extent of 1, on either side.
    expect_extents<Add<Buf<0>, Buf<1>>>(empty, row);
    expect_extents<Add<Buf<0>, Buf<1>>>(row, empty);
    expect_extents<Concat<-1, Buf<0>, Buf<1>>>(empty, empty);
    expect_extents<Reshape<Buf<0>, -1, 8>>(empty);
}

TEST(ClassData, PhasesPinsAndStorageOfOperands) {
    p::ClassData x = tensor_of(Extents<2>{{3, 8}}), v = tensor_of(Extents<1>{{8}}), one;
    x.phase = p::Phase::prompt;
    v.phase = p::Phase::schedule;
    v.fp32 = true;
    v.pin = p::Pin::fuse;
    using sum = p::Expression<Add<Buf<0>, Buf<1>>>;
    EXPECT_EQ(data_of<sum>({x, v}).phase, p::Phase::prompt);
    EXPECT_EQ(data_of<sum>({v, x}).phase, p::Phase::prompt);
    EXPECT_FALSE((data_of<sum>({x, v}).fp32));
    EXPECT_TRUE((data_of<sum>({v, v}).fp32));
    EXPECT_TRUE((data_of<sum>({v, one}).fp32)) << "a number has no storage";
    EXPECT_FALSE((data_of<sum>({one, one}).fp32));
    EXPECT_EQ(data_of<sum>({v, v}).pin, p::Pin::none) << "the sum was not placed by hand";
    EXPECT_EQ(data_of<p::PinSymbol<p::Pin::materialize>>({x}).pin, p::Pin::materialize);
}

TEST(ClassData, FramesAndArrangements) {
    const auto x = tensor_of(Extents<4>{{2, 6, 5, 32}}), tokens = tensor_of(Extents<3>{{2, 30, 32}}),
               heads = tensor_of(Extents<4>{{2, 4, 30, 8}});
    const p::Lengths lengths{2, {6, 5}};
    using extents = std::vector<index_t>;
    EXPECT_EQ(listed(data_of<p::Tokens>({x})), (extents{2, 30, 32}));
    EXPECT_EQ(listed(data_of<p::Image<p::dim<0>, p::dim<1>>>({tokens}, lengths)), (extents{2, 6, 5, 32}));
    EXPECT_EQ(listed(data_of<p::Heads<8>>({x})), (extents{2, 4, 30, 8}));
    EXPECT_EQ(listed(data_of<p::MergedHeads>({heads})), (extents{2, 30, 32}));
    EXPECT_EQ(listed(data_of<p::Part<1, 4>>({tokens})), (extents{2, 30, 8}));
    EXPECT_EQ(listed(data_of<p::Twice>({tokens})), (extents{4, 30, 32}));
    EXPECT_EQ(listed(data_of<p::core::Linear>({tokens, tensor_of(Extents<2>{{7, 32}})})), (extents{2, 30, 7}));
    const auto filter = tensor_of(Extents<4>{{9, 32, 3, 3}});
    EXPECT_EQ(listed(data_of<p::core::Conv2D<Filter<3>>>({x, filter})), (extents{2, 6, 5, 9}));
    EXPECT_EQ(listed(data_of<p::core::Conv2D<Filter<3, 3, 2>>>({x, filter})), (extents{2, 3, 3, 9}));
    EXPECT_EQ(listed(data_of<p::core::Attention<8>>({tensor_of(Extents<4>{{2, 4, 7, 8}}), heads, heads})),
              (extents{2, 4, 7, 8}));
    EXPECT_EQ(listed(data_of<p::core::Reduce<reduction::Sum, Axes<1, -1>>>({x})), (extents{2, 1, 5, 1}));
}

}  // namespace
