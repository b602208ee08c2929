# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy in, ikra, NumPy out: results against NumPy's own, memory against where it was, and what cannot be adopted.

usage: check.py FILTERS_FOLDER LIBRARY...     (exits with 77, for skipped, where there is no NumPy)
"""
import gc
import sys

try:
    import numpy
except ImportError:
    print("skipped: no NumPy for this interpreter; install python3-numpy")
    sys.exit(77)

sys.path.insert(0, sys.argv[1])
from filters import Filters  # noqa: E402


def expected_smooth(image):
    padded = numpy.pad(image, 1, mode="edge")
    height, width = image.shape
    parts = [padded[y:y + height, x:x + width] for y in range(3) for x in range(3)]
    total = numpy.zeros_like(image)
    for part in parts:  # in the section's order: sums of float32 round alike
        total = total + part
    return total / numpy.float32(9)


def refused(call, text):
    try:
        call()
    except ValueError as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"'{text}' was expected")


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
    print(library, "ok")
