// SPDX-License-Identifier: Apache-2.0
/// Inputs that are copied and those that are evaluated, with the schedule that `explain` names for each.
#include <plan/gemm/decisions.hpp>
#include <report/launches.hpp>

#include <inlay/plan/access/copied.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T, class E, class... Stored>
constexpr bool copied = is_copied_of<T, Bound<E, Env<-1, 0, Tensor<const Stored, 2>...>>>;
template <class E>
constexpr bool copied_halves = copied<fp16, E, fp16, fp16>;

static_assert(copied_halves<Buf<0>>);
static_assert(copied_halves<Slice<Buf<0>, -1, 8, 128>>);
static_assert(copied_halves<Concat<-1, Buf<0>, Buf<1>>>);
static_assert(copied_halves<Pad<Buf<0>, 0, 1, 1>>);
static_assert(copied_halves<Concat<-1, Transpose<Buf<0>, 0, 1>, Slice<Buf<1>, 0, 2, 8>>>);
static_assert(!copied_halves<Silu<Buf<0>>>);
static_assert(!copied_halves<Concat<-1, Buf<0>, Silu<Buf<1>>>>);
static_assert(!copied_halves<Add<Buf<0>, Buf<1>>>);
// A tensor of another type is converted, which is no copy.
static_assert(!copied<fp16, Buf<0>, float>);
static_assert(!copied<fp16, Concat<-1, Buf<0>, Buf<1>>, fp16, bf16>);
static_assert(copied<float, Buf<0>, float>);

struct plain : Linear<> {};
struct silu_input : Linear<Silu<Buf<0>>> {};
struct rounded_input : Linear<Cast<Buf<0>, fp16>> {};

TEST(CopiedInput, ExplainNamesTheScheduleOfEach) {
    const auto schedule = [](const KernelReport& l) { return line("schedule", l, sm80_target); };
    const auto y = shape(8192, 2560), w = shape(2560, 320), x = shape(8192, 320);
    const auto chosen = [](bool evaluated) {
        return decide(product(8192, 2560, 320, DType::f16, 1, true, evaluated), sm80_target);
    };
    EXPECT_EQ(schedule(of<plain>(y, w, x)), text(chosen(false)));
    EXPECT_EQ(schedule(of<silu_input>(y, w, x)), text(chosen(true)));
    EXPECT_EQ(schedule(of<rounded_input>(y, w, shape<float>(8192, 320))), text(chosen(true)));
    EXPECT_NE(text(chosen(false)), text(chosen(true)));
}
/// An index into a table is one into the table of what is evaluated.
TEST(CopiedInput, AChoiceIsOfItsTable) {
    for (const index_t m : {9, 100, 1000, 8192})
        for (const index_t n : {64, 320, 1280}) {
            const Choice c = decide(product(m, n, 1280, DType::f16, 1, true, true), sm80_target).choice;
            ASSERT_LT(c.index, static_cast<int>(std::size(mma_evaluated)));
            EXPECT_EQ(c.schedule.n, mma_evaluated[c.index].n) << m << " " << n;
        }
}

}  // namespace
