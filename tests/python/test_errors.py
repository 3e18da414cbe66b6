# SPDX-License-Identifier: Apache-2.0
"""Bad arguments are ValueErrors, the rest fathom.Errors, with the command's words but for options."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import fathom


def as_written(text):
    """The command's words, with its options as Python's arguments."""
    return (text.replace("--law published", "law='published'").replace("--stable", "stable")
            .replace("fathom calibrate --name nope", "fathom.calibrate(name='nope')"))


@pytest.mark.parametrize("arguments, options, call", [
    (["sort-pairwse", "-n", "1e6"], {}, ("sort-pairwse", 1e6)),
    (["sort-pairwise", "-n", "1e6", "--type", "foo"], {"type": "foo"}, ("sort-pairwise", 1e6)),
    (["sort-pairwise", "-n", "1e6", "--device", "nope"], {"device": "nope"}, ("sort-pairwise", 1e6)),
    (["sort-pairwise", "-n", "1e6", "--law", "guessed"], {"law": "guessed"}, ("sort-pairwise", 1e6)),
    (["sort-pairwise", "-n", "1e6", "--input", "odd"], {"input": "odd"}, ("sort-pairwise", 1e6)),
    (["sort-pairwise", "-n", "1e6", "--stable"], {"stable": True}, ("sort-pairwise", 1e6)),
    (["cub-merge", "-n", "1e6"], {}, ("cub-merge", 1e6)),
    (["sort-pairwise", "-n", "1e6", "--what-if", "dram.speed=2x"], {"what_if": ["dram.speed=2x"]},
     ("sort-pairwise", 1e6)),
])
def test_bad_arguments(command, arguments, options, call):
    with pytest.raises(RuntimeError) as expected:
        command("predict", *arguments)
    with pytest.raises(ValueError) as given:
        fathom.predict(*call, **options)
    assert str(given.value) == as_written(str(expected.value))


@pytest.mark.parametrize("n, E", [(0, 15), (1.5, 15), (2.0**54, 15), (float("nan"), 15), (1e6, 99), (1e6, 7.5),
                                  (1e6, 2**40), (1e6, float("inf")), (10**400, 15), ("many", 15)])
def test_bad_numbers(n, E):
    with pytest.raises(ValueError):
        fathom.predict("sort-pairwise", n, E=E, device="h200")
    if not isinstance(n, str):
        with pytest.raises(ValueError):
            fathom.predict("sort-pairwise", np.array([1e6, n]), E=np.array([15, E]), device="h200")


@pytest.mark.parametrize("n", [b"1e6", bytearray(b"1000"), [b"1000"], [None, 1e6], [True, False]])
def test_what_is_no_number(n):
    with pytest.raises(ValueError, match="^n "):
        fathom.predict("sort-pairwise", n, device="h200")


@pytest.mark.parametrize("E", ["15", b"15", ["15", "17"], [b"15"], [None, 15], np.array(["15"]), [True, False]])
def test_parameters_are_numbers(E):
    with pytest.raises(ValueError, match="^E "):
        fathom.predict("sort-pairwise", 1e6, E=E, device="h200")


def test_masked_entries_are_refused():
    masked = np.ma.masked_array([1e6, 1e7], mask=[False, True])
    with pytest.raises(ValueError, match="n has masked entries"):
        fathom.predict("sort-pairwise", masked, device="h200")
    whole = np.ma.masked_array([1e6, 1e7], mask=False)
    assert np.array_equal(fathom.predict("sort-pairwise", whole, device="h200").time_s,
                          fathom.predict("sort-pairwise", np.array([1e6, 1e7]), device="h200").time_s)


@pytest.mark.parametrize("call", [fathom.predict, fathom.tune, fathom.count])
def test_an_algorithm_that_is_no_name(call):
    with pytest.raises(TypeError, match="^algorithm = 3: give a name"):
        call(3, 1e6)


@pytest.mark.parametrize("file, call", [("mine.work", "predict_launches"), (Path("a/report.ncu-rep"), "import_report"),
                                        ("kernel.cubin", "predict_machine_code")])
def test_files_that_are_no_formulas_have_calls_of_their_own(file, call):
    for asked in (fathom.predict, fathom.tune):
        with pytest.raises(ValueError, match=rf"is no algorithm: fathom\.{call}\(\) takes this file"):
            asked(file, 1e6)


@pytest.mark.parametrize("call, message", [
    (lambda: fathom.validate(3), "datasets = 3: give text or a path, or several"),
    (lambda: fathom.validate([3]), "datasets = 3: give a path"),
    (lambda: fathom.predict_launches(3), "launches = 3: give a path"),
    (lambda: fathom.import_report("report.csv", 3), "output = 3: give a path"),
    (lambda: fathom.predict("sort-kway", 1e6, what_if=2), "what_if = 2: give text or a path, or several"),
])
def test_what_is_no_path_is_named(call, message):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == message


def test_unknown_parameter():
    with pytest.raises(ValueError) as error:
        fathom.predict("sort-pairwise", 1e6, e=15)
    assert str(error.value) == ("predict has no argument 'e', and sort-pairwise no parameter of this name: did you mean 'E'? "
                                "(sort-pairwise has E, t)")


@pytest.mark.parametrize("call, says", [
    (lambda: fathom.predict("radix-msd", 2**20, devise="h200"),
     "predict has no argument 'devise', and radix-msd no parameter of this name: did you mean 'device'?"),
    (lambda: fathom.predict("radix-msd", 2**20, devise=3), "did you mean 'device'?"),
    (lambda: fathom.predict("radix-msd", [2**20], devices=["h200", "h100"]), "did you mean 'device'?"),
    (lambda: fathom.predict("radix-msd", 2**20, typ="u64", device=3), "did you mean 'type'?"),
    (lambda: fathom.predict("sort", 2**20, typ="u64"),
     "predict has no argument 'typ', and none of the algorithms a parameter of this name: did you mean 'type'?"),
    (lambda: fathom.predict(["sort-kway", "radix-msd"], 2**20, k="16"), "did you mean 'K'?"),
    (lambda: fathom.tune("radix-msd", 2**20, exhaust=True), "tune has no argument 'exhaust'"),
    (lambda: fathom.tune("scan", 2**20, whatif="dram.bandwidth=2x"), "did you mean 'what_if'?"),
    (lambda: fathom.count("scan-matrix", 2**10, machin="umm"), "count has no argument 'machin'"),
    (lambda: fathom.bench("radix-msd", 2**10, output="x.json", repeat="many"), "did you mean 'repeats'?"),
    (lambda: fathom.bench("sort-gpus", 2**10, output="x.json", schema="all"), "did you mean 'scheme'?"),
])
def test_a_misspelt_argument_is_told_by_its_name_whatever_its_value(call, says):
    with pytest.raises(ValueError) as error:
        call()
    assert says in str(error.value)


def test_a_command_with_an_option_is_told_as_a_call():
    with pytest.raises(fathom.MissingConstant, match=r"has no links to other GPUs or the host: measure them with fathom\.calibrate\(links=True\)$"):
        fathom.predict("sort-gpus", 2**20, device="h200")


def test_a_misspelt_algorithm_comes_before_its_parameters():
    with pytest.raises(ValueError, match="unknown algorithm 'sort-parwise'"):
        fathom.predict("sort-parwise", 1e6, e=15)


def test_failures(command, tmp_path):
    for error, call, arguments in [
        (fathom.MissingConstant, lambda: fathom.predict("sort-pairwise", 1e6, device="m4000"),
         ["predict", "sort-pairwise", "-n", "1e6", "--device", "m4000"]),
        (fathom.Error, lambda: fathom.predict("sort-pairwise", 1e15, device="h200"),
         ["predict", "sort-pairwise", "-n", "1e15", "--device", "h200"]),
        (fathom.FileError, lambda: fathom.validate(tmp_path / "none.json"),
         ["validate", tmp_path / "none.json"]),
    ]:
        with pytest.raises(RuntimeError) as expected:
            command(*arguments)
        with pytest.raises(error) as given:
            call()
        assert str(given.value) == as_written(str(expected.value))
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(fathom.FormatError, match="bad.json"):
        fathom.predict("sort-pairwise", 1e6, device=tmp_path / "bad.json")


def test_measuring_without_a_gpu(tmp_path):
    if os.path.exists("/dev/nvidiactl"):
        pytest.skip("there is a GPU")
    for call in [lambda: fathom.calibrate(tmp_path / "p.json"),
                 lambda: fathom.calibrate(tmp_path / "p.json", links=True),
                 lambda: fathom.bench("sort-pairwise", 2**16, output=tmp_path / "d.json"),
                 lambda: fathom.tune("sort-pairwise", 2**20, device="h200", verify=1)]:
        with pytest.raises(fathom.DeviceUnavailable):
            call()
    assert list(tmp_path.glob("*.json")) == []


def test_notes_are_warnings(tmp_path):
    profiles = tmp_path / "config/fathom/profiles"
    profiles.mkdir(parents=True)
    (profiles / "broken.json").write_text("{")
    with pytest.warns(fathom.Note, match="broken.json") as notes:
        fathom.devices()
    assert notes[0].filename == __file__


def test_ctrl_c(tmp_path):
    """A long call ends soon after Ctrl-C, with the exception of Python's own handler."""
    # A process started in the background of a script would ignore the signal.
    program = ("import fathom, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
               "print('started', flush=True)\n"
               "try:\n    fathom.count('sort-pairwise', 2**26, device='h200', memory_limit=2**40)\n"
               "except KeyboardInterrupt:\n    print('interrupted')\n")
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "started\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n"
