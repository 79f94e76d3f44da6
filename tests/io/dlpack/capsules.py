# SPDX-License-Identifier: Apache-2.0
"""The functions of the library that is the first argument, for tensors of any library that has DLPack."""
import ctypes
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
CPU, CUDA = (1, 0), (2, 0)
# A capsule keeps the pointer to its name.
NAMES = {name: ctypes.create_string_buffer(name) for name in
         (b"dltensor", b"dltensor_versioned", b"used_dltensor", b"used_dltensor_versioned")}


class Lent:
    """A tensor of Inlay's, which another library takes once."""

    def __init__(self, pointer, name, device):
        self.pointer, self.name, self.device = pointer, name, device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return python.PyCapsule_New(self.pointer, NAMES[self.name], None)

    def __dlpack_device__(self):
        return self.device


def softmax(x, versioned=False, device=CPU):
    """`versioned` allows the newer capsules, which not every library makes. The stream is CUDA's default one."""
    options = dict(max_version=(1, 0)) if versioned else {}
    capsule = x.__dlpack__(**options) if device == CPU else x.__dlpack__(stream=1, **options)
    newer = python.PyCapsule_IsValid(capsule, b"dltensor_versioned")
    name = b"dltensor_versioned" if newer else b"dltensor"
    function = library.softmax_versioned if newer else library.softmax
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    y = function(python.PyCapsule_GetPointer(capsule, name))
    if not y:
        raise RuntimeError(library.error().decode())
    python.PyCapsule_SetName(capsule, NAMES[b"used_" + name])
    return Lent(y, name, device)


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
