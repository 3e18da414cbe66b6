# SPDX-License-Identifier: Apache-2.0
"""Predictions of single problems and of arrays, against known truths."""

import math
from pathlib import Path

import numpy as np
import pytest

import fathom

ROOT = Path(__file__).parents[2]


def test_a_published_formula_by_hand():
    # The older radix sort that merrill2010 compares with takes 2.7 times the thread-cycles of the paper's own, which are
    # 723 for a pair of 32 bits and 8 · 10.5 fewer for a key alone; a GTX 285 has 354·10^9 per second. Its words take less.
    n = 2**22
    prediction = fathom.predict("radix-tiled", n, device="gtx285", law="published", d=4, t=256, E=4)
    assert prediction.time_s == pytest.approx(2.7 * (723 - 8 * 10.5) * n / 354e9, rel=1e-4)
    assert prediction.interval_s is None
    assert prediction.kernels == []
    assert prediction.reading == {"ceiling": "as-printed", "compose": "sum", "options": {}}


@pytest.mark.parametrize("algorithm, law, device, options", [
    ("sort-pairwise", "published", "m4000", {}),
    ("sort-pairwise", "counted", "h200", {}),
    ("scan-lookback", "fitted", "h200", {"type": "f64"}),
    ("sort-kway", "counted", "h200", {"input": "reverse"}),
    ("radix-onesweep", "counted", "h200", {"type": "u32:u32"}),
])
def test_arrays_equal_scalars(algorithm, law, device, options):
    options = dict(device=device, law=law, **options)
    n = np.array([1, 1000, 2**16 + 1, 2**20, 2**24, 10**8])
    sweep = fathom.predict(algorithm, n, **options)
    for i, one in enumerate(n):
        single = fathom.predict(algorithm, int(one), **options)
        assert sweep.time_s[i] == single.time_s
        assert sweep.throughput[i] == single.throughput
        if single.interval_s is None:
            assert sweep.interval_s is None
        else:
            assert (sweep.interval_s[0][i], sweep.interval_s[1][i]) == single.interval_s


def test_arrays_broadcast():
    n, E = np.array([2**20, 2**22, 2**24])[:, None], [7, 15]
    sweep = fathom.predict("sort-pairwise", n, E=E, t=256, device="h200")
    assert sweep.time_s.shape == (3, 2)
    assert sweep.parameters["t"].tolist() == [[256, 256]] * 3
    for i in range(3):
        for j in range(2):
            single = fathom.predict("sort-pairwise", int(n[i, 0]), E=E[j], t=256, device="h200")
            assert sweep.time_s[i, j] == single.time_s
    many = fathom.predict("sort-pairwise", 2**22, E=range(3, 48), device="m4000", law="published")
    assert many.time_s.shape == (45,)
    assert fathom.predict("sort-pairwise", np.int64(2**20), device="h200").n == 2**20


def test_arrays_of_no_points():
    assert fathom.predict("sort-pairwise", [], device="h200").time_s.shape == (0,)


def test_devices_in_a_list_are_the_first_axis():
    profiles = {one.name: one for one in fathom.devices()}
    n = np.array([2**20, 2**24, 10**8])
    sweep = fathom.predict("radix-onesweep", n, device=["h200", profiles["h100"]])
    assert sweep.device == ["h200", "h100"]
    assert sweep.time_s.shape == sweep.n.shape == sweep.interval_s[0].shape == (2, 3)
    for row, device in enumerate(sweep.device):
        one = fathom.predict("radix-onesweep", n, device=device)
        assert one.device == device
        assert np.array_equal(sweep.time_s[row], one.time_s)
        assert np.array_equal(sweep.interval_s[1][row], one.interval_s[1])
    table = sweep.to_pandas()
    assert table.device.tolist() == ["h200"] * 3 + ["h100"] * 3
    assert table.n.tolist() == n.tolist() * 2
    assert sweep.to_dict()["device"] == ["h200", "h100"]
    # Also of one n, and of one device.
    assert fathom.predict("sort-kway", 1e8, device=("h200", "h100"), E=15).time_s.shape == (2,)
    assert fathom.predict("sort-kway", 1e8, device=["h200"]).device == ["h200"]
    grid = fathom.predict("sort-kway", n[:, None], E=[15, 23], device=["h200", "h100"])
    assert grid.parameters["E"].shape == grid.throughput.shape == (2, 3, 2)
    assert grid.time_s[1, 2, 0] == fathom.predict("sort-kway", n[2], E=15, device="h100").time_s


def test_a_sweep_names_the_device_that_was_chosen(tmp_path):
    # By its name, where a path was given.
    (tmp_path / "mine.json").write_text((ROOT / "profiles/h100.json").read_text())
    assert fathom.predict("sort-kway", [1e6], device=tmp_path / "mine.json").device == "h100"


def test_what_the_gpu_cannot_run_is_nan():
    sweep = fathom.predict("sort-pairwise", [1e6, 1e13], device="h200")
    assert math.isfinite(sweep.time_s[0]) and math.isnan(sweep.time_s[1])
    assert sweep.to_dict()["time_s"][1] is None


def test_results_as_tables():
    tuning = fathom.tune("sort-pairwise", 1e8, device="h200", top=4)
    table = tuning.to_pandas()
    assert table.shape[0] == 4 and {"E", "t", "time_s", "low_s", "high_s", "bound"} <= set(table.columns)
    assert table.time_s.is_monotonic_increasing
    sweep = fathom.predict("sort-pairwise", np.array([[2**20], [2**22]]), E=[7, 15], device="h200").to_pandas()
    assert sweep.n.tolist() == [2**20, 2**20, 2**22, 2**22] and sweep.E.tolist() == [7, 15, 7, 15]
    kernels = fathom.predict("radix-msd", 2**28, device="h200").to_pandas()
    assert "SortBuckets" in kernels.kernel.tolist()
    phases = fathom.predict("sort-pairwise", 2**20, device="m4000", law="published").to_pandas()
    assert set(phases.level) == {"global", "shared"}
    counts = fathom.count("reduce-vector", 2**14, device="h200").to_pandas()
    assert (counts.read_bytes >= 4 * 2**14).any()


def test_algorithms_are_compared():
    ranking = fathom.predict("scan", 1e8, device="h200")
    assert ranking.predictions == sorted(ranking.predictions, key=lambda one: one.time_s)
    for one in ranking.predictions:
        assert one == fathom.predict(one.algorithm, 1e8, device="h200")
    assert [one.algorithm for one in ranking.left_out] == ["cub-scan"]
    without = {one.algorithm: one.why for one in fathom.tune("scan", 1e8, device="h200", t=[128]).left_out}
    assert "scan-stream" in without["scan-stream"] and "scan-naive" not in without
    named = fathom.predict(["scan-naive", "scan-lookback"], 1e8, device="h200")
    assert [one.algorithm for one in named.predictions] == ["scan-lookback", "scan-naive"]
    table = ranking.to_pandas()
    assert table.algorithm.tolist() == [one.algorithm for one in ranking.predictions]
    assert table.tied.sum() == ranking.tied
    assert ranking.fastest == ranking.predictions[0]
    # One name is a comparison, too, if it is in a list.
    assert fathom.predict(["scan-naive"], 1e8, device="h200").fastest == named.predictions[1]


def test_algorithms_are_tuned_together():
    ranking = fathom.tune(("scan-matrix", "scan-lookback"), 1e8, device="h200", top=3)
    for one in ranking.tunings:
        assert one == fathom.tune(one.algorithm, 1e8, device="h200", top=3)
    assert ranking.tunings[0].choices > 3 and ranking.tunings[0].without_work == 0
    assert ranking.to_pandas().time_s.is_monotonic_increasing
    assert ranking.fastest == ranking.tunings[0]


def test_a_law_without_intervals_has_no_ties():
    ranking = fathom.predict(["radix-msd", "sort-kway"], 1e8, device="h200", law="published")
    assert ranking.tied is None
    assert ranking.to_pandas().tied.isna().all()


@pytest.mark.parametrize("call", [fathom.predict, fathom.tune])
def test_comparisons_have_no_sensitivities_and_need_names(call):
    with pytest.raises(ValueError, match="sensitivities"):
        call("scan", 1e8, device="h200", sensitivities=True)
    with pytest.raises(ValueError, match="at least one name"):
        call([], 1e8, device="h200")
    with pytest.raises(ValueError, match="sort and scan-naive .scan. do different work"):
        call(["sort", "scan-naive"], 1e8, device="h200")


def test_comparisons_are_of_one_problem():
    for options in (dict(n=[1e6, 1e8]), dict(n=1e8, t=[128, 256])):
        with pytest.raises(ValueError, match="one n and one value"):
            fathom.predict("scan", device="h200", **options)
