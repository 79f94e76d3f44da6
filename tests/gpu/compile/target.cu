// SPDX-License-Identifier: Apache-2.0
/// The executor of a GPU is a target, and one that lacks a member is not.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

static_assert(Target<Cuda>);

struct WithoutReduce : Cuda {
    void reduce() = delete;
};
static_assert(!Target<WithoutReduce> && rows_member::in<WithoutReduce>);
