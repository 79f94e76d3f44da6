# SPDX-License-Identifier: Apache-2.0
"""Tensors between Inlay and NumPy by DLPack, and PyTorch and JAX where they are installed.

python_test.py LIBRARY: the shared library that library.cpp makes."""
import ctypes
import gc
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])
library.error.restype = ctypes.c_char_p
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
# A capsule keeps the pointer to its name.
NAMES = {name: ctypes.create_string_buffer(name) for name in
         (b"dltensor", b"dltensor_versioned", b"used_dltensor", b"used_dltensor_versioned")}


class Lent:
    """A tensor of Inlay's, which another library takes once."""

    def __init__(self, pointer, name):
        self.pointer, self.name = pointer, name

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return python.PyCapsule_New(self.pointer, NAMES[self.name], None)

    def __dlpack_device__(self):
        return (1, 0)


def softmax(x, versioned=False):
    """`versioned` allows the newer capsules, which not every library makes."""
    capsule = x.__dlpack__(max_version=(1, 0)) if versioned else x.__dlpack__()
    newer = python.PyCapsule_IsValid(capsule, b"dltensor_versioned")
    name = b"dltensor_versioned" if newer else b"dltensor"
    function = library.softmax_versioned if newer else library.softmax
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    y = function(python.PyCapsule_GetPointer(capsule, name))
    if not y:
        raise RuntimeError(library.error().decode())
    python.PyCapsule_SetName(capsule, NAMES[b"used_" + name])
    return Lent(y, name)


def expected(x):
    e = np.exp(x.astype(np.float64) - x.astype(np.float64).max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def check_close(name, got, x, tolerance):
    error = np.abs(np.asarray(got, dtype=np.float64) - expected(np.asarray(x, dtype=np.float64))).max()
    assert error <= tolerance, f"{name}: {error} is more than {tolerance}"
    print("ok", name)


def check_error(name, sentence, f):
    try:
        f()
    except RuntimeError as e:
        assert str(e) == sentence, f"{name}: {e}"
        print("ok", name)
    else:
        raise AssertionError(f"{name}: no error, expected: {sentence}")


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
