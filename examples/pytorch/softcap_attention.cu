// SPDX-License-Identifier: Apache-2.0
#include "softcap_attention.cpp"
