# SPDX-License-Identifier: Apache-2.0
"""The kernels as functions: what is refused before a GPU is asked for, and what reaches the kernels."""

import numpy as np
import pytest

import fathom
from fathom import _functions


class OnGpu:
    """What CuPy, PyTorch and Numba show of an array."""

    def __init__(self, n, typestr="<u4", address=0x10000, read_only=False, strides=None, stream=None, shape=None):
        self.__cuda_array_interface__ = {"shape": shape or (n,), "typestr": typestr, "data": (address, read_only), "version": 3,
                                         "strides": strides, "stream": stream}


@pytest.fixture
def calls(monkeypatch):
    """The calls that reach the kernels."""
    found = []
    monkeypatch.setattr(_functions._core, "run", found.append)
    return found


def told(call, *names):
    return tuple(getattr(call, name) for name in names)


ARRAYS = ("input", "values", "begins", "output", "output_values", "stream")
TASK = ("kind", "type", "n", "stable", "in_place", "lists", "descending", "bits")


def test_a_sort_in_place_has_one_array(calls):
    keys = OnGpu(100, "<i8")
    assert fathom.sort(keys) is keys
    (call,) = calls
    assert told(call, *TASK) == ("sort", "i64", 100, False, True, 0, False, (0, 0))
    assert told(call, *ARRAYS) == (0x10000, 0, 0, 0x10000, 0, 0)


def test_values_are_bits_of_their_size(calls):
    keys, values, out, out_values = OnGpu(9, "<u8"), OnGpu(9, "<f4", 0x20000), OnGpu(9, "<u8", 0x30000), OnGpu(9, "<f4", 0x40000)
    assert fathom.sort(keys, values, out=out, out_values=out_values, stable=True, stream=7) is out
    (call,) = calls
    assert told(call, *TASK) == ("sort", "u64:u32", 9, True, False, 0, False, (0, 0))
    assert told(call, *ARRAYS) == (0x10000, 0x20000, 0, 0x30000, 0x40000, 7)


def test_order_and_bits(calls):
    fathom.sort(OnGpu(9), descending=True)
    fathom.sort(OnGpu(9), bits=(np.int64(4), 20))
    assert [told(call, "descending", "bits") for call in calls] == [(True, (0, 0)), (False, (4, 20))]
    with pytest.raises(TypeError, match="bits = 8: give the first bit and the one after the last"):
        fathom.sort(OnGpu(9), bits=8)
    with pytest.raises(ValueError, match=r"bits = \(8, 8\)"):
        fathom.sort(OnGpu(9), bits=(8, 8))
    with pytest.raises(ValueError, match=r"bits = \(0, 0\)"):
        fathom.sort(OnGpu(9), bits=(0, 0))


def test_lists_are_counted_by_their_begins(calls):
    fathom.sort_segments(OnGpu(50), OnGpu(6, "<i8", 0x20000), out=OnGpu(50, address=0x30000))
    (call,) = calls
    assert told(call, *TASK) == ("segmented-sort", "u32", 50, False, False, 5, False, (0, 0))
    assert told(call, *ARRAYS) == (0x10000, 0, 0x20000, 0x30000, 0, 0)


def test_lists_need_begins(calls):
    with pytest.raises(TypeError, match="begins is no array on a GPU"):
        fathom.sort_segments(OnGpu(50), None, out=OnGpu(50, address=0x30000))
    with pytest.raises(ValueError, match="begins has to have elements of i64"):
        fathom.sort_segments(OnGpu(50), OnGpu(6, "<i4"), out=OnGpu(50, address=0x30000))
    assert calls == []


def test_scans_and_sums(calls):
    elements, total = OnGpu(8, "<f8"), OnGpu(1, "<f8", 0x20000)
    fathom.scan(elements)
    assert fathom.reduce(elements, out=total) is total
    assert [told(call, "kind", "type", "n", "in_place", "output") for call in calls] == [("scan", "f64", 8, True, 0x10000),
                                                                                         ("reduce", "f64", 8, False, 0x20000)]
    with pytest.raises(TypeError, match="out is no array on a GPU"):
        fathom.reduce(elements, out=None)


@pytest.mark.parametrize("stream, used", [(None, 5), (3, 3), (type("OfCupy", (), {"ptr": 11})(), 11),
                                          (type("OfTorch", (), {"cuda_stream": 12})(), 12)])
def test_the_stream_is_that_of_the_call_or_of_the_arrays(calls, stream, used):
    fathom.sort(OnGpu(4, stream=5), stream=stream)
    assert calls[0].stream == used


@pytest.mark.parametrize("arguments, error, says", [
    ({"keys": [3, 1, 2]}, TypeError, "keys is no array on a GPU"),
    ({"keys": np.arange(4)}, TypeError, "keys is no array on a GPU"),
    ({"keys": OnGpu(4, "<u2")}, TypeError, "type u2"),
    ({"keys": OnGpu(4, ">u4")}, TypeError, "big-endian"),
    ({"keys": OnGpu(0, shape=(2, 2))}, ValueError, "2 dimensions"),
    ({"keys": OnGpu(4, strides=(8,))}, ValueError, "gaps"),
    ({"keys": OnGpu(4, strides=(4, 9))}, ValueError, "gaps"),
    ({"keys": OnGpu(4, read_only=True)}, ValueError, "keys cannot be written: give out="),
    ({"keys": OnGpu(4, read_only=np.bool_(True))}, ValueError, "keys cannot be written: give out="),
    ({"keys": OnGpu(4), "values": OnGpu(4, read_only=True)}, ValueError, "values cannot be written: give out_values="),
    ({"keys": OnGpu(4), "out": OnGpu(4, read_only=True)}, ValueError, "out cannot be written: give an array that can be"),
    ({"keys": OnGpu(4), "work_space": OnGpu(4, read_only=True)}, ValueError, "work_space cannot be written: give an array"),
    ({"keys": OnGpu(4), "work_space": OnGpu(4, strides=(8,))}, ValueError, "work_space has gaps"),
    ({"keys": OnGpu(4), "work_space": 4096}, TypeError, "work_space is no array on a GPU"),
    ({"keys": None}, TypeError, "keys is no array on a GPU"),
    ({"keys": OnGpu(4), "out": OnGpu(5, address=0x20000)}, ValueError, "out has 5 elements of u32: it must have 4 of u32"),
    ({"keys": OnGpu(4), "out": OnGpu(4, "<i4", 0x20000)}, ValueError, "out has 4 elements of i32"),
    ({"keys": OnGpu(4), "values": OnGpu(3)}, ValueError, "values has 3 elements"),
    ({"keys": OnGpu(4), "values": OnGpu(4), "out": OnGpu(4, address=0x20000)}, ValueError, "both out and out_values"),
    ({"keys": OnGpu(4), "out_values": OnGpu(4)}, ValueError, "out_values without values"),
    ({"keys": OnGpu(4), "stream": "first"}, TypeError, "stream = 'first'"),
    ({"keys": OnGpu(4), "stable": "yes"}, TypeError, "stable = 'yes': give True or False"),
    ({"keys": OnGpu(4), "descending": 1}, TypeError, "descending = 1: give True or False"),
])
def test_what_no_kernel_can_take_is_refused_by_the_arguments_name(calls, arguments, error, says):
    with pytest.raises(error, match=says):
        fathom.sort(**arguments)
    assert calls == []


class Broken:
    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("it requires grad")


def test_what_an_array_says_itself_is_passed_on(calls):
    with pytest.raises(RuntimeError, match="it requires grad"):
        fathom.sort(Broken())
    incomplete = OnGpu(4)
    del incomplete.__cuda_array_interface__["data"]
    with pytest.raises(TypeError, match="keys has no data in its __cuda_array_interface__"):
        fathom.sort(incomplete)
    with pytest.raises(TypeError, match="keys has a __cuda_array_interface__ that cannot be read"):
        fathom.sort(OnGpu(4, shape=["four"]))
    for changed in ({"data": ()}, {"data": (1,)}, {"data": 1}, {"data": ("here", False)}, {"strides": 4}, {"stream": "first"}, {"typestr": "<"}):
        keys = OnGpu(4)
        keys.__cuda_array_interface__.update(changed)
        with pytest.raises(TypeError, match="keys has a __cuda_array_interface__ that cannot be read"):
            fathom.sort(keys)
    assert calls == []


def test_read_only_input_with_an_output_will_do(calls):
    fathom.sort(OnGpu(4, read_only=True), out=OnGpu(4, address=0x20000))
    assert len(calls) == 1


def test_read_only_elements_need_an_output(calls):
    with pytest.raises(ValueError, match="elements cannot be written: give out="):
        fathom.scan(OnGpu(4, read_only=True))
    with pytest.raises(ValueError, match="out cannot be written: give an array that can be"):
        fathom.reduce(OnGpu(4), out=OnGpu(1, read_only=True))
    assert calls == []


def test_work_space_has_elements_of_any_type(calls):
    space, out = OnGpu(1000, "|u1", 0x50000), OnGpu(4, address=0x20000)
    fathom.sort(OnGpu(4), work_space=space)
    fathom.sort_segments(OnGpu(4), OnGpu(2, "<i8"), out=out, work_space=OnGpu(10, "<c16", 0x50000))
    fathom.scan(OnGpu(4), work_space=OnGpu(3, "<f2", 0x50000))
    fathom.reduce(OnGpu(4), out=OnGpu(1), work_space=OnGpu(0, "|u1", None))
    fathom.sort(OnGpu(4))
    assert [call.work_space for call in calls] == [(0x50000, 1000), (0x50000, 160), (0x50000, 6), (0, 0), None]


@pytest.mark.parametrize("arguments, error, says", [
    (dict(kind="sorts"), ValueError, "kind = 'sorts': choose from sort, segmented-sort, scan, reduce"),
    (dict(kind="other"), ValueError, "kind = 'other': choose from sort"),
    (dict(kind=fathom.sort), TypeError, "kind = <function sort"),
    (dict(n=-1), ValueError, "n = -1: give a number from 0 to 2^53"),
    (dict(n=2**60), ValueError, "give a number from 0 to 2^53"),
    (dict(n="2^"), ValueError, "n = '2^' is no size"),
    (dict(n=1.5), ValueError, "n = 1.5: give a whole number"),
    (dict(lists=-3), ValueError, "lists = -3: give a number from 0 to 2^53"),
    (dict(type=32), TypeError, "type = 32: give text"),
    (dict(type="u3"), ValueError, "u3"),
    (dict(bits=8), TypeError, "bits = 8: give the first bit and the one after the last"),
    (dict(stable=None), TypeError, "stable = None: give True or False"),
    (dict(in_place="no"), TypeError, "in_place = 'no': give True or False"),
])
def test_a_task_without_a_call_is_refused_before_a_gpu_is_asked_for(arguments, error, says):
    with pytest.raises(error) as raised:
        fathom.work_space_bytes(**{"kind": "sort", "n": 10, "type": "u32", **arguments})
    assert says in str(raised.value)


@pytest.mark.parametrize("call", [
    lambda: fathom.sort(OnGpu(4)),
    lambda: fathom.sort(OnGpu(4), work_space=OnGpu(4096, "|u1", 0x50000)),
    lambda: fathom.work_space_bytes("sort", "2^28", type="u64:f32", in_place=True, bits=(0, 24)),
    lambda: fathom.work_space_bytes("segmented-sort", 1e6, type="u32", lists=np.int64(10)),
    fathom.release_work_spaces,
])
def test_without_a_gpu_a_call_says_so(monkeypatch, call):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(fathom.DeviceUnavailable):
        call()
