// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/softmax.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct plain : Softmax<> {};
struct scaled_bias : Softmax<Add<Mul<Buf<0>, Param<0>>, Buf<1>>> {};
struct causal
    : Softmax<Where<LessEqual<Coord<-1>, Coord<-2>>, Buf<0>, Const<-std::numeric_limits<double>::infinity()>>> {};
struct doubled_parts : Softmax<Buf<0>, Mul<Out, Const<2.0>>, Partition<-1, Store<0>, Store<1>>> {};
struct permuted_out : Softmax<Buf<0>, Out, Permuted<Store<0>, 0, 2, 1>> {};

template <class T>
struct SoftmaxTest : ::testing::Test {};
TYPED_TEST_SUITE(SoftmaxTest, StorageTypes, StorageNames);

TYPED_TEST(SoftmaxTest, Ragged) {
    for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {3, 5}, {77, 77}, {5, 64}, {2, 4099}, {2, 9001},
                               {1, 20480}, {1, 70000}})
        for (const double mean : {0.0, 1000.0}) {
            const auto x = gaussian<TypeParam>(static_cast<unsigned>(n), mean, 2, m, n);
            expect_oracle<plain, TypeParam>(Extents<2>{{m, n}}, *x);
        }
}

TYPED_TEST(SoftmaxTest, PrologueEpilogueSink) {
    const auto x = normal<TypeParam>(1, 3, 7, 24);
    const auto bias = normal<TypeParam>(2, 7, 24);
    expect_oracle<scaled_bias, TypeParam>(x.extents, *x, *bias, 0.3);
    expect_oracle<causal, TypeParam>(x.extents, *x);
    expect_oracle<doubled_parts, TypeParam>(outputs(Extents<3>{{3, 7, 9}}, Extents<3>{{3, 7, 15}}), *x);
    expect_oracle<permuted_out, TypeParam>(Extents<3>{{3, 24, 7}}, *x);
}

TYPED_TEST(SoftmaxTest, AsExactAsPyTorch) {
    expect_torch<TypeParam>("softmax", [](const TorchCase& t, unsigned seed) {
        const auto x = normal<TypeParam>(seed, t.shape[0], t.shape[1]);
        return compare<plain, TypeParam>(x.extents, *x).error;
    });
}

template <class T>
void expect_special_rows(index_t n) {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    auto x = gaussian<T>(1, 0, 0, 4, n);
    const auto set = [&](index_t i, index_t j, float to) { x.v[static_cast<std::size_t>(i * n + j)] = T(to); };
    for (index_t j = 0; j < n; ++j) set(0, j, -inf);    // NaN, as in PyTorch
    set(1, 5, nan);                                     // NaN
    for (index_t j = 1; j < n; ++j) set(2, j, -inf);    // one-hot
    const auto y = std::get<0>(run<plain, T>(executor(), as_outputs(x.extents), *x));
    index_t wrong = 0;
    for (index_t j = 0; j < n; ++j) {
        wrong += !std::isnan(double(y.at({{0, j}})));
        wrong += !std::isnan(double(y.at({{1, j}})));
        wrong += double(y.at({{2, j}})) != (j == 0 ? 1 : 0);
        wrong += std::abs(double(y.at({{3, j}})) * double(n) - 1) > 1e-6;
    }
    EXPECT_EQ(wrong, 0);
}
TEST(Softmax, SpecialRows) { expect_special_rows<float>(20); }
TEST(Softmax, SpecialLongRows) { expect_special_rows<fp16>(1 << 14); }

TEST(Softmax, Misfits) {
    const auto x = unwritten<float>(2, 3, 10);
    auto y = unwritten<float>(2, 3, 9);
    EXPECT_NE(
        sentence([&] { prepare<plain>(*y, *x); }).find("the output takes [2, 3, 9], the kernel computes [2, 3, 10]"),
        std::string::npos);
}

}  // namespace
