# SPDX-License-Identifier: Apache-2.0
"""The kernels as functions of arrays on a GPU: those of CuPy, PyTorch, JAX, Numba, and all that have
__cuda_array_interface__ or speak DLPack."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from . import _core

_TYPES = {("u", 4): "u32", ("u", 8): "u64", ("i", 4): "i32", ("i", 8): "i64", ("f", 4): "f32", ("f", 8): "f64"}


class _Array(NamedTuple):
    """One-dimensional and without gaps."""
    address: int
    n: int
    type: str
    stream: int | None = None


def _type(name: str, kind: str, size: int) -> str:
    try:
        return _TYPES[kind, size]
    except KeyError:
        raise TypeError(f"{name} has elements of type {kind}{size}: give integers or floating-point numbers of 4 or 8 "
                        "bytes") from None


def _by_interface(name: str, interface: Any, written: bool) -> _Array:
    """Of __cuda_array_interface__, version 2 or 3."""
    shape, typestr = tuple(interface["shape"]), interface["typestr"]
    if len(shape) != 1:
        raise ValueError(f"{name} has {len(shape)} dimensions: give an array of one")
    if typestr[0] == ">":
        raise TypeError(f"{name} has big-endian elements: no GPU does")
    n, size = int(shape[0]), int(typestr[2:])
    strides = interface.get("strides")
    if strides is not None and n > 1 and tuple(strides) != (size,):
        raise ValueError(f"{name} has gaps between its elements: give a contiguous array")
    address, read_only = interface["data"]
    if written and read_only:
        raise ValueError(f"{name} cannot be written")
    return _Array(int(address or 0), n, _type(name, typestr[1], size), interface.get("stream"))


def _array(name: str, array: Any, written: bool = False) -> _Array:
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _by_interface(name, interface, written)
    if not hasattr(array, "__dlpack__"):
        raise TypeError(f"{name} is no array on a GPU: give one of CuPy, PyTorch, JAX or Numba")
    try:
        address, n, kind, size = _core.of_dlpack(array)
    except TypeError:
        raise TypeError(f"{name} is no array on a GPU, of one dimension and without gaps") from None
    return _Array(address, n, _type(name, kind, size))


def _same(name: str, array: _Array, n: int, type: str) -> None:
    if (array.n, array.type) != (n, type):
        raise ValueError(f"{name} has {array.n} elements of {array.type}: it must have {n} of {type}")


def _stream(stream: Any, *arrays: _Array | None) -> int:
    """Of the call, else of the arrays that name one; else CUDA's default stream."""
    if stream is not None:
        for name in ("cuda_stream", "ptr"):  # of PyTorch, of CuPy
            stream = getattr(stream, name, stream)
    else:
        for one in arrays:
            if one is not None and one.stream is not None:
                return one.stream
        return 0
    try:
        return int(stream)
    except (TypeError, ValueError):
        raise TypeError(f"stream = {stream!r}: give a stream of CuPy or PyTorch, or its address") from None


def _bits(bits: tuple[int, int] | None) -> tuple[int, int]:
    """0, 0 for all."""
    if bits is None:
        return 0, 0
    try:
        begin, end = map(operator.index, bits)
    except (TypeError, ValueError):
        raise TypeError(f"bits = {bits!r}: give the first bit and the one after the last, such as (0, 24)") from None
    if not 0 <= begin < end:
        raise ValueError(f"bits = {bits!r}: give the first bit and the one after the last, such as (0, 24)")
    return begin, end


def _sort(kind: str, keys: Any, values: Any, out: Any, out_values: Any, stable: bool, stream: Any, begins: Any = None,
          descending: bool = False, bits: tuple[int, int] | None = None) -> Any:
    given = _array("keys", keys, out is None)
    target = given if out is None else _array("out", out, True)
    _same("out", target, given.n, given.type)
    type_, value_given, value_target = given.type, None, None
    if values is not None:
        value_given = _array("values", values, out_values is None)
        value_target = value_given if out_values is None else _array("out_values", out_values, True)
        _same("out_values", value_target, value_given.n, value_given.type)
        if value_given.n != given.n:
            raise ValueError(f"values has {value_given.n} elements: as many as keys, {given.n}, are needed")
        type_ = f"{given.type}:{value_given.type.replace('i', 'u').replace('f', 'u')}"
    if (out is None) != (out_values is None) and values is not None:
        raise ValueError("give both out and out_values, or neither")
    if values is None and out_values is not None:
        raise ValueError("out_values without values")
    cuts = None
    if begins is not None:
        cuts = _array("begins", begins)
        if cuts.type != "i64" or cuts.n < 2:
            raise ValueError("begins has to have elements of i64, one more than there are lists")
    _core.run(kind, type_, given.n, stable, descending, *_bits(bits), given.address, value_given.address if value_given else 0,
              cuts.address if cuts else 0, cuts.n - 1 if cuts else 0, target.address,
              value_target.address if value_target else 0, _stream(stream, given, target))
    return keys if out is None else out


def sort(keys: Any, values: Any = None, *, out: Any = None, out_values: Any = None, stable: bool = False, descending: bool = False,
         bits: tuple[int, int] | None = None, stream: Any = None) -> Any:
    """Sorts keys, and values with them, in place or into `out` and `out_values`. Returns the sorted keys.

    Values are of 4 or 8 bytes, whatever they mean; keys of u32 have values of 4, keys of u64 either. `stable`: equal keys with
    values keep their order, in descending order, too. `bits`: keys are sorted by bits[0] up to before bits[1] alone, of signed and
    floating-point keys those of the unsigned integer that orders as the key does; fewer take less time. The call returns
    as soon as the work is queued on the stream, which is that of the arrays if they name one, else CUDA's default stream.
    """
    return _sort("sort", keys, values, out, out_values, stable, stream, descending=descending, bits=bits)


def sort_segments(keys: Any, begins: Any, values: Any = None, *, out: Any, out_values: Any = None, stream: Any = None) -> Any:
    """Sorts each of many lists: list i is keys[begins[i]:begins[i + 1]]. `begins` is of i64, one longer than there are lists, from 0
    to the number of keys. Stable. Returns `out`."""
    return _sort("segmented-sort", keys, values, out, out_values, values is not None, stream, begins)


def scan(elements: Any, *, out: Any = None, stream: Any = None) -> Any:
    """Exclusive prefix sums, in place or into `out`: out[i] is the sum of elements[:i]. Returns the sums."""
    given = _array("elements", elements, out is None)
    target = given if out is None else _array("out", out, True)
    _same("out", target, given.n, given.type)
    _core.run("scan", given.type, given.n, False, False, 0, 0, given.address, 0, 0, 0, target.address, 0, _stream(stream, given, target))
    return elements if out is None else out


def reduce(elements: Any, *, out: Any, stream: Any = None) -> Any:
    """The sum of the elements, into the one element of `out`, which is returned."""
    given, target = _array("elements", elements), _array("out", out, True)
    _same("out", target, 1, given.type)
    _core.run("reduce", given.type, given.n, False, False, 0, 0, given.address, 0, 0, 0, target.address, 0, _stream(stream, given, target))
    return out
