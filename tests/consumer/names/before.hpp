// SPDX-License-Identifier: Apache-2.0
/// What Inlay includes of others, before their names are taken: the standard's headers would not survive that either.
#include <bits/stdc++.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__CUDACC__)
#include <cuda.h>
#include <cuda_runtime.h>
#else
#include <nlohmann/json.hpp>
#include <png.h>
#include <utf8proc.h>
#endif
