# SPDX-License-Identifier: Apache-2.0
"""Predictions from machine code, as the command gives them."""

import os
import shutil
import subprocess

import pytest

import fathom

SOURCE = """
extern "C" __global__ void fill(float* to, int n) { to[blockIdx.x * blockDim.x + threadIdx.x] = n; }
extern "C" __global__ void halve(unsigned* some) {
  for (unsigned x = some[threadIdx.x]; x > 1; x /= 2) some[x] = x;
}
"""


@pytest.fixture(scope="session")
def cubin(tmp_path_factory):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.access(nvcc, os.X_OK):
        pytest.skip("there is no nvcc")
    folder = tmp_path_factory.mktemp("cubin")
    (folder / "kernels.cu").write_text(SOURCE)
    subprocess.run([nvcc, "-cubin", "-arch=sm_90", "-lineinfo", "kernels.cu", "-o", "kernels.cubin"], cwd=folder, check=True)
    return folder / "kernels.cubin"


@pytest.fixture
def disassembled(cubin):
    """The file, where it can be predicted."""
    try:
        fathom.predict_machine_code(cubin, kernel="fill", grid=1, block=32, device="h200")
    except fathom.Error as error:
        if "disassembler" not in str(error):
            raise
        pytest.skip(str(error))
    return cubin


def plain(answer):
    return {key: value for key, value in answer.items() if key not in ("schema", "version")}


def test_a_kernel_is_predicted_as_the_command_predicts_it(command, disassembled):
    predicted = fathom.predict_machine_code(disassembled, kernel="halve", grid=(64, 4), block=256, shared=1024,
                                            trips={4: 20}, device="h100", caches="warm", what_if="dram.bandwidth=2x",
                                            sensitivities=True)
    arguments = ["--kernel", "halve", "--grid", "64,4", "--block", "256", "--shared", "1024", "--trips", "4=20", "--device", "h100",
                 "--caches", "warm", "--what-if", "dram.bandwidth=2x", "--sensitivities"]
    assert predicted.to_dict() == plain(command("predict", disassembled, *arguments))
    assert predicted.grid[:2] == [64, 4]
    (loop,) = predicted.loops
    assert (loop.line, loop.turns, loop.from_) == (4, 20, "given")


def test_a_loop_without_a_count_is_told(disassembled):
    predicted = fathom.predict_machine_code(disassembled, kernel="halve", grid=64, block=256, device="h200")
    assert [loop.from_ for loop in predicted.loops] == ["assumed"]
    assert predicted.interval_s is None
    assert len(predicted.to_pandas()) == 1


@pytest.mark.parametrize("arguments, message", [
    (dict(grid="64", block=32), "grid = '64' is text"),
    (dict(grid=64.5, block=32), "grid = 64.5: give a whole number"),
    (dict(grid=64, block=(32, "x")), "block = 'x' is text"),
    (dict(grid=64, block=32, trips={4: "many"}), r"trips\[4\] = 'many' is text"),
    (dict(grid=64, block=32, shared="1K"), "shared = '1K' is text"),
])
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        fathom.predict_machine_code("kernels.cubin", device="h200", **arguments)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(fathom.Error, match="none.cubin"):
        fathom.predict_machine_code(tmp_path / "none.cubin", grid=1, block=32, device="h200")
