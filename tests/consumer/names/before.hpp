// SPDX-License-Identifier: Apache-2.0
/// Headers of others that Inlay includes, before their names are taken, which those would not survive either.
#include <bits/stdc++.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__CUDACC__)
#include <cuda.h>
#include <cuda_runtime.h>
#else
#include <dlpack/dlpack.h>
#include <nlohmann/json.hpp>
#include <png.h>
#include <utf8proc.h>
#endif
