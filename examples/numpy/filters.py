# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library `filters` for Python: arrays of NumPy, or of any library with __dlpack__, or of pyarrow, in and out, and
no element is copied: in host memory, or on the GPU on which both libraries run.

    filters = Filters("lib/libfilters.so")
    smooth = filters.smooth(numpy.zeros((480, 640), numpy.float32))

    filters = Filters("lib/libfilters.so", torch.from_dlpack)
    smooth = filters.smooth(torch.zeros((480, 640), device="cuda"))
"""
import ctypes

import numpy

_api = ctypes.pythonapi
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _Head(ctypes.Structure):
    """How a tensor of DLPack begins."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_number", ctypes.c_int32)]


class _Tensor:
    """What a function returned, as numpy.from_dlpack asks for it. All work on it is done."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __dlpack__(self, **_):
        return _api.PyCapsule_New(self.pointer, b"dltensor", None)

    def __dlpack_device__(self):
        head = _Head.from_address(self.pointer)
        return head.device, head.device_number


def _take(array):
    """The tensor of an array, which whoever gets it deletes."""
    on_gpu = array.__dlpack_device__()[0] == 2
    # The library reads it after all that CUDA's legacy default stream, stream 1, was given, and that waits for its filling.
    capsule = array.__dlpack__(stream=1) if on_gpu else array.__dlpack__()
    tensor = _api.PyCapsule_GetPointer(capsule, b"dltensor")
    _api.PyCapsule_SetName(capsule, b"used_dltensor")  # the capsule does not delete it any more
    return tensor


class Filters:
    def __init__(self, library, from_dlpack=numpy.from_dlpack):
        """from_dlpack: of the library whose arrays results are to be."""
        self._from_dlpack = from_dlpack
        self._library = ctypes.CDLL(library)
        self._library.filters_error.restype = ctypes.c_char_p
        for function, arguments in (("smooth", [ctypes.c_void_p]), ("saxpy", [ctypes.c_double] + 2 * [ctypes.c_void_p]),
                                    ("same", [ctypes.c_void_p])):
            entry = getattr(self._library, "filters_" + function)
            entry.restype, entry.argtypes = ctypes.c_void_p, arguments
        for function in "saxpy_arrow", "saxpy_arrow_device":
            entry = getattr(self._library, "filters_" + function)
            entry.restype, entry.argtypes = ctypes.c_bool, [ctypes.c_double] + 6 * [ctypes.c_void_p]

    def smooth(self, image):
        """The mean of each pixel and its neighbours. image: float32, two dimensions, any strides."""
        return self._array(self._library.filters_smooth(_take(image)))

    def saxpy(self, a, x, y):
        """a * x + y. x, y: float64, one dimension, of one size."""
        return self._array(self._library.filters_saxpy(a, _take(x), _take(y)))

    def same(self, x):
        """The elements of x, where they are. x: float64, one dimension."""
        return self._array(self._library.filters_same(_take(x)))

    def saxpy_arrow(self, a, x, y):
        """saxpy of columns of pyarrow, through Arrow's C data interface."""
        return self._columns(self._library.filters_saxpy_arrow, "_c", a, x, y)

    def saxpy_arrow_device(self, a, x, y):
        """The same through Arrow's C device interface, whose columns may be on a GPU."""
        return self._columns(self._library.filters_saxpy_arrow_device, "_c_device", a, x, y)

    def _columns(self, function, interface, *arguments):
        import pyarrow
        a, x, y = arguments
        # ArrowArray or ArrowDeviceArray, and ArrowSchema
        columns = [ctypes.create_string_buffer(size) for _ in range(3) for size in (128, 72)]
        addresses = [ctypes.addressof(column) for column in columns]
        getattr(x, "_export_to" + interface)(*addresses[0:2])
        getattr(y, "_export_to" + interface)(*addresses[2:4])
        if not function(a, *addresses):
            raise ValueError(self._library.filters_error().decode())
        return getattr(pyarrow.Array, "_import_from" + interface)(*addresses[4:6])

    def _array(self, tensor):
        if not tensor:
            raise ValueError(self._library.filters_error().decode())
        return self._from_dlpack(_Tensor(tensor))
