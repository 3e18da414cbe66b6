# SPDX-License-Identifier: Apache-2.0
"""The package is typed: its own code, and code that uses it, pass mypy in strict mode."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import fathom
from fathom import _core

SAMPLE = """
from pathlib import Path

import numpy as np
import fathom

one = fathom.predict("sort-pairwise", 2**20, device="h200", E=15)
reveal_type(one)
many = fathom.predict("sort-pairwise", np.array([2**20, 2**22]), E=15)
reveal_type(many)
reveal_type(fathom.predict("sort", 1e8))
reveal_type(fathom.tune(["radix-msd", "sort-kway"], 1e8).tied)
reveal_type(fathom.tune("sort-pairwise", 1e8, t=[128, 256]).best.time_s)
reveal_type(fathom.tune(["radix-msd", "sort-kway"], 1e8).fastest.best.parameters)
reveal_type(fathom.predict([Path("mine.json"), Path("yours.json")], 1e8).left_out)

lines = {42: 1000}
places = {"kernel.cu:42": 1000}
for trips in (lines, {}):
    reveal_type(fathom.predict_machine_code("kernel.cubin", grid=(64, 4), block=[16, 16], trips=trips))
fathom.predict_machine_code(Path("kernel.cubin"), grid=64, block=256, trips=places, what_if=["dram.bandwidth=2x"])
fathom.predict_machine_code("kernel.cubin", grid=64, block=256, trips={"42": 1000, "kernel.cu:50": 7}, shared=1e3)
fathom.import_report("report.csv", Path("mine.work"))
reveal_type(fathom.predict_launches(Path("mine.work"), from_="none").kernels[0].measured_s)
"""


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")  # what it knows of numpy takes long to find out

    def run(path):
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, path],
                              capture_output=True, text=True)

    return run


def test_a_sample(mypy, tmp_path):
    (tmp_path / "sample.py").write_text(SAMPLE)
    checked = mypy(tmp_path / "sample.py")
    assert checked.returncode == 0, checked.stdout
    for revealed in ["fathom._results.Prediction", "fathom._results.Sweep", "fathom._results.PredictionRanking", "float",
                     "int | None", "dict[str, int]", "list[fathom._results.NotCompared]",
                     "fathom._results.MachineCodePrediction", "float | None"]:
        assert f'Revealed type is "{revealed}"' in checked.stdout.replace("builtins.", "")


def test_a_script_that_uses_all(mypy):
    script = Path(__file__).with_name("whole_api.py")
    checked = mypy(script)
    assert checked.returncode == 0, checked.stdout
    used = {node.attr for node in ast.walk(ast.parse(script.read_text()))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "fathom"}
    assert used == set(fathom.__all__)


def test_the_package(mypy):
    checked = mypy(Path(__file__).parents[2] / "python/fathom")
    assert checked.returncode == 0, checked.stdout


def test_mistakes_are_found(mypy, tmp_path):
    calls = ["predict('sort-pairwise', 10, devise='h200')",
             "predict('sort-pairwise', 10, law=3)",
             "predict_machine_code('kernel.cubin', grid=64)",
             "predict_machine_code('kernel.cubin', grid=64, block=256, trips={42: 'many'})",
             "predict_launches('mine.work', source='none')"]
    (tmp_path / "sample.py").write_text("\n".join(["import fathom", *(f"fathom.{one}" for one in calls)]))
    checked = mypy(tmp_path / "sample.py")
    for line, call in enumerate(calls, start=2):
        assert f"sample.py:{line}: error" in checked.stdout, call


def test_the_stub_names_what_the_module_has():
    stub = ast.parse((Path(_core.__file__).parent / "_core.pyi").read_text())
    named = {one.name for one in stub.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    assert named == {name for name in dir(_core) if not name.startswith("__")}
