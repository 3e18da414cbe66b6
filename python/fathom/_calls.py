"""The functions of the package. Each is the command of the same name, with its options as arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union, overload

from . import _core
from ._results import (Algorithm, Comparison, Count, Dataset, Device, Fit, Prediction, Profile, Sweep, Tuning)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Array = Union[npt.NDArray[Any], Sequence[int], Sequence[float]]

Number = Union[int, float]
Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]


def _path(path: Path | None) -> str:
    return "" if path is None else os.fspath(path)


def _paths(paths: Paths) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def _names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _is_array(value: Any) -> bool:
    return hasattr(value, "__len__") and getattr(value, "shape", None) != ()


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {value!r} is not a number") from None


def _whole(name: str, value: Any) -> int:
    number = _number(name, value)
    if number != int(number):
        raise ValueError(f"{name} = {value!r}: give a whole number")
    return int(number)


def _choice(parameters: Mapping[str, Any]) -> dict[str, int]:
    return {name: _whole(name, value) for name, value in parameters.items()}


def _choices(parameters: Mapping[str, Any]) -> dict[str, list[int]]:
    return {name: [_whole(name, one) for one in (value if _is_array(value) else [value])]
            for name, value in parameters.items()}


# The options of predictions, with their defaults and what they mean: declared in calls/options.h.
_DECLARED = {name: (default, meaning) for name, default, meaning in _core.prediction_options()}


def _asked(algorithm: str, type: str, stable: bool, device: Path | None, options: Mapping[str, Any]) -> _core.Asked:
    """`options` are those given; what is not declared raises ValueError."""
    given = dict(options)
    if "what_if" in given:
        given["what_if"] = _names(given["what_if"])
    if "compose" in given:
        given["compose"] = "" if given["compose"] == "sum" else str(given["compose"])
    return _core.Asked(algorithm=algorithm, type=type, stable=stable, device=_path(device), options=given)


@overload
def predict(algorithm: str, n: Number, *, type: str = ..., stable: bool = ..., device: Path | None = ...,
            law: str = ..., input: str = ..., what_if: str | Iterable[str] = ...,
            sensitivities: bool = ..., ceiling: str = ..., compose: str | Number = ...,
            **parameters: int) -> Prediction: ...
@overload
def predict(algorithm: str, n: Array, *, type: str = ..., stable: bool = ..., device: Path | None = ...,
            law: str = ..., input: str = ..., what_if: str | Iterable[str] = ...,
            ceiling: str = ..., compose: str | Number = ..., **parameters: int | Array) -> Sweep: ...
@overload
def predict(algorithm: str, n: Number, *, type: str = ..., stable: bool = ...,
            device: Path | None = ..., law: str = ..., input: str = ...,
            what_if: str | Iterable[str] = ..., ceiling: str = ..., compose: str | Number = ...,
            **parameters: int | Array) -> Prediction | Sweep: ...
def predict(algorithm: str, n: Any, *, type: str = "u32", stable: bool = False, device: Path | None = None,
            **arguments: Any) -> Prediction | Sweep:
    """Predict the time of an algorithm, in seconds.

    `n` is the number of elements; `parameters` are those of the algorithm, such as E=15 (defaults otherwise).
    Where any of them is an array, they broadcast as numpy arrays do, and the result is a Sweep: arrays of
    seconds, about as fast as C++ alone. Points that the GPU cannot run are NaN in it.

    `type` is that of the elements, "u32", or "u32:u32" for keys with values. `device` is a profile's name or
    path; without it, the GPU present, else "h200". The other options:
{options}
    Raises ValueError for bad arguments, and an Error such as MissingConstant or WorkUnavailable.
    """
    options = {name: arguments.pop(name) for name in _DECLARED if name in arguments}
    parameters = arguments
    asked = _asked(algorithm, type, stable, device, options)
    if not (_is_array(n) or any(map(_is_array, parameters.values()))):
        answer = _core.predict(asked, _number("n", n), _choice(parameters))
        return Prediction._of(json.loads(answer))
    if options.get("sensitivities"):
        raise ValueError("sensitivities are those of one prediction: give numbers instead of arrays")
    sizes, choices = _broadcast(n, parameters)
    seconds = _core.sweep(asked, sizes.ravel(), list(parameters), choices.reshape(len(choices), sizes.size))
    time, low, high = (row.reshape(sizes.shape) for row in seconds)
    law, has_intervals = _core.law(asked)
    return Sweep(algorithm=algorithm, device=None if device is None else os.fspath(device), law=law, n=sizes,
                 type=type, input=options.get("input", "random"), parameters=dict(zip(parameters, choices)),
                 time_s=time, interval_s=(low, high) if has_intervals else None, stable=stable)


if predict.__doc__:  # not under python -OO
    predict.__doc__ = predict.__doc__.format(
        options="\n".join(f"    {name}={default!r}: {meaning}" for name, (default, meaning) in _DECLARED.items()))


def _broadcast(n: Any, parameters: Mapping[str, Any]) -> tuple[Floats, npt.NDArray[np.int32]]:
    """n, and the parameters along the first axis of an array, contiguous."""
    import numpy as np

    arrays = [np.asarray(n, dtype=np.float64)]
    for name, value in parameters.items():
        array = np.asarray(value)
        whole = array.astype(np.int32)
        if not np.array_equal(whole, array):
            raise ValueError(f"{name}: give whole numbers")
        arrays.append(whole)
    sizes, *choices = np.broadcast_arrays(*arrays)
    stacked = np.empty((len(choices), *sizes.shape), dtype=np.int32)
    for row, choice in zip(stacked, choices):
        row[...] = choice
    return np.ascontiguousarray(sizes), stacked


def tune(algorithm: str, n: Number, *, type: str = "u32", stable: bool = False,
         device: Path | None = None, law: str = "", input: str = "random", top: int = 10,
         verify: int = 0, gpu: int = 0, exhaustive: bool = False, what_if: str | Iterable[str] = (),
         sensitivities: bool = False, ceiling: str = "as-printed", compose: str | Number = "sum",
         **parameters: int | Array) -> Tuning:
    """Rank an algorithm's parameters by predicted time.

    `parameters` restrict a parameter to a value or to several: t=[128, 256]. `top` says how many candidates
    to list, 0 for all. Work that is in no table is counted for seven seconds; `exhaustive` counts all. `verify` measures so many of the first on the GPU numbered `gpu`; the result then
    has their regret. The other arguments are those of `predict`.
    """
    asked = _asked(algorithm, type, stable, device,
                   {"law": law, "input": input, "what_if": what_if, "sensitivities": sensitivities,
                    "ceiling": ceiling, "compose": compose})
    answer = _core.tune(asked, _number("n", n), _choices(parameters), {"top": top, "gpu": gpu, "exhaustive": exhaustive}, verify)
    return Tuning._of(json.loads(answer))


def devices() -> list[Device]:
    """Profiles known (built in, the user's own) and GPUs present. Warns if GPUs cannot be looked for."""
    return [Device._of(one) for one in json.loads(_core.devices())["devices"]]


def algorithms() -> list[Algorithm]:
    """The registry: what each algorithm solves, with its parameters."""
    return [Algorithm._of(one) for one in json.loads(_core.algorithms())["algorithms"]]


def count(algorithm: str, n: Number, *, type: str = "u32", stable: bool = False, input: str = "random",
          device: Path | None = None, machine: str | None = None, width: int = 32, latency: int = 400,
          threads: int = 1 << 14, memory: int | None = None, instructions: bool = False,
          architecture: str = "sm_90", memory_limit: Number | None = None, **parameters: int) -> Count:
    """Run the kernels on the CPU and count their accesses and instructions.

    `machine` adds the cost on a machine of the theory, "dmm", "umm" or "agpu", of `width`, `latency` (time
    units), `threads` and, of an AGPU, `memory` (32-bit words; the device's by default). `instructions` adds
    the instructions in the kernels' machine code for `architecture`: it needs NVRTC and nvdisasm.
    `memory_limit` is the host memory that may be used, in bytes; by default what is free.
    """
    answer = _core.count(algorithm, _number("n", n), _choice(parameters), type=type, stable=stable,
                         input=input, device=_path(device), machine=machine or "", width=width,
                         latency=latency, threads=threads, memory_words=memory or 0,
                         architecture=architecture if instructions else None,
                         memory_limit=memory_limit or 0)
    return Count._of(json.loads(answer))


def calibrate(output: Path | None = None, *, gpu: int = 0, quick: bool = False, name: str | None = None,
              force: bool = False) -> Profile:
    """Measure the GPU and write its profile, to `output` or where `device` finds it by name.

    `quick` takes coarser sweeps, about 10 s. `force` writes the profile even if its measurements are
    implausible, and marks it so. Raises DeviceUnavailable without a GPU.
    """
    command = f"fathom.calibrate({_path(output)!r}, gpu={gpu}, quick={quick}, force={force})"
    content, file = _core.calibrate(file=_path(output), name=name or "", gpu=gpu, quick=quick, force=force,
                                    command=command)
    return Profile(file, json.loads(content))


def bench(algorithms: str | Iterable[str], sizes: Number | Array, *, output: Path,
          type: str | Iterable[str] = "u32", stable: bool = False, input: str | Iterable[str] = "random",
          repeats: int = 11, gpu: int = 0, **parameters: int | Array) -> Dataset:
    """Run the kernels on the GPU, check their output, and write a dataset to `output`.

    Measures every combination of sizes, types, inputs and parameters, each given as one value or several.
    Runs already in `output` are not repeated, so an interrupted call can be continued. Raises
    DeviceUnavailable without a GPU, and KernelFailure if configurations failed.
    """
    slugs = _names(algorithms)
    if not slugs:
        raise ValueError("no algorithm given: fathom.algorithms() lists them")
    values = [_number("n", one) for one in (sizes if _is_array(sizes) else [sizes])]  # type: ignore[union-attr]
    chosen = _choices(parameters)
    command = f"fathom.bench({slugs}, {[int(one) for one in values]}, type={_names(type)}, {chosen})"
    content = _core.bench(slugs, values, chosen, types=_names(type), stable=stable, inputs=_names(input),
                          file=_path(output), repeats=repeats, gpu=gpu, command=command)
    return Dataset(_path(output), json.loads(content))


def fit(datasets: Paths, profile: Path, *, refit: bool = False, force: bool = False,
        output: Path | None = None) -> Fit:
    """Fit two factors per algorithm to measured runs, for the law fitted, and write the profile with them.

    `profile` is that of the GPU measured, a name or a path. It is replaced in place unless `output` names
    another file. `refit` first refits the machine's constants to the profile's raw samples; `datasets` may
    then be empty. `force` writes a refitted profile even if its measurements are implausible.
    """
    answer, file = _core.fit(_paths(datasets), profile=_path(profile), refit=refit, force=force,
                             file=_path(output))
    return Fit(file, json.loads(answer))


def validate(datasets: Paths, *, device: Path | None = None, law: str | None = None,
             smallest_n: Number = 1) -> list[Comparison]:
    """Compare predicted with measured times, under `law` or under all that the profile allows.

    Errors are those of runs not used in any fit, of n of at least `smallest_n`. Without `device`, the profile
    is that of the GPU measured.
    """
    answer = _core.validate(_some(datasets), device=_path(device), law=law or "",
                            smallest_n=_number("n", smallest_n))
    return [Comparison._of(one) for one in json.loads(answer)["comparisons"]]


def _some(datasets: Paths) -> list[str]:
    paths = _paths(datasets)
    if not paths:
        raise ValueError("no dataset given: fathom.bench() writes them")
    return paths


def plot(kind: str, datasets: Paths = (), *, output: Path, device: Path | None = None,
         law: str | None = None, algorithm: str | Iterable[str] = (),
         parameter: str | None = None) -> list[str]:
    """Draw figures of predicted and measured times with gnuplot; returns the files.

    `kind` is that of the command: "throughput", "parity", "tradeoff" and so on. The ending of `output`, .svg,
    .png or .pdf, decides the format; of several figures, each one's id is added to the name. `algorithm`
    names those to draw, `parameter` the one to vary in a trade-off.
    """
    return _core.plot(kind, _paths(datasets), file=_path(output), device=_path(device), law=law or "",
                      algorithms=_names(algorithm), parameter=parameter or "")
