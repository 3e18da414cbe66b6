# SPDX-License-Identifier: Apache-2.0
"""The kernels as functions of arrays on a GPU: those of CuPy, PyTorch, JAX, Numba, and all that have
__cuda_array_interface__ or speak DLPack."""

from __future__ import annotations

import operator
from typing import Any

from . import _core
from ._calls import Size, _flag, _size, _text, _whole


def _bits(bits: tuple[int, int] | None) -> tuple[int, int]:
    if bits is None:
        return 0, 0
    try:
        begin, end = map(operator.index, bits)
    except (TypeError, ValueError):
        raise TypeError(f"bits = {bits!r}: give the first bit and the one after the last, such as (0, 24)") from None
    if not 0 <= begin < end:
        raise ValueError(f"bits = {bits!r}: give the first bit and the one after the last, such as (0, 24)")
    return begin, end


def _run(call: _core.Call, given: Any, out: Any) -> Any:
    _core.run(call)
    return given if out is None else out


def sort(keys: Any, values: Any = None, *, out: Any = None, out_values: Any = None, stable: bool = False, descending: bool = False,
         bits: tuple[int, int] | None = None, stream: Any = None, work_space: Any = None) -> Any:
    """Sorts keys, and values with them, in place or into `out` and `out_values`. Returns the sorted keys.

    Values are of 4 or 8 bytes, whatever they mean; keys of u32 have values of 4, keys of u64 either. `stable`: equal keys with
    values keep their order, in descending order, too. `bits`: keys are sorted by bits[0] up to before bits[1] alone, of signed and
    floating-point keys those of the unsigned integer that orders as the key does; fewer take less time. The call returns
    as soon as the work is queued on the stream, which is that of the arrays if they name one, else CUDA's default stream.
    `work_space`: an array on the GPU of at least as many bytes as work_space_bytes() says, with elements of any type, which only
    this call uses until it has run; by default the stream has one of its own.
    """
    begin, end = _bits(bits)
    call = _core.sort_call(keys, values, out, out_values, _flag("stable", stable), _flag("descending", descending), begin, end, stream,
                            work_space)
    return _run(call, keys, out)


def sort_segments(keys: Any, begins: Any, values: Any = None, *, out: Any, out_values: Any = None, stream: Any = None,
                  work_space: Any = None) -> Any:
    """Sorts each of many lists: list i is keys[begins[i]:begins[i + 1]]. `begins` is of i64, one longer than there are lists, from 0
    to the number of keys. Stable. Returns `out`."""
    call = _core.segments_call(keys, begins, values, out, out_values, stream, work_space)
    return _run(call, keys, out)


def scan(elements: Any, *, out: Any = None, stream: Any = None, work_space: Any = None) -> Any:
    """Exclusive prefix sums, in place or into `out`: out[i] is the sum of elements[:i]. Returns the sums."""
    return _run(_core.scan_call(elements, out, stream, work_space), elements, out)


def reduce(elements: Any, *, out: Any, stream: Any = None, work_space: Any = None) -> Any:
    """The sum of the elements, into the one element of `out`, which is returned."""
    return _run(_core.reduce_call(elements, out, stream, work_space), elements, out)


def _natural(name: str, value: Any) -> int:
    whole = _whole(name, _size(name, value))
    if not 0 <= whole <= 2**53:
        raise ValueError(f"{name} = {value!r}: give a number from 0 to 2^53")
    return whole


def work_space_bytes(kind: str, n: Size, *, type: str, stable: bool = False, in_place: bool = False, lists: Size = 0,
                     descending: bool = False, bits: tuple[int, int] | None = None) -> int:
    """The bytes of work space that a call needs on the current GPU.

    `kind` is "sort", "segmented-sort", "scan" or "reduce". `type` is that of the elements, "u64", or that of keys and values,
    "u64:u32", where values count by their size alone. `in_place`: the call has no `out`. `lists` is the number of lists of a
    segmented sort. The others are those of sort().
    """
    return _core.work_space_bytes(_text("kind", kind), _natural("n", n), _text("type", type), _flag("stable", stable),
                                  _flag("in_place", in_place), _natural("lists", lists), _flag("descending", descending), *_bits(bits))


def release_work_spaces() -> None:
    """Gives back the work spaces that the streams of the current GPU have, once all queued work has ended."""
    _core.release_work_spaces()
