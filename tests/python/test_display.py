# SPDX-License-Identifier: Apache-2.0
"""Results as people see them: in a prompt and in a notebook."""

import html
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import fathom

ROOT = Path(__file__).parents[2]


def tables(result):
    """The cells of the tables, by rows."""
    return [[[html.unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row)]
             for row in re.findall(r"<tr>(.*?)</tr>", table)]
            for table in re.findall(r"<table>(.*?)</table>", result._repr_html_())]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One of each class of answers."""
    runs = ROOT / "data/h200/reduce-sizes.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fathom.Note)
        return [fathom.predict("radix-msd", 2**28, type="u64", device="h200"),
                fathom.predict("sort-pairwise", 1e8, device="m4000", law="published"),
                fathom.predict("scan", 1e8, device="h200"),
                fathom.predict("sort-kway", [2**20] * 500, device="h200"),
                fathom.tune("sort-kway", 2**26, device="h200"),
                fathom.tune("scan", 1e8, device="h200"),
                fathom.count("reduce-vector", 2**16, device="h200"),
                fathom.count("reduce-vector", 2**16, device="h200").kernels[0],
                fathom.devices(), *fathom.devices(),
                fathom.algorithms(), *fathom.algorithms(),
                fathom.validate(runs), *fathom.validate(runs),
                fathom.fit(runs, "h200", output=tmp_path_factory.mktemp("fit") / "fit.json"),
                fathom.Dataset(str(runs), json.loads(runs.read_text())),
                fathom.Profile("h200.json", json.loads((ROOT / "profiles/h200.json").read_text()))]


def test_repr_is_one_short_line(results):
    for result in results:
        text = repr(result)
        assert text.startswith(f"{type(result).__name__}(")
        assert len(text) < 500 and "\n" not in text, text


def test_repr_leaves_details_out():
    ranking = fathom.predict(["scan-naive", "scan-lookback"], 1e8, device="h200")
    assert repr(ranking) == ("PredictionRanking(algorithms=['scan-lookback', 'scan-naive'], "
                             f"tied={ranking.tied}, left_out=[])")
    assert repr(fathom.tune(["scan-naive"], 1e8, device="h200")).startswith("TuneRanking(algorithms=['scan-naive']")
    text = repr(ranking.fastest)
    assert f"time_s={ranking.fastest.time_s:.6g}" in text and "ScanTiles" not in text


def test_a_prediction_is_a_table_with_units(command):
    # The texts are those of the command, whose words for it are in the README.
    answer, kernels = tables(fathom.predict("radix-msd", 2**28, type="u64", device="h200"))
    values = dict(answer)
    assert values["n"] == "2^28" and values["parameters"] == "t = 384, E = 12, S = 14"
    assert values["time"] == "4.97 ms" and values["95 %"] == "4.18 to 5.91 ms"
    assert values["throughput"] == "54.0·10^9 elements/s"
    assert values["bottleneck"] == "DRAM" and values["10 % faster saves"] == "179 µs (3.60 %)"
    assert kernels[0] == ["kernel", "launches", "time", "bottleneck"]
    assert ["SplitByDigit<8>", "1", "1.45 ms", "DRAM"] in kernels


def test_a_bottleneck_has_the_command_s_words():
    sort = fathom.predict("radix-msd", 2**28, type="u64", device="h200")
    assert (sort.bound, sort.bottleneck) == ("dram", "DRAM")
    assert [one.bottleneck for one in sort.kernels[:2]] == ["DRAM", "launches"]
    assert fathom.predict("sort-pairwise", 1e8, device="m4000", law="published").bottleneck == "global bandwidth"


def test_all_are_tables(results):
    for result in results:
        text = result._repr_html_()
        assert text.startswith("<table>") and text.count("<table>") == text.count("</table>")
        for table in tables(result):
            assert len({len(row) for row in table}) == 1, table
        # No name of a field, and nothing of Python's.
        for cell in (cell for table in tables(result) for row in table for cell in row[:1]):
            assert not re.search(r"_s$|_hz$|_bytes$|None|nan|\(.*=", cell), cell


def test_long_tables_say_how_much_they_leave_out():
    text = fathom.predict("sort-kway", [2**20] * 500, device="h200")._repr_html_()
    assert text.count("<tr>") < 50 and "… 480 more" in text
    sweep = fathom.predict("sort-pairwise", np.full(10**6, 2**20), device="m4000", law="published")
    assert len(sweep._repr_html_()) < 10**4 and "… 999980 more" in sweep._repr_html_()


def test_what_cannot_run_is_a_dash():
    rows = tables(fathom.predict("sort-pairwise", [1e6, 1e13], device="h200"))[1]
    assert rows[2][1:] == ["–"] * 4


def test_lists_are_tables():
    (rows,) = tables(fathom.algorithms())
    assert ["sort-pairwise", "sort"] in [row[:2] for row in rows]
    assert "E: 3..47 (17), t: 64..512 (256)" in [cell for row in rows for cell in row]
    assert "h200" in fathom.devices().to_pandas().name.tolist()
    assert len(fathom.algorithms().to_pandas()) == len(fathom.algorithms())


def test_a_profile_is_a_table_of_its_constants():
    content = {"constants": {"wait.dram": {"value_clocks": 600.0, "interval_clocks": [590.0, 610.0]},
                             "overlap": {"value": 4.5}, "gap": {"value_s": 2e-6, "interval_s": None}}}
    assert tables(fathom.Profile("mine.json", content))[1] == [
        ["constant", "value", "from", "to", "unit"], ["wait.dram", "600", "590", "610", "clocks"],
        ["overlap", "4.5", "–", "–", ""], ["gap", "2e-06", "–", "–", "s"]]


def test_text_is_escaped(tmp_path):
    name = "<script>alert('&')</script>"
    content = {"runs": [{"algorithm": name, "type": "u32", "input": "random", "n": 1, "parameters": {name: 1},
                         "seconds": [1e-3, 3e-3, 2e-3]}]}
    dataset = fathom.Dataset(name, content)
    assert "<script" not in dataset._repr_html_()
    answer, runs = tables(dataset)
    assert answer == [["file", name]]
    assert runs[1] == [name, "u32", "random", "1", f"{name} = 1", "2.00 ms"]
    assert "<script" not in fathom.NotPredicted(kernel=name, launches=1, why=name)._repr_html_()


def test_a_file_is_taken_for_its_path(data):
    runs = fathom.Dataset(str(data / "h200/reduce-sizes.json"), {"runs": []})
    profile = fathom.Profile(str(ROOT / "profiles/h200.json"), {})
    assert fathom.validate(runs, device=profile) == fathom.validate(runs.file, device=profile.file)
