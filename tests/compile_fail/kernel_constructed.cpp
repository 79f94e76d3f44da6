// SPDX-License-Identifier: Apache-2.0
// A kernel constructed from its tensors
// g++: could not convert '…tensor<float, int, int>(y, 4, 4)' from '…Tensor<float, 2>' to '…frame_tag'
// clang++-19: no viable conversion from 'Tensor<storage_type<float>, rank>' (aka 'Tensor<float, rank>') to 'frame_tag'
// nvcc: no suitable user-defined conversion from "…Tensor<…storage_type<float>, 2>" (aka …
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
auto run(float* y, float* x) { return prepare<Softmax<>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
#else
auto run(float* y, float* x) { return Softmax<>(tensor(y, 4, 4), tensor(x, 4, 4)); }
#endif
