# SPDX-License-Identifier: Apache-2.0
"""The package is typed: its own code, and code that uses it, pass mypy in strict mode."""

import subprocess
import sys
from pathlib import Path

SAMPLE = """
import numpy as np
import fathom

one = fathom.predict("sort-pairwise", 2**20, device="h200", E=15)
reveal_type(one)
many = fathom.predict("sort-pairwise", np.array([2**20, 2**22]), E=15)
reveal_type(many)
reveal_type(fathom.predict("sort", 1e8))
reveal_type(fathom.tune(["radix-msd", "sort-kway"], 1e8).tied)
reveal_type(fathom.tune("sort-pairwise", 1e8, t=[128, 256]).best.time_s)
"""


def mypy(*arguments):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", *arguments], capture_output=True, text=True)


def test_a_sample(tmp_path):
    (tmp_path / "sample.py").write_text(SAMPLE)
    checked = mypy("--cache-dir", str(tmp_path), str(tmp_path / "sample.py"))
    assert checked.returncode == 0, checked.stdout
    for revealed in ["fathom._results.Prediction", "fathom._results.Sweep", "fathom._results.PredictionRanking", "float"]:
        assert f'Revealed type is "{revealed}"' in checked.stdout.replace("builtins.", "")


def test_a_mistake_is_found(tmp_path):
    (tmp_path / "sample.py").write_text("import fathom\nfathom.predict('sort-pairwise', 10, devise='h200', law=3)\n")
    assert mypy("--cache-dir", str(tmp_path), str(tmp_path / "sample.py")).returncode == 1


def test_the_stub_names_what_the_module_has():
    import ast

    from fathom import _core

    stub = ast.parse((Path(_core.__file__).parent / "_core.pyi").read_text())
    named = {one.name for one in stub.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    assert named == {name for name in dir(_core) if not name.startswith("__")}
