// SPDX-License-Identifier: Apache-2.0
/// Every demand of frames, views and sinks on what is known only at run time, with what breaks it and the sentence that
/// says so. Each comes from `prepare`, with the kernel's name, and blames what is wrong.
#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/conv_transpose2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace {

using namespace inlay;

std::vector<float> memory(100000);
std::int32_t ids[4] = {};
template <class... I>
auto t(I... extents) {
    return tensor(memory.data(), extents...);
}

/// Prepares K, which refuses its arguments with "inlay: K: …said".
template <class K, class... Args>
void refuses(const std::string& said, const Args&... args) {
    try {
        prepare<K>(args...);
        ADD_FAILURE() << name<K>() << " accepts what it should refuse: " << said;
    } catch (const Error& e) {
        const std::string sentence = e.what(), kernel = "inlay: " + std::string(name<K>()) + ": ";
        EXPECT_TRUE(sentence.starts_with(kernel)) << sentence;
        EXPECT_TRUE(sentence.ends_with(said)) << sentence << "\nexpected: " << said;
    }
}

TEST(Misfits, Linear) {
    struct plain : Linear<> {};
    struct gates : Linear<Buf<0>, Mul<Out, OutGate>> {};
    struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
    const Tensor<float, 2> transposed(memory.data(), {{3, 4}}, {{1, 3}}), spaced(memory.data(), {{3, 4}}, {{8, 1}});
    refuses<plain>(": the input [2, 5] has K = 5, the weight [3, 4] has K = 4", t(2, 3), t(3, 4), t(2, 5));
    refuses<plain>(": the weight [3, 4] is not dense", t(2, 3), transposed, t(2, 4));
    refuses<plain>(": the weight [3, 4] is not dense", t(2, 3), spaced, t(2, 4));
    refuses<plain>(": the input [2, 5, 4] and the weight [7, 3, 4] have different batches", t(2, 5, 3), t(7, 3, 4),
                   t(2, 5, 4));
    refuses<gates>(": the weight [24, 4] has 24 rows, expected pairs of 16", t(2, 12), t(24, 4), t(2, 4));
    refuses<plain>("the output takes [2, 4], the kernel computes [2, 3]", t(2, 4), t(3, 4), t(2, 4));
    refuses<biased>("the epilogue Add<Out, Buf<1>> has extents [5, 3], the kernel's result has [1, 3]", t(1, 3),
                    t(3, 4), t(1, 4), t(5, 3));
    refuses<biased>("Add<Out, Buf<1>>: cannot broadcast [2, 3] with [4]", t(2, 3), t(3, 4), t(2, 4), t(4));
}

TEST(Misfits, Conv2D) {
    struct filter : Conv2D<Filter<3>> {};
    struct unpadded : Conv2D<Filter<3, 3, 1, 0>> {};
    struct three : Conv2D<Filter<3, 3, 1, 1, 1, 1, 3>> {};
    refuses<filter>(": the weight [8, 1, 1, 4] is not 3x3 (PyTorch's [O, C, R, S] is permuted to [O, R, S, C])",
                    t(1, 5, 5, 8), t(8, 1, 1, 4), t(1, 5, 5, 4));
    refuses<filter>(
        ": the input [1, 5, 5, 3] has 3 channels (the last extent: images are NHWC), the weight "
        "[8, 3, 3, 4] takes 4 in each of 1 groups",
        t(1, 5, 5, 8), t(8, 3, 3, 4), t(1, 5, 5, 3));
    refuses<three>(": the 8 output channels of the weight [8, 3, 3, 2] are not a multiple of 3 groups", t(1, 5, 5, 8),
                   t(8, 3, 3, 2), t(1, 5, 5, 6));
    refuses<three>(
        ": the input [1, 5, 5, 4] has 4 channels (the last extent: images are NHWC), the weight "
        "[9, 3, 3, 2] takes 2 in each of 3 groups",
        t(1, 5, 5, 9), t(9, 3, 3, 2), t(1, 5, 5, 4));
    refuses<unpadded>(": the window is larger than the padded image [1, 2, 5, 4]", t(1, 0, 3, 8), t(8, 3, 3, 4),
                      t(1, 2, 5, 4));
    const Tensor<float, 4> wide(memory.data(), {{1, 5, index_t(1) << 30, 4}}, {{0, 0, 0, 1}}),
        swapped(memory.data(), {{8, 3, 3, 4}}, {{36, 12, 1, 3}});
    refuses<filter>(": the input [1, 5, 1073741824, 4] has an extent of 2^30 or more", t(1, 5, 5, 8), t(8, 3, 3, 4),
                    wide);
    refuses<filter>(": the weight [8, 3, 3, 4] is not dense", t(1, 5, 5, 8), swapped, t(1, 5, 5, 4));
    struct larger : ConvTranspose2D<4, 2, 1> {};
    refuses<larger>("the output takes [1, 5, 6, 8], the kernel computes [1, 6, 6, 8]", t(1, 5, 6, 8), t(8, 4, 4, 4),
                    t(1, 3, 3, 4));
}

TEST(Misfits, Attention) {
    struct attend : Attention<8, Buf<0>, Buf<1>, Buf<2>> {};
    const auto q = t(2, 4, 5, 8), k = t(2, 2, 7, 8);
    refuses<attend>(": the head dimension is 8, Q is [2, 4, 5, 8], K is [2, 2, 7, 4], V is [2, 2, 7, 4]", q, q,
                    t(2, 2, 7, 4), t(2, 2, 7, 4));
    refuses<attend>(": K has 7 keys, V 5", q, q, k, t(2, 2, 5, 8));
    refuses<attend>(": K has 2 heads, V 4", q, q, k, t(2, 4, 7, 8));
    refuses<attend>(": Q has a batch of 2, K of 1, V of 1", q, q, t(1, 2, 7, 8), t(1, 2, 7, 8));
    refuses<attend>(": Q has a batch of 2, K of 2, V of 3", q, q, k, t(3, 2, 7, 8));
    refuses<attend>(": 4 query heads are not a multiple of 3 key heads", q, q, t(2, 3, 7, 8), t(2, 3, 7, 8));
    refuses<attend>(": 4 query heads are not a multiple of 0 key heads", q, q, t(2, 0, 7, 8), t(2, 0, 7, 8));
}

TEST(Misfits, Norms) {
    struct layer : LayerNorm<> {};
    struct rms : RMSNorm<> {};
    struct groups : GroupNorm<3> {};
    refuses<layer>(": the input [6, 8] has 8 channels, gamma has 4", t(6, 8), t(4), t(8), t(6, 8));
    refuses<layer>(": the input [6, 8] has 8 channels, beta has 1", t(6, 8), t(8), t(1), t(6, 8));
    refuses<rms>(": the input [6, 8] has 8 channels, gamma has 9", t(6, 8), t(9), t(6, 8));
    refuses<groups>(": 8 channels are not a multiple of 3 groups", t(6, 8), t(8), t(8), t(6, 8));
}

TEST(Misfits, Reductions) {
    struct most : Reduce<reduction::Max, Axes<0>> {};
    struct sum : Reduce<reduction::Sum> {};
    refuses<most>(
        ": the input [0, 8] has no elements along the reduced axes, of which there would be a maximum or "
        "minimum",
        t(1, 8), t(0, 8));
    refuses<sum>("the output takes [6], the kernel computes [1]", t(6), t(6));
}

/// An elementwise kernel of one slot.
template <class E, class S = Store<0>>
struct of : Elementwise<E, S> {};

TEST(Misfits, Views) {
    refuses<of<Buf<0>>>(": the output takes [6, 8], the expression has extents [5, 8]", t(6, 8), t(5, 8));
    refuses<of<Add<Buf<0>, Buf<1>>>>("cannot broadcast [6, 8] with [6, 7]", t(6, 8), t(6, 8), t(6, 7));
    refuses<of<Slice<Buf<0>, -1, 2, 7>>>(": [2, 9) is outside axis 1 of [6, 8]", t(6, 7), t(6, 8));
    refuses<of<Reshape<Buf<0>, 5, -1>>>(": [6, 8] has 48 elements, [5, 9] has 45", t(5, 9), t(6, 8));
    refuses<of<Reshape<Buf<0>, 7, 7>>>(": [6, 8] has 48 elements, [7, 7] has 49", t(7, 7), t(6, 8));
    refuses<of<Reshape<Buf<0>, 0, -1>>>(
        ": any extent of axis 1 gives 0 elements, so it cannot be inferred from "
        "[0, 8]",
        t(0, 1), t(0, 8));
    refuses<of<Reshape<Buf<0>, 0, -1>>>(": [6, 8] has 48 elements, [0, 0] has 0", t(0, 0), t(6, 8));
    refuses<of<Concat<0, Buf<0>, Buf<1>>>>(": operands [6, 8] and [6, 7] differ off axis 0", t(12, 8), t(6, 8),
                                           t(6, 7));
    refuses<of<Broadcast<Buf<0>, Buf<1>>>>(": cannot broadcast [6, 8] to [6, 1]", t(6, 8), t(6, 8), t(6, 1));
    refuses<of<Im2col<Buf<0>, 3, 3>>>(": the window is larger than the padded image [1, 2, 5, 4]", t(1, 0, 3, 36),
                                      t(1, 2, 5, 4));
    refuses<of<Gather<Buf<0>, Buf<1>, 1>>>(": the table [6, 0] has nothing along axis 1 that an index could name",
                                           t(6, 4), t(6, 0), tensor(ids, 4));
}

TEST(Misfits, ScalarsThatDecideExtents) {
    using Part = of<Slice<Buf<0>, param<0>, param<1>, param<2>>>;
    const float live = 1;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    refuses<Part>("Param<0> decides the extents of a view, so it must be bound by value, not by pointer", t(6, 4),
                  t(6, 8), &live, 0, 4);
    const std::string fraction = ", but decides the extents of a view: expected an integer";
    refuses<Part>("Param<1> is 0.5" + fraction, t(6, 4), t(6, 8), -1, 0.5, 4);
    refuses<Part>("Param<2> is 3.999" + fraction, t(6, 4), t(6, 8), -1, 0, 3.999);
    refuses<Part>("Param<2> is nan" + fraction, t(6, 4), t(6, 8), -1, 0, nan);
    refuses<Part>("Param<2> is 1e+30" + fraction + " of at most 2^54", t(6, 4), t(6, 8), -1, 0, 1e30);
    refuses<Part>("Param<0> is inf" + fraction + " of at most 2^54", t(6, 4), t(6, 8), 1 / 0.0, 0, 4);
    refuses<Part>(": axis 2 does not exist in a tensor of rank 2", t(6, 4), t(6, 8), 2, 0, 4);
    refuses<Part>(": axis -3 does not exist in a tensor of rank 2", t(6, 4), t(6, 8), -3, 0, 4);
    refuses<Part>(": takes 4 elements from -1, expected numbers that are not negative", t(6, 4), t(6, 8), 1, -1, 4);
    refuses<Part>(": takes -4 elements from 1, expected numbers that are not negative", t(6, 4), t(6, 8), 1, 1, -4);
    refuses<of<Pad<Buf<0>, -1, param<0>, 1>>>(": pads by -1 and 1; negative padding is a Slice", t(6, 8), t(6, 8), -1);
    refuses<of<Pad<Buf<0>, -1, param<0>, 1>>>("Param<0> is 1.5" + fraction, t(6, 9), t(6, 8), 1.5);
    refuses<of<Reshape<Buf<0>, param<0>, 8>>>(": an extent is -2, expected at least 0, or one of -1", t(6, 8), t(6, 8),
                                              -2);
    refuses<of<Reshape<Buf<0>, param<0>, -1>>>(": only one extent may be -1", t(6, 8), t(6, 8), -1);
    refuses<of<Concat<param<0>, Buf<0>, Buf<0>>>>(": axis 2 does not exist in a tensor of rank 2", t(6, 16), t(6, 8),
                                                  2);
}

TEST(Misfits, Sinks) {
    refuses<of<Buf<0>, Strided<Store<0>, 1, 3, 0>>>(": extent 8 of axis 1 is not a multiple of 3", t(6, 8), t(6, 2));
    refuses<of<Buf<0>, Partition<-1, Store<0>, Store<1>>>>(": sinks of [6, 4] and [5, 4] differ off axis 1", t(6, 4),
                                                           t(5, 4), t(6, 8));
    refuses<of<Buf<0>, SplitLast<Store<0>>>>(": the output takes [6, 6], the expression has extents [6, 8]", t(6, 2, 3),
                                             t(6, 8));
    refuses<of<Buf<0>, WithStats<Store<0>, 1>>>(
        ": the statistics of [2, 5, 8] have extents [2, 8, 2], the output has "
        "[2, 8, 1]",
        t(2, 5, 8), t(2, 8, 1), t(2, 5, 8));
    refuses<of<Buf<0>, WithStats<Store<0>, 1>>>(": the channels of [2, 0, 8] have no elements, so no mean", t(2, 0, 8),
                                                t(2, 8, 2), t(2, 0, 8));
}

TEST(Misfits, Operands) {
    using plain = of<Buf<0>>;
    refuses<plain>("output 0 has a negative extent: [-6, 8]", t(-6, 8), t(6, 8));
    refuses<plain>("tensor slot 0 has a negative extent: [6, -8]", t(6, 8), t(6, -8));
    const Tensor<float, 2> one_row(memory.data(), {{6, 8}}, {{0, 1}});
    refuses<plain>("output 0 [6, 8] has stride 0 along axis 0, expected an address for each element", one_row, t(6, 8));
}

}  // namespace
