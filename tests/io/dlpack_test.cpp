// SPDX-License-Identifier: Apache-2.0
/// Tensors taken and given by DLPack. What NumPy, PyTorch and JAX make of them is tested by dlpack/python_test.py.
#include <inlay/inlay.hpp>
#include <inlay/io/dlpack.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace {

using namespace inlay;
using io::from_dlpack, io::to_dlpack;

/// [2, 3] of fp32, dense: a tensor as another library hands it over.
struct Given {
    std::vector<float> values = {0, 1, 2, 3, 4, 5};
    std::int64_t extents[2] = {2, 3}, strides[2] = {3, 1};
    DLTensor tensor{values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, extents, nullptr, 0};
};

TEST(Dlpack, TakesATensorWithoutACopy) {
    Given g;
    const auto dense = from_dlpack<const float, 2>(g.tensor);
    EXPECT_EQ(dense.data, g.values.data());
    EXPECT_EQ(dense.extents, (Extents<2>{{2, 3}}));
    EXPECT_EQ(dense.strides, (Extents<2>{{3, 1}}));

    g.extents[0] = 3, g.extents[1] = 1;         // the last column from below an offset, by strides
    g.strides[0] = 2, g.strides[1] = 7;
    g.tensor.strides = g.strides;
    g.tensor.byte_offset = sizeof(float);
    const auto strided = from_dlpack<float, 2>(g.tensor);
    EXPECT_EQ(strided({{2, 0}}), 5.0f);
    strided({{0, 0}}) = 9;
    EXPECT_EQ(g.values[1], 9.0f);
}

TEST(Dlpack, TakesAScalarAndATensorOfNothing) {
    Given g;
    g.tensor.ndim = 0;
    g.tensor.shape = nullptr;
    EXPECT_EQ((from_dlpack<const float, 0>(g.tensor)({})), 0.0f);
    g = {};
    g.tensor.shape = g.extents;
    g.extents[0] = 0;
    g.tensor.data = nullptr;
    EXPECT_EQ((from_dlpack<const float, 2>(g.tensor).size()), 0);
}

template <class T>
DLDataType type_given() {
    T value{};
    DLManagedTensor* const m = to_dlpack(tensor(&value, 1), 0);
    const DLDataType t = m->dl_tensor.dtype;
    m->deleter(m);
    return t;
}
template <class T>
void expect_type(unsigned code, unsigned bits) {
    const DLDataType t = type_given<T>();
    EXPECT_EQ(t.code, code);
    EXPECT_EQ(t.bits, bits);
    EXPECT_EQ(t.lanes, 1);
}
TEST(Dlpack, HasACodeForEachStorageType) {  // of dlpack.h, as numbers
    expect_type<double>(2, 64);
    expect_type<float>(2, 32);
    expect_type<fp16>(2, 16);
    expect_type<bf16>(4, 16);
    expect_type<fp8>(10, 8);
    expect_type<std::int32_t>(0, 32);
}

TEST(Dlpack, LendsATensorWithItsOwner) {
    auto owner = std::make_shared<std::vector<float>>(6, 2.0f);
    const std::weak_ptr<std::vector<float>> alive = owner;
    const Tensor<float, 2> columns(owner->data(), {{3, 2}}, {{1, 3}});
    DLManagedTensor* const m = to_dlpack(columns, std::move(owner));
    EXPECT_EQ(m->dl_tensor.ndim, 2);
    EXPECT_EQ(m->dl_tensor.shape[0], 3);
    EXPECT_EQ(m->dl_tensor.strides[1], 3);
    EXPECT_EQ(m->dl_tensor.device.device_type, kDLCPU);
    EXPECT_FALSE(alive.expired());
    {
        const auto back = from_dlpack<float, 2>(m);  // gives it back at its end
        EXPECT_EQ(back->data, columns.data);
        EXPECT_EQ((*back).strides, columns.strides);
    }
    EXPECT_TRUE(alive.expired());
}

TEST(Dlpack, AKernelRunsOnBoth) {
    Given x;
    x.extents[0] = 3, x.extents[1] = 2;  // transposed
    x.strides[0] = 1, x.strides[1] = 3;
    x.tensor.strides = x.strides;
    std::vector<float> values(6);
    DLManagedTensor* const y = to_dlpack(tensor(values.data(), 3, 2), 0);
    Host cpu(1);
    prepare<Elementwise<Mul<Buf<0>, Buf<0>>>>(from_dlpack<float, 2>(y->dl_tensor),
                                              from_dlpack<const float, 2>(x.tensor))
        .run(cpu);
    EXPECT_EQ(values, (std::vector<float>{0, 9, 1, 16, 4, 25}));
    y->deleter(y);
}

/// The sentence without "inlay: ".
template <class T, int R>
std::string error(const DLTensor& t, DLDevice device = io::dlpack_cpu) {
    const std::string s = test::error_of([&] { from_dlpack<T, R>(t, "x", device); });
    return s.starts_with("inlay: ") ? s.substr(7) : s;
}

TEST(Dlpack, AnotherTensorIsOneSentence) {
    Given g;
    EXPECT_EQ((error<const float, 2>(g.tensor)), "no error");
    EXPECT_EQ((error<const float, 3>(g.tensor)), "x [2, 3] has rank 2, expected 3");
    EXPECT_EQ((error<const fp16, 2>(g.tensor)), "x [2, 3] is fp32, expected fp16");
    EXPECT_EQ((error<const bf16, 2>(g.tensor)), "x [2, 3] is fp32, expected bf16");
    EXPECT_EQ((error<const float, 2>(g.tensor, {kDLCUDA, 1})), "x [2, 3] lies on the CPU, expected CUDA device 1");

    const auto of_type = [&](unsigned code, unsigned bits, unsigned lanes = 1) {
        Given t;
        t.tensor.dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits),
                          static_cast<std::uint16_t>(lanes)};
        return error<const float, 2>(t.tensor);
    };
    EXPECT_EQ(of_type(kDLInt, 64), "x [2, 3] is int64, expected fp32");
    EXPECT_EQ(of_type(kDLUInt, 8), "x [2, 3] is uint8, expected fp32");
    EXPECT_EQ(of_type(5, 64), "x [2, 3] is complex64, expected fp32");
    EXPECT_EQ(of_type(6, 8), "x [2, 3] is bool8, expected fp32");
    EXPECT_EQ(of_type(17, 4), "x [2, 3] is type 17 of 4 bits, expected fp32");
    EXPECT_EQ(of_type(kDLFloat, 32, 4), "x [2, 3] is 4 lanes of fp32, expected fp32");

    const auto on = [&](DLDevice device) {
        Given t;
        t.tensor.device = device;
        return error<const float, 2>(t.tensor);
    };
    EXPECT_EQ(on({kDLCUDA, 0}), "x [2, 3] lies on CUDA device 0, expected the CPU");
    EXPECT_EQ(on({kDLROCM, 1}), "x [2, 3] lies on ROCm device 1, expected the CPU");
    EXPECT_EQ(on({kDLMetal, 2}), "x [2, 3] lies on device 2 of type 8, expected the CPU");
    EXPECT_EQ(on({kDLCUDAHost, 0}), "no error");  // pinned
    g.tensor.device = {kDLCUDAManaged, 0};
    EXPECT_EQ((error<const float, 2>(g.tensor, {kDLCUDA, 1})), "no error");
    g.tensor.device = {kDLCUDA, 0};
    EXPECT_EQ((error<const float, 2>(g.tensor, {kDLCUDA, 1})),
              "x [2, 3] lies on CUDA device 0, expected CUDA device 1");
}

TEST(Dlpack, StridesAndAddressesThatNoTensorHasAreOneSentence) {
    Given g;
    g.tensor.strides = g.strides;
    g.strides[0] = -3;
    EXPECT_EQ((error<const float, 2>(g.tensor)),
              "x [2, 3] has the stride -3 along axis 0, expected none below 0: a copy has none");
    g.strides[0] = 0;  // broadcast, to be read
    EXPECT_EQ((error<const float, 2>(g.tensor)), "no error");
    g.tensor.byte_offset = 2;
    EXPECT_EQ((error<const float, 2>(g.tensor)), "x [2, 3] begins at an address that is no multiple of its 4 bytes");
    g.tensor.byte_offset = 0;
    g.tensor.shape = nullptr;
    EXPECT_EQ((error<const float, 2>(g.tensor)), "x has no shape");
}

TEST(Dlpack, WhatThrowsHasTakenNothing) {
    auto owner = std::make_shared<std::vector<float>>(6);
    const std::weak_ptr<std::vector<float>> alive = owner;
    float* const p = owner->data();
    DLManagedTensor* const m = to_dlpack(tensor(p, 6), std::move(owner));
    EXPECT_EQ(test::error_of([&] { from_dlpack<float, 2>(m, "x"); }), "inlay: x [6] has rank 1, expected 2");
    EXPECT_FALSE(alive.expired());
    m->deleter(m);
    EXPECT_TRUE(alive.expired());
}

TEST(Dlpack, ATensorWithoutADeleterIsGivenBackToNobody) {
    Given g;
    DLManagedTensor m{g.tensor, nullptr, nullptr};
    EXPECT_EQ((from_dlpack<float, 2>(&m)->size()), 6);
}

TEST(Dlpack, SaysThatATensorIsOnlyRead) {
#if defined(DLPACK_MAJOR_VERSION)
    std::vector<float> values(6);
    const Tensor<const float, 1> read_only = tensor(values.data(), 6);
    DLManagedTensorVersioned* const m = io::to_dlpack_versioned(read_only, 0);
    EXPECT_EQ(m->version.major, static_cast<unsigned>(DLPACK_MAJOR_VERSION));
    EXPECT_EQ(m->flags, 1u);
    EXPECT_EQ(test::error_of([&] { from_dlpack<float, 1>(m, "x"); }),
              "inlay: x is only to be read, expected one to write");
    m->version.major = 7;
    EXPECT_EQ(test::error_of([&] { from_dlpack<const float, 1>(m, "x"); }), "inlay: x is of DLPack 7, expected 1");
    m->version.major = DLPACK_MAJOR_VERSION;
    EXPECT_EQ((from_dlpack<const float, 1>(m)->data), values.data());

    DLManagedTensorVersioned* const writable = io::to_dlpack_versioned(tensor(values.data(), 6), 0);
    EXPECT_EQ(writable->flags, 0u);
    EXPECT_EQ((from_dlpack<float, 1>(writable)->data), values.data());
#else
    GTEST_SKIP() << "dlpack.h is older than 1.0, which has no versioned tensors";
#endif
}

}  // namespace
