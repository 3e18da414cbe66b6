# SPDX-License-Identifier: Apache-2.0
"""The kernels as functions of arrays on a GPU: those of CuPy, PyTorch, JAX, Numba, and all that have
__cuda_array_interface__ or speak DLPack."""

from __future__ import annotations

import operator
from typing import Any

from . import _core


def _bits(bits: tuple[int, int]) -> tuple[int, int]:
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
         bits: tuple[int, int] | None = None, stream: Any = None) -> Any:
    """Sorts keys, and values with them, in place or into `out` and `out_values`. Returns the sorted keys.

    Values are of 4 or 8 bytes, whatever they mean; keys of u32 have values of 4, keys of u64 either. `stable`: equal keys with
    values keep their order, in descending order, too. `bits`: keys are sorted by bits[0] up to before bits[1] alone, of signed and
    floating-point keys those of the unsigned integer that orders as the key does; fewer take less time. The call returns
    as soon as the work is queued on the stream, which is that of the arrays if they name one, else CUDA's default stream.
    """
    begin, end = (0, 0) if bits is None else _bits(bits)
    call = _core.sort_call(keys, values, out, out_values, stable, descending, begin, end, stream)
    return _run(call, keys, out)


def sort_segments(keys: Any, begins: Any, values: Any = None, *, out: Any, out_values: Any = None, stream: Any = None) -> Any:
    """Sorts each of many lists: list i is keys[begins[i]:begins[i + 1]]. `begins` is of i64, one longer than there are lists, from 0
    to the number of keys. Stable. Returns `out`."""
    call = _core.segments_call(keys, begins, values, out, out_values, stream)
    return _run(call, keys, out)


def scan(elements: Any, *, out: Any = None, stream: Any = None) -> Any:
    """Exclusive prefix sums, in place or into `out`: out[i] is the sum of elements[:i]. Returns the sums."""
    return _run(_core.scan_call(elements, out, stream), elements, out)


def reduce(elements: Any, *, out: Any, stream: Any = None) -> Any:
    """The sum of the elements, into the one element of `out`, which is returned."""
    return _run(_core.reduce_call(elements, out, stream), elements, out)
