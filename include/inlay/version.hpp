// SPDX-License-Identifier: Apache-2.0
#pragma once

#define INLAY_VERSION_MAJOR 0
#define INLAY_VERSION_MINOR 1
#define INLAY_VERSION_PATCH 0
