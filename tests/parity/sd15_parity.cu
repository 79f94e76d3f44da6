// SPDX-License-Identifier: Apache-2.0
/// The same comparison with the networks on a GPU.
#include "sd15_parity.cpp"
