# SPDX-License-Identifier: Apache-2.0
"""Tensors between Inlay and NumPy by DLPack, and PyTorch and JAX where they are installed.

python_test.py LIBRARY: the shared library that library.cpp makes."""
import gc

import numpy as np

from capsules import check_close, check_error, library, softmax

random = np.random.default_rng(1)
x = random.standard_normal((7, 13)).astype(np.float32)
wide = random.standard_normal((9, 30)).astype(np.float32)
versions = [False, True] if hasattr(library, "softmax_versioned") and np.lib.NumpyVersion(np.__version__) >= "2.1.0" \
    else [False]
for versioned in versions:
    label = "versioned" if versioned else "unversioned"
    for name, array, tolerance in [
            ("dense", x, 1e-6), ("transposed", x.T, 1e-6), ("columns apart", wide[1:8:2, 3:29:2], 1e-6),
            ("fp16", x.astype(np.float16), 1e-3), ("one row", x[:1], 1e-6), ("no rows", x[:0], 1e-6)]:
        y = np.from_dlpack(softmax(array, versioned))
        assert y.shape == array.shape and y.dtype == array.dtype
        if array.size:
            check_close(f"NumPy, {name}, {label}", y, array, tolerance)
    assert library.alive() == 1
    del y
    gc.collect()
    assert library.alive() == 0, f"{library.alive()} results are still there"
    for name, array, sentence in [
            ("fp64", x.astype(np.float64), "x [7, 13] is fp64, expected fp32"),
            ("int64", np.arange(6).reshape(2, 3), "x [2, 3] is int64, expected fp32"),
            ("rank", x[0], "x [13] has rank 1, expected 2"),
            ("reversed", x[:, ::-1],
             "x [7, 13] has the stride -1 along axis 1, expected none below 0: a copy has none")]:
        check_error(f"NumPy, {name}, {label}", "inlay: " + sentence, lambda: softmax(array, versioned))

if True in versions:
    frozen = x.copy()
    frozen.flags.writeable = False
    y = np.from_dlpack(softmax(frozen, True))
    check_close("NumPy, an array that is only read", y, x, 1e-6)
    assert not y.flags.writeable
try:
    import torch
except ImportError:
    print("skipped PyTorch: it is not installed")
else:
    for dtype, tolerance in [(torch.float32, 1e-6), (torch.float16, 1e-3), (torch.bfloat16, 8e-3)]:
        t = torch.from_numpy(wide).to(dtype)[::2, 5:20].T
        for versioned in versions:
            y = torch.from_dlpack(softmax(t, versioned))
            assert y.dtype == dtype and y.shape == t.shape
            check_close(f"PyTorch, {dtype}, {'' if versioned else 'un'}versioned", y.double(), t.double(), tolerance)
try:
    import jax
except ImportError:
    print("skipped JAX: it is not installed")
else:
    j = jax.numpy.asarray(x)
    for versioned in versions:
        y = jax.dlpack.from_dlpack(softmax(j, versioned))
        check_close(f"JAX, {'' if versioned else 'un'}versioned", np.asarray(y), x, 1e-6)
