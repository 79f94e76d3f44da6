// SPDX-License-Identifier: Apache-2.0
/// The same tests with the networks on a GPU.
#include "tiny_test.cpp"
