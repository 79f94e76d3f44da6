// SPDX-License-Identifier: Apache-2.0
/// Version of Inlay, and the mark of what a later one drops; docs/stability.md says what a version promises.
#pragma once

#define INLAY_VERSION_MAJOR 0
#define INLAY_VERSION_MINOR 1
#define INLAY_VERSION_PATCH 0

/// One number for #if: 0.1.0 is 100, 1.2.3 is 10203.
#define INLAY_VERSION (INLAY_VERSION_MAJOR * 10000 + INLAY_VERSION_MINOR * 100 + INLAY_VERSION_PATCH)

/// Marks a public name that a later version drops, by two literals: the version since which, and what to write instead.
/// A use of the name is a warning with one sentence; INLAY_ALLOW_DEPRECATED, defined before the include, silences all.
#if defined(INLAY_ALLOW_DEPRECATED)
#define INLAY_DEPRECATED(since, instead)
#else
#define INLAY_DEPRECATED(since, instead) [[deprecated("inlay: deprecated since " since "; write " instead)]]
#endif
