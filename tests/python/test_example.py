# SPDX-License-Identifier: Apache-2.0
"""The example in the documentation runs, without a GPU."""

import subprocess
import sys
from pathlib import Path

import fathom


def test_the_example_runs():
    example = Path(__file__).parents[2] / "docs/python-example.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sort = fathom.predict("radix-msd", 2**28, type="u64", device="h200")
    slowest = max(sort.kernels, key=lambda kernel: kernel.time_s)
    assert f"{slowest.name} takes {slowest.time_s / sort.time_s:.0%}" in done.stdout
