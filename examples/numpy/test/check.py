# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy in, ikra, NumPy out, and the same with pyarrow where it is installed: results against NumPy's own, memory against where it was, and what cannot be adopted.

usage: check.py FILTERS_FOLDER LIBRARY...     (exits with 77, for skipped, where there is no NumPy)
"""
import gc
import sys

try:
    import numpy
except ImportError:
    print("skipped: no NumPy for this interpreter; install python3-numpy")
    sys.exit(77)

try:
    import pyarrow
except ImportError:
    pyarrow = None
    print("without pyarrow, which is not installed")

sys.path.insert(0, sys.argv[1])
from filters import Filters  # noqa: E402
from expected import expected_smooth, refused  # noqa: E402

for library in sys.argv[2:]:
    filters = Filters(library)
    image = numpy.random.default_rng(1).random((37, 53), numpy.float32)
    before = image.copy()
    for view in image, image.T, image[::2, ::-3], image[5:, 7:]:
        assert numpy.array_equal(filters.smooth(view), expected_smooth(view))
    assert numpy.array_equal(image, before)

    x, y = numpy.arange(100_000.0), numpy.ones(100_000)
    references = sys.getrefcount(x)
    result = filters.saxpy(2.0, x, y)
    assert numpy.array_equal(result, 2 * x + y)
    del view
    gc.collect()
    assert sys.getrefcount(x) == references, "the tensor of x was not deleted"
    assert filters.same(x).ctypes.data == x.ctypes.data
    assert sys.getrefcount(x) == references, "the tensor of x was not deleted"
    # What comes out goes in again.
    assert numpy.array_equal(filters.saxpy(1.0, result.copy(), y), 2 * x + 2)

    refused(lambda: filters.saxpy(1.0, x.astype(numpy.float32), y), "float32")
    refused(lambda: filters.saxpy(1.0, x[:5], y), "shape")
    refused(lambda: filters.smooth(image[0]), "rank 1")
    packed = numpy.zeros(5, numpy.dtype([("tag", "u1"), ("value", "f8")]))["value"]
    for odd in (packed,):
        try:
            filters.saxpy(1.0, odd, odd)
        except (ValueError, BufferError):  # of ikra, or of NumPy, whose strides are not whole elements
            continue
        raise AssertionError("misaligned elements were taken")
    gc.collect()
    assert sys.getrefcount(x) == references, "a refused tensor was not deleted"

    if pyarrow is not None:
        before = pyarrow.total_allocated_bytes()
        column, ones = pyarrow.array(x), pyarrow.array(y)
        for saxpy in filters.saxpy_arrow, filters.saxpy_arrow_device:
            result = saxpy(2.0, column[10:], ones[10:])
            assert result.type == pyarrow.float64() and numpy.array_equal(result.to_numpy(), 2 * x[10:] + 1)
            refused(lambda: saxpy(1.0, pyarrow.array([1.0, None]), ones), "nulls")
            refused(lambda: saxpy(1.0, pyarrow.array([1, 2]), ones), "type l")
            result.validate(full=True)
        del column, ones, result
        gc.collect()
        assert pyarrow.total_allocated_bytes() == before, "a column was not released"
    print(library, "ok")
