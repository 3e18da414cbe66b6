# SPDX-License-Identifier: Apache-2.0
"""The examples in the documentation run, without a GPU, and give what is shown."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fathom

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("with_pandas", [True, False])
def test_the_example_runs(tmp_path, with_pandas):
    if not with_pandas:  # as where it is not installed
        (tmp_path / "pandas.py").write_text("raise ImportError")
    example = ROOT / "docs/python-example.py"
    done = subprocess.run([sys.executable, example], env=os.environ | {"PYTHONPATH": str(tmp_path)},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sort = fathom.predict("radix-msd", 2**28, type="u64", device="h200")
    slowest = max(sort.kernels, key=lambda kernel: kernel.time_s)
    assert f"{slowest.name} takes {slowest.time_s / sort.time_s:.0%}" in done.stdout
    assert ("to_pandas() needs pandas: pip install pandas" in done.stdout) == (not with_pandas)


@pytest.mark.filterwarnings("ignore::fathom.Note")
def test_the_calls_shown_answer_as_shown(tmp_path, monkeypatch):
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)  # figures are written there
    file = ROOT / "docs/python.md"
    shown = doctest.DocTestParser().get_doctest(file.read_text(), {"fathom": fathom, "np": np}, file.name, str(file), 0)
    assert shown.examples
    shown.examples = [one for one in shown.examples if "calibrate" not in one.source]  # it would, where there is a GPU
    told = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(shown, out=told.append)
    assert not told, "".join(told)
