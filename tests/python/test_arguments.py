# SPDX-License-Identifier: Apache-2.0
"""Values in all the types that users have them in, and errors that name the argument."""

from pathlib import Path

import numpy as np
import pytest

import fathom

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("n", ["2^20", "1048576", "1048576.0", np.int64(2**20), np.uint32(2**20), np.float32(2**20),
                               np.array(2**20), np.str_("2^20"), 1048576.0])
def test_sizes(n):
    assert fathom.predict("sort-kway", n, device="h200") == fathom.predict("sort-kway", 2**20, device="h200")
    assert fathom.predict("sort-kway", [n], device="h200").n.tolist() == [2**20]


def test_sizes_elsewhere(data):
    assert fathom.tune("scan-matrix", "1e8", device="h200") == fathom.tune("scan-matrix", 10**8, device="h200")
    assert fathom.predict("scan", "1e8", device="h200") == fathom.predict("scan", 10**8, device="h200")
    assert fathom.predict("sort-kway", ["2^20", "1e6"], device="h200").n.tolist() == [2**20, 10**6]
    assert fathom.predict("sort-kway", np.array([["2^20"], ["7"]]), device="h200", E=[15, 23]).n.shape == (2, 2)
    few = dict(device="h200", machine="umm")
    assert (fathom.count("scan-matrix", "2^12", threads="2^10", memory_limit="1e12", **few)
            == fathom.count("scan-matrix", 2**12, threads=2**10, memory_limit=10**12, **few))
    runs = data / "h200/reduce-sizes.json"
    assert fathom.validate(runs, smallest_n="2^20") == fathom.validate(runs, smallest_n=2**20)


def test_scalars_of_numpy():
    given = fathom.tune("sort-kway", 2**20, device="h200", top=np.int64(3), exhaustive=np.bool_(False), t=np.int32(256),
                        K=np.array([4, 16], dtype=np.uint8))
    assert given == fathom.tune("sort-kway", 2**20, device="h200", top=3, exhaustive=False, t=256, K=[4, 16])


@pytest.mark.filterwarnings("ignore::fathom.Note")
def test_a_device_is_taken_for_its_name(tmp_path, monkeypatch, data):
    profiles = {one.name: one for one in fathom.devices()}
    h100 = profiles["h100"]
    assert fathom.predict("sort-kway", 1e6, device=h100) == fathom.predict("sort-kway", 1e6, device="h100")
    assert fathom.tune("sort-kway", 1e6, device=h100) == fathom.tune("sort-kway", 1e6, device="h100")
    assert fathom.count("scan-matrix", 1e3, device=h100) == fathom.count("scan-matrix", 1e3, device="h100")
    fathom.report(compare=[h100, profiles["h200"]], output=tmp_path / "page.html")
    assert fathom.fit(data / "h200/reduce-sizes.json", profiles["h200"], output=tmp_path / "p.json").fits
    # The user's own, which may have a name of any kind.
    mine = tmp_path / "config/fathom/profiles"
    mine.mkdir(parents=True)
    (mine / "mine.json").write_text((ROOT / "profiles/h100.json").read_text().replace('"h100"', '"mine"'))
    (own,) = (one for one in fathom.devices() if one.name == "mine")
    assert fathom.predict("sort-kway", [1e6], device=own).device == "mine"


def test_a_gpu_without_a_profile_is_no_device():
    present = fathom.Device(name="gpu 0", where="present", origin=None, implausible=False, gpu="NVIDIA B200",
                            multiprocessors=148, cores_per_multiprocessor=128, clock_hz=None, global_memory_bytes=None,
                            global_bytes_per_second=None)
    with pytest.raises(ValueError, match=r"device: gpu 0 has no profile: fathom.calibrate\(\) makes one"):
        fathom.predict("sort-kway", 1e6, device=present)


def at(**arguments):
    """A prediction with these arguments."""
    return lambda: fathom.predict(**{"algorithm": "sort-kway", "n": 2**20, "device": "h200", **arguments})


@pytest.mark.parametrize("call, error, message", [
    (at(n="2^"), ValueError, "n = '2^' is no size: give it as 1000000, '1e6' or '2^20', and several as a list"),
    (at(n="2^16..2^28"), ValueError, "n = '2^16..2^28' is no size"),
    (at(n=["2^20", "x"]), ValueError, "n = 'x' is no size"),
    (at(n="0"), ValueError, "n = 0: give at least one element"),
    (at(n=b"2^20"), ValueError, "n = b'2^20' is bytes: give a number, or text such as '2^20'"),
    (at(E=b"15"), ValueError, "E = b'15' is bytes: give a number"),
    (at(n=True), ValueError, "n = True is not a number"),
    (at(n=np.bool_(True)), ValueError, "True"),
    (at(n=None), ValueError, "n = None is not a number"),
    (at(n={}), ValueError, "n holds object: give numbers"),
    (at(n=2j), ValueError, "n = 2j is not a number"),
    (at(n=[[1, 2], [3]]), ValueError, "n is no array: give rows of one length"),
    (at(n=[1, 2, 3], E=[15, 23]), ValueError, "n (3,), E (2,) do not broadcast: give arrays of one shape, or n[:, None]"),
    (at(E="15"), ValueError, "E = '15' is text: give a number"),
    (at(E=None), ValueError, "E = None is not a number"),
    (at(device=3), TypeError, "device = 3: give a path"),
    (at(device=[]), ValueError, "device = []: give at least one"),
    (at(device=["h200", 3]), TypeError, "device = 3: give a path"),
    (at(device=["h200", "nope"]), ValueError, "no profile 'nope'"),
    (at(device=["h200", "h100"], sensitivities=True), ValueError, "sensitivities are those of one prediction"),
    (at(device=["h200", "h100"], algorithm="scan"), ValueError, "device: algorithms are compared on one"),
    (at(device=["h200", "m4000"]), fathom.MissingConstant, "profile 'm4000'"),
    (at(law=3), TypeError, "law = 3: give text"),
    (at(type=32), TypeError, "type = 32: give text"),
    (at(input=["random"]), TypeError, "input = ['random']: give text"),
    (at(stable="yes"), TypeError, "stable = 'yes': give True or False"),
    (at(compose=[]), ValueError, "compose = [] is not a number"),
    (at(what_if=3), TypeError, "what_if = 3: give text"),
    (at(what_if={"dram.bandwidth": "2x"}), TypeError, "what_if = {'dram.bandwidth': '2x'}: give ['dram.bandwidth=2x']"),
    (at(what_if={}), TypeError, "what_if = {}: give []"),
    (lambda: fathom.validate({"a.json": 1}), TypeError, "datasets = {'a.json': 1}: give text or a path, or several"),
    (lambda: fathom.tune("sort-kway", 1e6, device=["h200", "h100"]), TypeError, "device = ['h200', 'h100']: give a path"),
    (lambda: fathom.tune("sort-kway", 1e6, device="h200", top="all"), ValueError, "top = 'all' is text: give a number"),
    (lambda: fathom.tune("sort-kway", 1e6, device="h200", top=1.5), ValueError, "top = 1.5: give a whole number"),
    (lambda: fathom.bench("sort-kway", "2^", output="x.json"), ValueError, "sizes = '2^' is no size"),
    (lambda: fathom.bench([], 1, output="x.json"), ValueError, "algorithms = []: fathom.algorithms"),
    (lambda: fathom.bench("sort-kway", [], output="x.json"), ValueError, "sizes = []: give at least one"),
    (lambda: fathom.validate([]), ValueError, "datasets = []: fathom.bench"),
    (lambda: fathom.fit("x.json", None), TypeError, "profile = None: give a path"),
    (lambda: fathom.report(output=None), TypeError, "output = None: give a path"),
    (lambda: fathom.report(compare="h200"), ValueError, "compare"),
    (lambda: fathom.plot(3, output="x.svg"), TypeError, "kind = 3: give text"),
    (lambda: fathom.plot("pie", output="x.svg"), ValueError, "pie"),
])
def test_errors_name_the_argument(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
