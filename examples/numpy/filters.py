# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library `filters` for Python: arrays of NumPy (or of any library with __dlpack__), or of pyarrow, in and out, and
no element is copied.

    filters = Filters("lib/libfilters.so")
    smooth = filters.smooth(numpy.zeros((480, 640), numpy.float32))
"""
import ctypes

import numpy

_api = ctypes.pythonapi
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _Tensor:
    """What a function returned, as numpy.from_dlpack asks for it."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __dlpack__(self, **_):
        return _api.PyCapsule_New(self.pointer, b"dltensor", None)

    def __dlpack_device__(self):
        return 1, 0  # host memory


def _take(array):
    """The tensor of an array, which whoever gets it deletes."""
    capsule = array.__dlpack__()
    tensor = _api.PyCapsule_GetPointer(capsule, b"dltensor")
    _api.PyCapsule_SetName(capsule, b"used_dltensor")  # the capsule does not delete it any more
    return tensor


class Filters:
    def __init__(self, library):
        self._library = ctypes.CDLL(library)
        self._library.filters_error.restype = ctypes.c_char_p
        for function, arguments in ("smooth", [ctypes.c_void_p]), ("saxpy", [ctypes.c_double] + 2 * [ctypes.c_void_p]):
            entry = getattr(self._library, "filters_" + function)
            entry.restype, entry.argtypes = ctypes.c_void_p, arguments
        self._library.filters_saxpy_arrow.restype = ctypes.c_bool
        self._library.filters_saxpy_arrow.argtypes = [ctypes.c_double] + 6 * [ctypes.c_void_p]

    def smooth(self, image):
        """The mean of each pixel and its neighbours. image: float32, two dimensions, any strides."""
        return self._array(self._library.filters_smooth(_take(image)))

    def saxpy(self, a, x, y):
        """a * x + y. x, y: float64, one dimension, of one size."""
        return self._array(self._library.filters_saxpy(a, _take(x), _take(y)))

    def saxpy_arrow(self, a, x, y):
        """The same of columns of pyarrow."""
        import pyarrow
        columns = [ctypes.create_string_buffer(size) for _ in range(3) for size in (80, 72)]  # ArrowArray, ArrowSchema
        addresses = [ctypes.addressof(column) for column in columns]
        x._export_to_c(*addresses[0:2])
        y._export_to_c(*addresses[2:4])
        if not self._library.filters_saxpy_arrow(a, *addresses):
            raise ValueError(self._library.filters_error().decode())
        return pyarrow.Array._import_from_c(*addresses[4:6])

    def _array(self, tensor):
        if not tensor:
            raise ValueError(self._library.filters_error().decode())
        return numpy.from_dlpack(_Tensor(tensor))
