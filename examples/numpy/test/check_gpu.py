# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of PyTorch and CuPy on a GPU, in and out: results against NumPy's, memory where it was, and what is refused.

usage: IKRA_DEVICE=cuda check_gpu.py FILTERS_FOLDER LIBRARY LIBRARY_WITHOUT_GPU
       (exits with 77, for skipped, where neither PyTorch nor CuPy has a GPU)
"""
import gc
import sys

import numpy

sys.path.insert(0, sys.argv[1])
from filters import Filters  # noqa: E402
from expected import expected_smooth, refused  # noqa: E402


class Torch:
    name = "PyTorch"

    def __init__(self):
        import torch
        torch.zeros(1, device="cuda")
        self.torch, self.from_dlpack = torch, torch.from_dlpack

    def made(self, values):
        return self.torch.from_numpy(values).to("cuda")

    def values(self, array):
        assert array.is_cuda, "a result is not on the GPU"
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def in_use(self):
        self.torch.cuda.synchronize()
        return self.torch.cuda.memory_allocated()

    def other_stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def zeros(self, n):
        return self.torch.zeros(n, dtype=self.torch.float64, device="cuda")


class Cupy:
    name = "CuPy"

    def __init__(self):
        import cupy
        cupy.zeros(1)
        self.cupy, self.from_dlpack = cupy, cupy.from_dlpack

    def made(self, values):
        return self.cupy.asarray(values)

    def values(self, array):
        assert isinstance(array, self.cupy.ndarray), "a result is not on the GPU"
        return self.cupy.asnumpy(array)

    def address(self, array):
        return array.data.ptr

    def in_use(self):
        self.cupy.cuda.runtime.deviceSynchronize()
        return self.cupy.get_default_memory_pool().used_bytes()

    def other_stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def zeros(self, n):
        return self.cupy.zeros(n, numpy.float64)


def check_without_gpu(gpu, library):
    """To be called while no library with a GPU is loaded: they share the variables of ikra's headers."""
    array = gpu.made(numpy.ones(100))
    refused(lambda: Filters(library, gpu.from_dlpack).same(array), "memory of GPU 0")


def check(gpu, library):
    filters = Filters(library, gpu.from_dlpack)
    values = numpy.random.default_rng(1).random((37, 53), numpy.float32)
    image = gpu.made(values)
    for view, seen in (image, values), (image.T, values.T), (image[::2, 3:], values[::2, 3:]), (image[5:, 7:], values[5:, 7:]):
        assert numpy.array_equal(gpu.values(filters.smooth(view)), expected_smooth(seen))
    assert numpy.array_equal(gpu.values(image), values), "an input was written to"
    del image, view

    x_values, y_values = numpy.arange(100_000.0), numpy.ones(100_000)
    before = gpu.in_use()
    x, y = gpu.made(x_values), gpu.made(y_values)
    with_inputs = gpu.in_use()
    result = filters.saxpy(2.0, x, y)
    assert numpy.array_equal(gpu.values(result), 2 * x_values + y_values)
    again = filters.saxpy(1.0, result, y)  # what comes out goes in again
    assert numpy.array_equal(gpu.values(again), 2 * x_values + 2)
    assert gpu.in_use() == with_inputs, f"{gpu.name} has memory of results, which are ikra's"

    # Elements stay where they are, and are kept: neither library has copied any.
    same, result_same = filters.same(x), filters.same(result)
    assert gpu.address(same) == gpu.address(x)
    assert gpu.address(result_same) == gpu.address(result)
    del x, result
    gc.collect()
    assert gpu.in_use() == with_inputs
    assert numpy.array_equal(gpu.values(same), x_values)
    assert numpy.array_equal(gpu.values(result_same), 2 * x_values + y_values)

    # Kernels load 16 bytes at a time, so elements that begin elsewhere are copied, within the GPU.
    part = same[1:]
    assert numpy.array_equal(gpu.values(filters.saxpy(2.0, part, y[1:])), 2 * x_values[1:] + 1)
    copied = filters.same(part)
    assert gpu.address(copied) != gpu.address(part) and numpy.array_equal(gpu.values(copied), x_values[1:])
    step = 3  # PyTorch has no steps back, and CuPy hands on wrong ones
    assert numpy.array_equal(gpu.values(filters.same(same[::step])), x_values[::step])

    for call, text in ((lambda: filters.saxpy(1.0, gpu.made(values[0]), y), "float32"),
                       (lambda: filters.saxpy(1.0, part, y), "shape"),
                       (lambda: filters.smooth(gpu.made(values[0])), "rank 1")):
        refused(call, text)
    del same, part, y
    gc.collect()
    assert gpu.in_use() == before, "a tensor was not deleted"

    # A stream of the other library's is still filling the elements when they are handed over.
    for _ in range(5):
        with gpu.other_stream():
            filled = gpu.zeros(1 << 26)
            for _ in range(50):
                filled += 1
            x = filled[:1 << 20] * 1
            assert (gpu.values(filters.saxpy(2.0, x, x)) == 150).all(), "elements were read before they were there"
            del filled, x

    # More results than the GPU has memory: each is given back.
    x = gpu.made(numpy.ones(1 << 24))
    for _ in range(1500):
        x = filters.saxpy(0.0, filters.saxpy(0.5, x, x), gpu.zeros(1 << 24) + 1)
    assert (gpu.values(x) == 1).all()

    # Host memory goes in and out as without a GPU.
    on_host = Filters(library)
    assert numpy.array_equal(on_host.saxpy(2.0, x_values, y_values), 2 * x_values + y_values)
    assert on_host.same(x_values).ctypes.data == x_values.ctypes.data


checked = 0
for make in Torch, Cupy:
    try:
        gpu = make()
    except Exception as error:  # not installed, or no GPU: each library has its own types
        print(f"without {make.name}: {error}")
        continue
    if checked == 0:
        check_without_gpu(gpu, sys.argv[3])
    check(gpu, sys.argv[2])
    print(gpu.name, "ok")
    checked += 1
sys.exit(0 if checked else 77)
