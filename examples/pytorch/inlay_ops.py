# SPDX-License-Identifier: Apache-2.0
"""The ops of this folder, one a file .cpp, built at the first import: torch.ops.inlay_ops.geglu_linear and so on.

For CUDA too where PyTorch sees a GPU, or with INLAY_OPS_CUDA=1; TORCH_CUDA_ARCH_LIST=9.0a names another architecture
than the GPU's."""
import os
from pathlib import Path

import torch
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
CUDA = os.environ.get("INLAY_OPS_CUDA", str(int(torch.cuda.is_available()))) == "1"
if torch.cuda.is_available():
    # Hopper's matrix instructions need 9.0a, which PyTorch does not choose by itself.
    major, minor = torch.cuda.get_device_capability()
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", f"{major}.{minor}" + "a" * (major == 9))
SOURCES = [path for suffix in [".cpp"] + CUDA * [".cu"] for path in sorted(HERE.glob("*" + suffix))]

cpp_extension.load(
    name="inlay_ops",
    sources=[str(path) for path in SOURCES if path.stem != "overhead"],
    extra_include_paths=[str(HERE.parents[1] / "include")],
    extra_cflags=["-std=c++20", "-O2", "-march=native"],
    extra_cuda_cflags=["-std=c++20", "-O2"],
    with_cuda=CUDA,
    is_python_module=False,
)
