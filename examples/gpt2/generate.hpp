// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executors.hpp"

/// Continues the prompt on stdout, as text or as a line for each token; says times on stderr. False when Ctrl-C ended
/// it. `options.seed` is set.
bool generate(const Options& options, Open& open);
