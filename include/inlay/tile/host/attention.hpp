// SPDX-License-Identifier: Apache-2.0
/// Attention of the host executor.
#pragma once

#include <inlay/tile/host/attention/bound.hpp>
