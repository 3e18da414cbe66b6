# SPDX-License-Identifier: Apache-2.0
"""The functions of the package. Each is the command of the same name, with its options as arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, overload

from . import _core
from ._results import (Algorithm, Comparison, Count, Dataset, Device, Fit, Import, LaunchesPrediction, Listing,
                       MachineCodePrediction, Prediction, PredictionRanking, Profile, Sweep, TuneRanking, Tuning)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Array = Union[npt.NDArray[Any], Sequence[int], Sequence[float], Sequence["np.integer[Any]"], "list[str]"]

Whole = Union[int, "np.integer[Any]"]
Number = Union[int, float, "np.integer[Any]", "np.floating[Any]"]
Size = Union[Number, str]  # as 2^28 or 1e8, which the command line takes
Path = Union[str, "os.PathLike[str]"]  # also of a Profile, a Dataset and other results that have a file
Profiled = Union[Path, Device]
Profiles = Sequence[Profiled]  # a text alone is one, too, so that one profile is looked for first
Paths = Union[Path, Iterable[Path]]
# A kind, or several algorithms. A text alone is a sequence of texts, so that these are told apart by their types.
Compared = Union[Literal["sort", "scan", "reduce"], "list[str]", "tuple[Path, ...]", Sequence["os.PathLike[str]"]]
Trips = Union[Mapping[str, int], Mapping[int, int]]


def _path(name: str, path: Profiled) -> str:
    if isinstance(path, Device):
        if path.origin is None:
            raise ValueError(f"{name}: {path.name} has no profile: fathom.calibrate() makes one")
        return path.name if path.where == "built in" else path.where
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{name} = {path!r}: give a path") from None


def _path_if_any(name: str, path: Profiled | None) -> str:
    return "" if path is None else _path(name, path)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} = {value!r}: give text")
    return value


# The options whose texts assign a value to a name.
_ASSIGNING = ("what_if", "option", "read_as")


def _several(name: str, values: Any) -> list[Any]:
    """The values, or the only one."""
    if isinstance(values, Mapping):  # whose names alone would count
        wanted = [f"{key}={value}" for key, value in values.items()] if name in _ASSIGNING else "text or a path, or several"
        raise TypeError(f"{name} = {values!r}: give {wanted}")
    if isinstance(values, (str, bytes, os.PathLike, Device)):
        return [values]
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name} = {values!r}: give text or a path, or several") from None


def _paths(name: str, paths: Paths | Profiles) -> list[str]:
    return [_path(name, one) for one in _several(name, paths)]


def _names(names: Paths) -> list[str]:
    return [_algorithm(one) for one in _several("algorithm", names)]


# What predicts the files that are no formulas.
_PREDICTED_BY = {".work": "predict_launches", ".ncu-rep": "import_report", ".csv": "import_report",
                 ".cubin": "predict_machine_code", ".fatbin": "predict_machine_code", ".ptx": "predict_machine_code"}


def _algorithm(algorithm: Any) -> str:
    if not isinstance(algorithm, (str, os.PathLike)):
        raise TypeError(f"algorithm = {algorithm!r}: give a name, or the path of a file with a formula")
    call = _PREDICTED_BY.get(os.path.splitext(algorithm)[1])
    if call:
        raise ValueError(f"algorithm = {os.fspath(algorithm)!r} is no algorithm: fathom.{call}() takes this file")
    if isinstance(algorithm, str):
        return algorithm
    return os.path.join(".", algorithm)  # always a file, also where pathlib has dropped the "./"


def _compared(algorithm: Any) -> list[str] | None:
    """The names to compare; None for one algorithm."""
    several = _is_array(algorithm)
    names = [_algorithm(one) for one in (algorithm if several else [algorithm])]
    if not names:
        raise ValueError("algorithm = []: give at least one name")
    return names if several or _core.are_compared(names) else None


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes, bytearray))


def _is_array(value: Any) -> bool:
    return hasattr(value, "__len__") and getattr(value, "shape", None) != () and not _is_text(value)


def _is_flag(value: Any) -> bool:
    """Python's or numpy's True or False."""
    return isinstance(value, bool) or (getattr(value, "shape", None) == () and getattr(value, "dtype", None) == bool)


def _flag(name: str, value: Any) -> bool:
    if value is True or value is False:  # what sort() is asked at every call
        return value
    if not _is_flag(value):
        raise TypeError(f"{name} = {value!r}: give True or False")
    return bool(value)


def _number(name: str, value: Any) -> float:
    if _is_text(value):  # float() would read it
        raise ValueError(f"{name} = {value!r} is {'text' if isinstance(value, str) else 'bytes'}: give a number")
    try:
        if _is_flag(value):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {value!r} is not a number") from None
    except OverflowError:  # it has hundreds of digits
        raise ValueError(f"{name} is too large: give a number below 2^53") from None


def _size(name: str, value: Any) -> float:
    if isinstance(value, (bytes, bytearray)):
        raise ValueError(f"{name} = {value!r} is bytes: give a number, or text such as '2^20'")
    if not isinstance(value, str):
        return _number(name, value)
    number = _core.size_in(value)
    if number is None:
        raise ValueError(f"{name} = {value!r} is no size: give it as 1000000, '1e6' or '2^20', and several as a list")
    return number


def _whole(name: str, value: Any) -> int:
    number = _number(name, value)
    if not number.is_integer():
        raise ValueError(f"{name} = {value!r}: give a whole number")
    return int(number)


def _value(name: str, value: Any) -> int:
    """Of a parameter."""
    whole = _whole(name, value)
    if abs(whole) >= 2**31:
        raise ValueError(f"{name} = {value!r} is out of range: give a number below 2^31")
    return whole


def _choice(parameters: Mapping[str, Any]) -> dict[str, int]:
    return {name: _value(name, value) for name, value in parameters.items()}


def _choices(parameters: Mapping[str, Any]) -> dict[str, list[int]]:
    return {name: [_value(name, one) for one in (value if _is_array(value) else [value])]
            for name, value in parameters.items()}


# The options of each call, by name, with their defaults and what they mean: declared in calls/options.h. None stands for
# a default that is derived from other values.
_OPTIONS = {call: {name: (kind, default, meaning) for name, kind, default, meaning in options}
            for call, options in _core.options().items()}
_DECLARED: Any = object()  # in a signature: the default that is declared

_Call = TypeVar("_Call", bound=Callable[..., Any])


def _declared(call: _Call) -> _Call:
    """The call with the defaults declared, and with what its options mean in its documentation."""
    function: Any = call
    meanings = []
    for name, (_, default, meaning) in _OPTIONS[function.__name__].items():
        shown: Any = default
        if isinstance(default, list):
            shown = default[0] if len(default) == 1 else tuple(default)
        if name in function.__kwdefaults__:
            function.__kwdefaults__[name] = shown
            name += f"={shown!r}"
        meanings.append(f"    {name}: {meaning}")
    if function.__doc__:  # not under python -OO
        function.__doc__ = function.__doc__.format(options="\n".join(meanings))
    return call


def _options(call: str, given: Mapping[str, Any]) -> dict[str, _core.Option]:
    """The options of the call among the variables given, as the module takes them."""
    options: dict[str, _core.Option] = {}
    for name, (kind, _, _) in _OPTIONS[call].items():
        value = given[name]
        if name == "algorithm":
            options[name] = _names(value)
        elif kind == "list":
            options[name] = _paths(name, value)
        elif value is None:  # as declared
            pass
        elif kind == "flag":
            options[name] = _flag(name, value)
        elif kind == "number":
            options[name] = _number(name, value)
        elif kind == "size":
            options[name] = _size(name, value)
        elif name in ("device", "profile"):
            options[name] = _path(name, value)
        elif name == "compose" and not isinstance(value, str):
            options[name] = str(_number(name, value))
        else:
            options[name] = _text(name, value)
    return options


def _check_names(call: str, algorithms: list[str], parameters: Mapping[str, Any]) -> None:
    """Of parameters, before any value is looked at: what is misspelt is no value of the wrong type."""
    if parameters:
        _core.check_names(call, list(_OPTIONS[call]), algorithms, list(parameters))


@overload
def predict(algorithm: Compared, n: Size, *, type: str = ..., stable: bool = ...,  # type: ignore[overload-overlap]
            device: Profiled | None = ..., law: str | None = ..., input: str = ...,
            what_if: str | Iterable[str] = ..., ceiling: str = ..., compose: str | Number = ...,
            option: str | Iterable[str] = ..., **parameters: Whole) -> PredictionRanking: ...
@overload
def predict(algorithm: Path, n: Size, *, type: str = ..., stable: bool = ...,  # type: ignore[overload-overlap]
            device: Profiled | None = ..., law: str | None = ..., input: str = ..., what_if: str | Iterable[str] = ...,
            sensitivities: bool = ..., ceiling: str = ..., compose: str | Number = ...,
            option: str | Iterable[str] = ..., **parameters: Whole) -> Prediction: ...
@overload
def predict(algorithm: Path, n: Array, *, type: str = ..., stable: bool = ..., device: Profiled | Profiles | None = ...,
            law: str | None = ..., input: str = ..., what_if: str | Iterable[str] = ...,
            ceiling: str = ..., compose: str | Number = ..., option: str | Iterable[str] = ...,
            **parameters: Whole | Array) -> Sweep: ...
@overload
def predict(algorithm: Path, n: Size | Array, *, device: Profiles, type: str = ..., stable: bool = ...,
            law: str | None = ..., input: str = ..., what_if: str | Iterable[str] = ...,
            ceiling: str = ..., compose: str | Number = ..., option: str | Iterable[str] = ...,
            **parameters: Whole | Array) -> Sweep: ...
@overload
def predict(algorithm: Path, n: Size, *, type: str = ..., stable: bool = ...,
            device: Profiled | None = ..., law: str | None = ..., input: str = ...,
            what_if: str | Iterable[str] = ..., ceiling: str = ..., compose: str | Number = ...,
            option: str | Iterable[str] = ..., **parameters: Whole | Array) -> Prediction | Sweep: ...
@_declared
def predict(algorithm: Path | Compared, n: Size | Array, *, type: str = _DECLARED, stable: bool = _DECLARED,
            device: Profiled | Profiles | None = _DECLARED, law: str | None = _DECLARED, input: str = _DECLARED,
            what_if: str | Iterable[str] = _DECLARED, sensitivities: Any = _DECLARED, ceiling: str = _DECLARED,
            compose: str | Number = _DECLARED, option: str | Iterable[str] = _DECLARED,
            **parameters: Any) -> Prediction | Sweep | PredictionRanking:
    """Predict the time of an algorithm, in seconds.

    `n` is the number of elements, also as text: "2^28". `parameters` are those of the algorithm, such as E=15
    (defaults otherwise). Where any of them is an array, they broadcast as numpy arrays do, and the result is a Sweep:
    arrays of seconds, about as fast as C++ alone. Several devices in a list are a first axis of its arrays. Points that
    the GPU cannot run are NaN in it. Several algorithms, or "sort", "scan" or "reduce" for all of a kind, are compared:
    the result is a PredictionRanking. The options:
{options}
    Raises ValueError for bad arguments, and an Error such as MissingConstant or WorkUnavailable.
    """
    names = _compared(algorithm)
    _check_names("predict", names or [_algorithm(algorithm)], parameters)
    has_devices = _is_array(device)
    devices = _paths("device", device) if has_devices else [_path_if_any("device", device)]  # type: ignore[arg-type]
    if not devices:
        raise ValueError("device = []: give at least one")
    options = _options("predict", locals() | {"device": devices[0]})
    has_arrays = _is_array(n) or any(map(_is_array, parameters.values()))
    if names is not None:
        if sensitivities:
            raise ValueError("sensitivities are those of one algorithm: choose one")
        if has_arrays:
            raise ValueError("algorithms are compared for one n and one value of a parameter: give numbers, no arrays")
        if has_devices:
            raise ValueError("device: algorithms are compared on one, choose it")
        answer = _core.predict_several(names, _size("n", n), _choice(parameters), options)
        return PredictionRanking._of(json.loads(answer))
    algorithm = _algorithm(algorithm)
    if not has_arrays and not has_devices:
        answer = _core.predict(algorithm, _size("n", n), _choice(parameters), options)
        return Prediction._of(json.loads(answer))
    if sensitivities:
        raise ValueError("sensitivities are those of one prediction: give one number, and one device")
    return _sweep(algorithm, n, parameters, options, devices, has_devices)


def _sweep(algorithm: str, n: Any, parameters: Mapping[str, Any], options: dict[str, _core.Option],
           devices: list[str], has_devices: bool) -> Sweep:
    """On several devices, or on the only one."""
    import numpy as np

    sizes, choices = _broadcast(n, parameters)
    points = sizes.ravel(), list(parameters), choices.reshape(len(choices), sizes.size)
    answers = [_core.sweep(algorithm, *points, options | {"device": one}) for one in devices]
    names = [name for name, *_ in answers]
    _, law, has_intervals, _ = answers[0]
    shape = (len(devices), *sizes.shape) if has_devices else sizes.shape
    time, low, high = (row.reshape(shape) for row in np.stack([seconds for *_, seconds in answers], axis=1))
    return Sweep(algorithm=algorithm, device=names if has_devices else names[0], law=law,
                 n=np.broadcast_to(sizes, shape), type=str(options["type"]), input=str(options["input"]),
                 parameters={name: np.broadcast_to(one, shape) for name, one in zip(parameters, choices)},
                 time_s=time, interval_s=(low, high) if has_intervals else None, stable=bool(options["stable"]))


def _broadcast(n: Any, parameters: Mapping[str, Any]) -> tuple[Floats, npt.NDArray[np.int32]]:
    """n, and the parameters along the first axis of an array, contiguous."""
    import numpy as np

    def entries(name: str, value: Any) -> npt.NDArray[Any]:
        try:
            return np.asanyarray(value)
        except ValueError:
            raise ValueError(f"{name} is no array: give rows of one length") from None

    def numbers(name: str, value: Any) -> npt.NDArray[Any]:
        array = entries(name, value)
        if np.ma.is_masked(array):  # what is under the mask would count
            raise ValueError(f"{name} has masked entries: leave them out, or fill them")
        if array.dtype.kind not in "iuf":
            raise ValueError(f"{name} holds {array.dtype}: give numbers")
        return np.asarray(array)

    texts = entries("n", n)
    if texts.dtype.kind == "U":
        n = np.reshape([_size("n", str(one)) for one in texts.flat], texts.shape)
    arrays: list[npt.NDArray[Any]] = [numbers("n", n).astype(np.float64)]
    for name, value in parameters.items():
        array = numbers(name, value)
        with np.errstate(invalid="ignore"):  # what is not whole is refused below
            whole = array.astype(np.int32)
        if not np.array_equal(whole, array):
            raise ValueError(f"{name}: give whole numbers")
        arrays.append(whole)
    try:
        sizes, *choices = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(f"{name} {one.shape}" for name, one in zip(["n", *parameters], arrays))
        raise ValueError(f"{shapes} do not broadcast: give arrays of one shape, or n[:, None] for all pairs") from None
    stacked = np.empty((len(choices), *sizes.shape), dtype=np.int32)
    for row, choice in enumerate(choices):
        stacked[row] = choice
    return sizes.copy(), stacked


@overload
def tune(algorithm: Compared, n: Size, *, type: str = ..., stable: bool = ...,  # type: ignore[overload-overlap]
         device: Profiled | None = ..., law: str | None = ..., input: str = ..., top: Whole = ..., verify: Whole = ...,
         gpu: Whole = ..., exhaustive: bool = ..., what_if: str | Iterable[str] = ..., ceiling: str = ...,
         compose: str | Number = ..., option: str | Iterable[str] = ...,
         **parameters: Whole | Array) -> TuneRanking: ...
@overload
def tune(algorithm: Path, n: Size, *, type: str = ..., stable: bool = ..., device: Profiled | None = ...,
         law: str | None = ..., input: str = ..., top: Whole = ..., verify: Whole = ..., gpu: Whole = ...,
         exhaustive: bool = ..., what_if: str | Iterable[str] = ..., sensitivities: bool = ..., ceiling: str = ...,
         compose: str | Number = ..., option: str | Iterable[str] = ..., **parameters: Whole | Array) -> Tuning: ...
@_declared
def tune(algorithm: Path | Compared, n: Size, *, type: str = _DECLARED, stable: bool = _DECLARED,
         device: Profiled | None = _DECLARED, law: str | None = _DECLARED, input: str = _DECLARED, top: Whole = _DECLARED,
         verify: Whole = _DECLARED, gpu: Whole = _DECLARED, exhaustive: bool = _DECLARED,
         what_if: str | Iterable[str] = _DECLARED, sensitivities: Any = _DECLARED, ceiling: str = _DECLARED,
         compose: str | Number = _DECLARED, option: str | Iterable[str] = _DECLARED,
         **parameters: Any) -> Tuning | TuneRanking:
    """Rank an algorithm's parameters by predicted time.

    `parameters` restrict a parameter to a value or to several: t=[128, 256]. Where candidates are measured, the
    result has their regret. Several algorithms, or "sort", "scan" or "reduce" for all of a kind, are compared, each
    with its best parameters: the result is a TuneRanking. The options:
{options}
    """
    names = _compared(algorithm)
    _check_names("tune", names or [_algorithm(algorithm)], parameters)
    options = _options("tune", locals())
    if names is not None:
        if sensitivities:
            raise ValueError("sensitivities are those of one algorithm: choose one")
        answer = _core.tune_several(names, _size("n", n), _choices(parameters), options)
        return TuneRanking._of(json.loads(answer))
    answer = _core.tune(_algorithm(algorithm), _size("n", n), _choices(parameters), options)
    return Tuning._of(json.loads(answer))


def import_report(report: Path, output: Path) -> Import:
    """Read a report of NVIDIA Nsight Compute, a table in CSV or a .ncu-rep, and write its launches to `output`.

    The name of `output` ends in .work. predict_launches() takes it.
    """
    source, file = _path("report", report), _path("output", output)
    return Import._of(json.loads(_core.import_report(source, file, f"fathom.import_report({source!r}, {file!r})")))


def predict_launches(launches: Path, *, device: Profiled | None = None, from_: Profiled | None = None,
                     caches: str = "cold",
                     what_if: str | Iterable[str] = (), sensitivities: bool = False) -> LaunchesPrediction:
    """Predict the launches that import_report() wrote, one after another, in seconds.

    `from_` is the profile of the GPU that they were profiled on, by whose measured times the prediction is scaled,
    or "none"; by default it is found by the name of that GPU. `caches` is "cold" or "warm": what the caches hold
    when a launch starts. `device`, `what_if` and `sensitivities` are those of predict().
    """
    answer = _core.predict_launches(_path("launches", launches),
                                    {"device": _path_if_any("device", device), "from": _path_if_any("from_", from_),
                                     "caches": caches, "what_if": _paths("what_if", what_if), "sensitivities": sensitivities})
    return LaunchesPrediction._of(json.loads(answer))


def predict_machine_code(cubin: Path, *, grid: int | Sequence[int], block: int | Sequence[int], kernel: str = "",
                         shared: Size = 0, trips: Trips | None = None,
                         device: Profiled | None = None, caches: str = "cold", what_if: str | Iterable[str] = (),
                         sensitivities: bool = False) -> MachineCodePrediction:
    """Predict one launch of a kernel from its machine code alone, in seconds.

    `cubin` is what nvcc -cubin writes, with -lineinfo if loops are to be named by their lines. `grid` and `block` are
    one to three numbers, `kernel` is needed if the file has several, `shared` is the dynamic shared memory of a block
    in bytes. `trips` says how often a loop turns each time that it is entered, by its line: {42: 1000},
    {"kernel.cu:42": 1000}, or {"0x2a0": 1000} by its address. `caches` is "cold" or "warm", as in
    predict_launches(); `device`, `what_if` and `sensitivities` are those of predict(). Needs nvdisasm.
    """
    answer = _core.predict_machine_code(_path("cubin", cubin),
                                        {"device": _path_if_any("device", device), "kernel": kernel,
                                         "grid": _extent("grid", grid), "block": _extent("block", block),
                                         "shared": _size("shared", shared), "trips": _trips(trips), "caches": caches,
                                         "what_if": _paths("what_if", what_if), "sensitivities": sensitivities})
    return MachineCodePrediction._of(json.loads(answer))


def _extent(name: str, value: int | Sequence[int]) -> str:
    """The numbers of a grid or a block, as the command line writes them."""
    numbers: Any = value if _is_array(value) else [value]
    return ",".join(str(_whole(name, one)) for one in numbers)


def _trips(trips: Trips | None) -> list[str]:
    """The same as the command line writes them."""
    if trips is None:
        return []
    if not isinstance(trips, Mapping):
        raise TypeError(f"trips = {trips!r}: give the turns of loops by their lines, as in {{42: 1000}}")
    return [f"{loop}={_whole(f'trips[{loop!r}]', turns)}" for loop, turns in trips.items()]


def devices() -> Listing[Device]:
    """Profiles known (built in, the user's own) and GPUs present. Warns if GPUs cannot be looked for."""
    return Listing(Device._of(one) for one in json.loads(_core.devices())["devices"])


def algorithms() -> Listing[Algorithm]:
    """The registry: what each algorithm solves, with its parameters."""
    return Listing(Algorithm._of(one) for one in json.loads(_core.algorithms())["algorithms"])


@_declared
def count(algorithm: Path, n: Size, *, type: str = _DECLARED, stable: bool = _DECLARED, input: str = _DECLARED,
          device: Profiled | None = _DECLARED, machine: str | None = _DECLARED, width: Whole = _DECLARED,
          latency: Whole = _DECLARED, threads: Size = _DECLARED, memory: Size | None = _DECLARED,
          instructions: bool = _DECLARED, architecture: str = _DECLARED,
          memory_limit: Size | None = _DECLARED, **parameters: Whole) -> Count:
    """Run the kernels on the CPU and count their accesses and instructions.

    Counting instructions needs NVRTC and nvdisasm. The options:
{options}
    """
    name = _algorithm(algorithm)
    _check_names("count", [name], parameters)
    answer = _core.count(name, _size("n", n), _choice(parameters), _options("count", locals()))
    return Count._of(json.loads(answer))


@_declared
def calibrate(output: Path | None = None, *, gpu: Whole = _DECLARED, quick: bool = _DECLARED, links: bool = _DECLARED,
              links_from: Paths = _DECLARED, name: str | None = _DECLARED, force: bool = _DECLARED) -> Profile:
    """Measure the GPU and write its profile, to `output` or where `device` finds it by name.

    With `links` or `links_from` the links between GPUs, and to the host, are added to a profile that there is. Raises DeviceUnavailable
    without a GPU. The options:
{options}
    """
    options = _options("calibrate", locals())
    path = _path_if_any("output", output)
    of_links = f"links={links}, links_from={options['links_from']!r}, " if links or options["links_from"] else ""
    command = f"fathom.calibrate({path!r}, gpu={gpu}, quick={quick}, {of_links}force={force})"
    content, file = _core.calibrate(options, path, command)
    return Profile(file, json.loads(content))


@_declared
def bench(algorithms: str | Iterable[str], sizes: Size | Array, *, output: Path,
          type: str | Iterable[str] = _DECLARED, stable: bool = _DECLARED, input: str | Iterable[str] = _DECLARED,
          repeats: Whole = _DECLARED, gpu: Whole = _DECLARED, gpus: Size | None = _DECLARED,
          **parameters: Whole | Array) -> Dataset:
    """Run the kernels on the GPU, check their output, and write a dataset to `output`.

    Measures every combination of sizes, types, inputs and parameters, each given as one value or several.
    Runs already in `output` are not repeated, so an interrupted call can be continued. Raises
    DeviceUnavailable without a GPU, and KernelFailure if configurations failed. The options:
{options}
    """
    slugs = _names(algorithms)
    if not slugs:
        raise ValueError("algorithms = []: fathom.algorithms() lists them")
    _check_names("bench", slugs, parameters)
    options = _options("bench", locals())
    values = [_size("sizes", one) for one in (sizes if _is_array(sizes) else [sizes])]  # type: ignore[union-attr]
    if not values:
        raise ValueError("sizes = []: give at least one")
    chosen = _choices(parameters)
    command = f"fathom.bench({slugs}, {[int(one) for one in values]}, type={options['type']}, {chosen})"
    file = _path("output", output)
    return Dataset(file, json.loads(_core.bench(slugs, values, chosen, options, file, command)))


@_declared
def fit(datasets: Paths, profile: Profiled, *, refit: bool = _DECLARED, force: bool = _DECLARED,
        read_as: str | Iterable[str] = _DECLARED, vouch: bool = _DECLARED, output: Path | None = None) -> Fit:
    """Fit two factors per algorithm to measured runs, for the law fitted, and write the profile with them.

    The profile is replaced in place unless `output` names another file. With `refit`, `datasets` may be empty.
    The options:
{options}
    """
    options = _options("fit", locals() | {"profile": _path("profile", profile)})
    answer, file = _core.fit(_paths("datasets", datasets), options, _path_if_any("output", output))
    return Fit._of({"file": file} | json.loads(answer))


@_declared
def validate(datasets: Paths, *, device: Profiled | None = _DECLARED, law: str | None = _DECLARED,
             smallest_n: Size = _DECLARED, read_as: str | Iterable[str] = _DECLARED,
             vouch: bool = _DECLARED) -> Listing[Comparison]:
    """Compare predicted with measured times. Errors are those of runs not used in any fit.

    `datasets` are files of fathom.bench() or of another tool: nvbench, Google Benchmark, Kernel Tuner. So are those of
    the other functions. The options:
{options}
    """
    options = _options("validate", locals())
    files = _paths("datasets", datasets)
    if not files:
        raise ValueError("datasets = []: fathom.bench() writes them")
    return Listing(Comparison._of(one) for one in json.loads(_core.validate(files, options))["comparisons"])


@_declared
def plot(kind: str, datasets: Paths = (), *, output: Path, device: Profiled | None = _DECLARED,
         law: str | None = _DECLARED, smallest_n: Size = _DECLARED, read_as: str | Iterable[str] = _DECLARED,
         vouch: bool = _DECLARED, algorithm: Paths = _DECLARED, parameter: str | None = _DECLARED) -> list[str]:
    """Draw figures of predicted and measured times with gnuplot; returns the files.

    `kind` is that of the command: "throughput", "parity", "crossover" and so on. The ending of `output`, .svg,
    .png or .pdf, decides the format; of several figures, each one's id is added to the name. The options:
{options}
    """
    return _core.plot(_text("kind", kind), _paths("datasets", datasets), _options("plot", locals()), _path("output", output))


@_declared
def report(datasets: Paths = (), *, output: Path = "fathom-report.html", device: Profiled | None = _DECLARED,
           law: str | None = _DECLARED, smallest_n: Size = _DECLARED, read_as: str | Iterable[str] = _DECLARED,
           vouch: bool = _DECLARED, compare: Iterable[Profiled] = _DECLARED) -> str:
    """Write one self-contained HTML file: the verdict on each algorithm, figures, tables. Returns the file.

    Where two are to be compared, `datasets`, `device` and `law` are not given. The options:
{options}
    """
    file = _path("output", output)
    _core.report(_paths("datasets", datasets), _options("report", locals()), file)
    return file
