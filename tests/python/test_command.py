# SPDX-License-Identifier: Apache-2.0
"""Every call gives what the command gives."""

import os
import shutil
import warnings
from pathlib import Path

import pytest

import fathom


def answer(result, command_answer):
    """Both as dictionaries; the command omits what is at its default."""
    given = result.to_dict()
    expected = {key: value for key, value in command_answer.items() if key not in ("schema", "version")}
    if not given.get("stable", True):
        del given["stable"]
    for omitted in ("machine_code", "assumptions"):
        if given.get(omitted, 0) is None:
            del given[omitted]
    return given, expected


@pytest.mark.parametrize("arguments, call", [
    (["sort-pairwise", "-n", "2^26", "--device", "h200"], ("sort-pairwise", 2**26, dict(device="h200"))),
    (["sort-pairwise", "-n", "1e6", "--device", "m4000", "--law", "published", "--set", "E=17"],
     ("sort-pairwise", 1e6, dict(device="m4000", law="published", E=17))),
    (["sort-mms", "-n", "1e6", "--device", "k40m", "--law", "published", "--compose", "max", "--ceiling", "always",
      "--option", "register-factor=2", "--option", "resident-threads=0"],
     ("sort-mms", 1e6, dict(device="k40m", law="published", compose="max", ceiling="always",
                            option=["register-factor=2", "resident-threads=0"]))),
    (["scan-lookback", "-n", "1e7", "--device", "h200", "--law", "fitted", "--type", "f64"],
     ("scan-lookback", 10**7, dict(device="h200", law="fitted", type="f64"))),
    (["sort-kway", "-n", "1e7", "--device", "h200", "--input", "reverse"],
     ("sort-kway", 1e7, dict(device="h200", input="reverse"))),
    (["radix-msd", "-n", "2^24", "--device", "h200", "--type", "u32:u32", "--stable",
      "--what-if", "dram.bandwidth=2x", "--sensitivities"],
     ("radix-msd", 2**24, dict(device="h200", type="u32:u32", stable=True, what_if=["dram.bandwidth=2x"], sensitivities=True))),
])
def test_predict(command, arguments, call):
    algorithm, n, options = call
    given, expected = answer(fathom.predict(algorithm, n, **options), command("predict", *arguments))
    assert given == expected


def test_tune(command):
    tuning = fathom.tune("sort-kway", 2**26, device="h200", top=3, K=[4, 16], t=256)
    given, expected = answer(tuning, command("tune", "sort-kway", "-n", "2^26", "--device", "h200", "--top",
                                             3, "--set", "K=4,16", "--set", "t=256"))
    assert given == expected
    assert tuning.best == tuning.candidates[0]
    assert len(tuning.candidates) == 3


def ranking(entries, result, command_answer):
    """As answer(), of a ranking."""
    given, expected = result.to_dict(), {key: value for key, value in command_answer.items() if key not in ("schema", "version")}
    pairs = [answer(one, told) for one, told in zip(getattr(result, entries), expected[entries], strict=True)]
    given[entries], expected[entries] = [one for one, _ in pairs], [told for _, told in pairs]
    return given, expected


@pytest.mark.parametrize("names, arguments, options", [
    ("sort", ["--type", "u64:u32", "--stable"], dict(type="u64:u32", stable=True)),
    (["radix-msd", "sort-kway"], ["--law", "published"], dict(law="published")),
    (["scan-naive", "scan-interval"], ["--set", "t=512", "--what-if", "dram.bandwidth=2x"],
     dict(t=512, what_if="dram.bandwidth=2x")),
])
def test_predict_several(command, names, arguments, options):
    name = names if isinstance(names, str) else ",".join(names)
    given, expected = ranking("predictions", fathom.predict(names, 1e7, device="h200", **options),
                              command("predict", name, "-n", "1e7", "--device", "h200", *arguments))
    assert given == expected


def test_tune_several(command):
    given, expected = ranking("tunings", fathom.tune("scan", 1e8, device="h200", top=2, t=[256, 512]),
                              command("tune", "scan", "-n", "1e8", "--device", "h200", "--top", 2, "--set", "t=256,512"))
    assert given == expected


def test_a_formula_in_a_file(command, tmp_path, monkeypatch):
    # It has no kernels, so that the law need not be named; and every way to name the file is the same file.
    shutil.copy(Path(__file__).parents[2] / "examples/own-formula/pairwise-mergesort.json", tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    expected = command("predict", "./mine", "-n", "1e6", "--device", "m4000")
    assert expected["law"] == "published"
    for file in ("./mine", Path("mine"), tmp_path / "mine", f"../{tmp_path.name}/mine"):
        prediction = fathom.predict(file, 1e6, device="m4000")
        given, wanted = answer(prediction, expected)
        assert given == wanted
        sweep = fathom.predict(file, [1e6, 2e6], device="m4000")
        assert (sweep.law, sweep.time_s[0]) == ("published", prediction.time_s)
    given, wanted = answer(fathom.tune(Path("mine"), 1e6, device="m4000"),
                           command("tune", "./mine", "-n", "1e6", "--device", "m4000"))
    assert given == wanted
    with warnings.catch_warnings():  # the profile has no measured rates, so there is no curve by the law counted
        warnings.simplefilter("ignore", fathom.Note)
        files = fathom.plot("throughput", algorithm=Path("mine"), device="m4000", output="curve.svg")
    assert [os.path.basename(file) for file in files] == ["curve.svg"]


def test_count(command):
    count = fathom.count("scan-matrix", 2**14, device="h200", machine="umm", threads=2**10, alpha=8)
    given, expected = answer(count, command("count", "scan-matrix", "-n", "2^14", "--device", "h200", "--set",
                                            "alpha=8", "--machine", "umm", "--threads", 1024))
    assert given == expected


def test_lists(command):
    # Formulas from files, which another test may have read before, are listed, too.
    known = [one.to_dict() for one in fathom.algorithms() if one.group != "file"]
    assert known == command("algorithms")["algorithms"]
    expected = [one for one in command("devices")["devices"] if one["where"] == "built in"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fathom.Note)  # of a machine without a GPU
        given = fathom.devices()
    assert [one.to_dict() for one in given if one.where == "built in"] == expected
    assert "h200" in [one.name for one in given]


def test_validate(command, data):
    files = [data / "h200/reduce-sizes.json"]
    comparisons = fathom.validate(files, smallest_n=2**20, device="h200")
    expected = command("validate", *files, "--smallest-n", "2^20", "--device", "h200")["comparisons"]
    assert [one.to_dict() for one in comparisons] == expected
    assert [one.law for one in comparisons] == ["counted", "fitted", "published"]


def test_fit(command, data, tmp_path):
    runs = data / "h200/reduce-sizes.json"
    with pytest.warns(fathom.Note, match="its earlier fit in the profile is kept"):
        fitted = fathom.fit(runs, "h200", output=tmp_path / "python.json")
    expected = command("fit", runs, "--profile", "h200", "-o", tmp_path / "command.json")
    given, told = answer(fitted, expected)
    assert fitted.fits and given == {"file": str(tmp_path / "python.json"), **told}
    work = fitted.fits[0].factors["work"]
    assert work.interval.low < work.value < work.interval.high
    assert fitted.to_pandas()["work"].tolist() == [one.factors["work"].value for one in fitted.fits]
    assert fitted.file == str(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_text() == (tmp_path / "command.json").read_text()
    with pytest.raises(ValueError, match="built in: choose a file"):
        fathom.fit(runs, "h200")
    with pytest.raises(ValueError, match="nothing to fit"):
        fathom.fit([], "h200", output=tmp_path / "python.json")


def test_report(command, tmp_path, data):
    runs = [data / "h200/reduce-sizes.json", data / "h200/scan-grid.json"]
    file = fathom.report(compare=runs, output=tmp_path / "python.html")
    command("report", "--compare", *runs, "-o", tmp_path / "command.html")
    assert file == str(tmp_path / "python.html")
    assert (tmp_path / "python.html").read_text() == (tmp_path / "command.html").read_text()
    with pytest.raises(ValueError, match="compare takes two"):
        fathom.report(runs, compare=runs, output=tmp_path / "python.html")


def test_a_crossover_needs_no_runs(tmp_path):
    files = fathom.plot("crossover", output=tmp_path / "c.svg", device="h200", algorithm="reduce")
    assert files and all("reduce-" in open(file).read() for file in files)


def test_plot(tmp_path, data):
    files = fathom.plot("parity", data / "h200/reduce-sizes.json", output=tmp_path / "p.svg", device="h200")
    assert files and all("<svg" in open(file).read() for file in files)
