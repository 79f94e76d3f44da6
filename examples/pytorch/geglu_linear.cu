// SPDX-License-Identifier: Apache-2.0
#include "geglu_linear.cpp"
