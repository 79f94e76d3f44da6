# SPDX-License-Identifier: Apache-2.0
"""Tensors of a GPU between Inlay and PyTorch, CuPy and JAX by DLPack, each where it is installed.

cuda_test.py LIBRARY: the shared library that library.cu makes."""
import gc
import os

import numpy as np

from capsules import CUDA, check_close, check_error, library, softmax

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")     # JAX would take most of the memory
random = np.random.default_rng(1)
x = random.standard_normal((7, 13)).astype(np.float32)
wide = random.standard_normal((9, 30)).astype(np.float32)
versions = [False, True] if hasattr(library, "softmax_versioned") else [False]


def version(versioned):
    return "versioned" if versioned else "unversioned"


try:
    import torch
except ImportError:
    print("skipped PyTorch: it is not installed")
else:
    for dtype, tolerance in [(torch.float32, 1e-6), (torch.float16, 1e-3), (torch.bfloat16, 8e-3)]:
        for versioned in versions:
            t = torch.from_numpy(wide).to("cuda", dtype)[::2, 5:20].T
            y = torch.from_dlpack(softmax(t, versioned, CUDA))
            assert y.dtype == dtype and y.shape == t.shape and y.device == t.device
            check_close(f"PyTorch, {dtype}, {version(versioned)}", y.double().cpu(), t.double().cpu(), tolerance)
    del y
    gc.collect()
    assert library.alive() == 0, f"{library.alive()} results are still there"
    for name, t, sentence in [("fp64", t.double(), "x [15, 5] is fp64, expected fp32"),
                              ("rank", t[0], "x [5] has rank 1, expected 2")]:
        check_error(f"PyTorch, {name}", "inlay: " + sentence, lambda: softmax(t, True, CUDA))
    check_error("PyTorch, the CPU's", "inlay: x [7, 13] lies on the CPU, expected CUDA device 0",
                lambda: softmax(torch.from_numpy(x), True))
try:
    import cupy
except ImportError:
    print("skipped CuPy: it is not installed")
else:
    for versioned in versions:
        for name, c, tolerance in [("dense", cupy.asarray(x), 1e-6), ("fp16", cupy.asarray(x.astype(np.float16)), 1e-3),
                                   ("columns apart", cupy.asarray(wide)[1:8:2, 3:29:2], 1e-6),
                                   ("transposed", cupy.asarray(x).T, 1e-6)]:
            y = cupy.from_dlpack(softmax(c, versioned, CUDA))
            assert isinstance(y, cupy.ndarray) and y.shape == c.shape and y.dtype == c.dtype
            check_close(f"CuPy, {name}, {version(versioned)}", cupy.asnumpy(y), cupy.asnumpy(c), tolerance)
    # CuPy divides a stride of -4 bytes as if it had no sign.
    check_error("CuPy, reversed",
                "inlay: Softmax<Buf<0>, Out, Store<0>, Auto>: tensor slot 0 [7, 13] spans more than 2^54 bytes with the "
                "strides [13, 4611686018427387903]",
                lambda: softmax(cupy.asarray(x)[:, ::-1], False, CUDA))
    del y
    gc.collect()
    assert library.alive() == 0, f"{library.alive()} results are still there"
try:
    import jax
    jax.devices("cuda")
except (ImportError, RuntimeError) as e:
    print(f"skipped JAX on a GPU: {type(e).__name__}: {str(e).splitlines()[0]}")
else:
    for versioned in versions:
        for dtype, tolerance in [(np.float32, 1e-6), (jax.numpy.bfloat16, 8e-3)]:
            j = jax.device_put(x.astype(dtype), jax.devices("cuda")[0])
            y = jax.dlpack.from_dlpack(softmax(j, versioned, CUDA))
            assert y.dtype == j.dtype and y.devices() == j.devices()
            check_close(f"JAX, {np.dtype(dtype)}, {version(versioned)}", np.asarray(y).astype(np.float64),
                        np.asarray(j).astype(np.float64), tolerance)
