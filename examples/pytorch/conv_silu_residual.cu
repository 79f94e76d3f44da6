// SPDX-License-Identifier: Apache-2.0
#include "conv_silu_residual.cpp"
