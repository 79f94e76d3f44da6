// SPDX-License-Identifier: Apache-2.0
/// The worked example of a target in docs/adding.md: it runs every elementwise kernel, with any expression and sink, on
/// one thread, and counts what it stores.
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

class Counting {
public:
    index_t stored = 0;

    /// y = in over the extents e, to where the sink puts it.
    template <int R, class In, class Sink>
    void map(const Extents<R>& e, const In& in, const Sink& sink) {
        std::vector<double> row(static_cast<std::size_t>(e.back(0)));
        Extents<R> lead = e;
        lead.back(0) = 1;
        for (index_t i = 0; i < count(lead); ++i) {
            const Extents<R> c = unravel(i, lead);
            evaluate(in, c, e.back(0), row.data());
            write(sink, c, e.back(0), row.data());
        }
    }
    template <class S>
    void publish_stats(const S&) {}

private:
    /// n values of an expression from coordinate c along the last axis.
    template <class B, int R>
    void evaluate(const B& bound, const Extents<R>& c, index_t n, double* to) {
        CursorsOf<typename B::expression, B, double> cursors;
        for (index_t done = 0; done < n;) {
            Extents<R> at = c;
            at.back(0) += done;
            Walk<R> walk{at, R - 1, n - done};
            cursors.place(bound, walk, nullptr);
            for (index_t j = 0; j < walk.run; ++j) to[done + j] = cursors.eval(bound, ScalarReader<double>{}, j);
            done += walk.run;
        }
    }
    /// n values to where the sink puts them, in runs.
    template <class S, int R>
    void write(const S& sink, const Extents<R>& c, index_t n, const double* from) {
        sink.row(c, n, [&](auto* p, index_t step, index_t first, index_t run) {
            using T = std::remove_reference_t<decltype(*p)>;
            for (index_t i = 0; i < run; ++i) p[i * step] = to_storage<T>(from[first + i]);
            stored += run;
        });
    }
};
static_assert(map_member::in<Counting> && !Target<Counting>);  // Elementwise alone

struct kernel : Elementwise<Concat<-1, Silu<Buf<0>>, Upsample<Buf<1>, 2, -1>>, Permuted<Store<0>, 1, 0>> {};

TEST(DocsTarget, ComputesWhatTheHostDoes) {
    std::vector<float> a(3 * 5), b(3 * 4), y(3 * 13), z(y);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i) - 7;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
    Host cpu;
    prepare<kernel>(tensor(y.data(), 13, 3), tensor(a.data(), 3, 5), tensor(b.data(), 3, 4)).run(cpu);
    Counting counting;
    prepare<kernel>(tensor(z.data(), 13, 3), tensor(a.data(), 3, 5), tensor(b.data(), 3, 4)).run(counting);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], z[i], 1e-5);
    EXPECT_EQ(counting.stored, 39);
}

}  // namespace
