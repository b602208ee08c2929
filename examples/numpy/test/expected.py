# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the library expect, computed by NumPy."""
import numpy


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
