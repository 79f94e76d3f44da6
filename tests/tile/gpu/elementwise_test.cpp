// SPDX-License-Identifier: Apache-2.0
/// The kernel of elementwise work with several chunks a thread, of few chunks too: pieces that end inside of one, rows
/// that are no multiple of them.
#include <frame/check.hpp>

#include <inlay/expr/view/concat.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/tile/gpu/elementwise.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs elementwise work with four chunks a thread.
struct FourChunks {
    on_gpu::Launcher& l;

    template <int R, class In, class Sink>
    void map(const Extents<R>& e, const In& in, const Sink& sink) {
        constexpr int lanes = sink_lanes<Sink>;
        Extents<R> chunks = e;
        chunks.back(0) = (e.back(0) + 4 * lanes - 1) / (4 * lanes);
        l.launch<on_gpu::detail::MapBody<lanes, R, In, Sink, 4>>(
            {.blocks = (count(chunks) + 255) / 256, .threads = 256, .overlaps = true},
            {on_gpu::Unravel<R>(chunks), count(chunks), e.back(0), in, sink});
    }
    template <class S>
    void publish_stats(const S&) {}
};
struct negated_first : Elementwise<Concat<-1, Neg<Buf<0>>, Buf<1>>> {};

TEST(Elementwise, FourChunksOfAThread) {
    for (const auto& [a, b] : {std::pair<index_t, index_t>{64, 64}, {40, 60}, {7, 4}, {33, 95}}) {
        SCOPED_TRACE(std::to_string(a) + " and " + std::to_string(b) + " columns");
        Array<fp16, 2> y({{9, a + b}}, std::numeric_limits<double>::quiet_NaN());
        auto first = normal<fp16>(1, 9, a), second = normal<fp16>(2, 9, b);
        Placed to(y), p(first), q(second);
        FourChunks target{executor().launcher()};
        prepare<negated_first>(*to, *p, *q).run(target);
        wait();
        to.fetch();
        for (index_t r = 0; r < 9; ++r)
            for (index_t c = 0; c < a + b; ++c)
                EXPECT_EQ(y.at({{r, c}}), c < a ? -first.at({{r, c}}) : second.at({{r, c - a}})) << r << ", " << c;
    }
}

}  // namespace
