# SPDX-License-Identifier: Apache-2.0
"""Results: what the commands print with --json, under the same names.

Times are in seconds, throughput in elements per second, sizes in bytes. What is unknown is None, never 0. repr() rounds, and
leaves out the details. One file, however long: it is the list of all results, and each class is little more than the names
of its fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from . import _core, _display

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    from typing_extensions import Self

    Floats = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """A 95 % interval. Of times, in seconds."""

    low: float
    high: float


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Interval):
        return list(value)
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return value


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_pandas() needs pandas: pip install pandas, or do without by to_dict()") from None
    return pd


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """A table of results: parameters become columns of their own, intervals two."""
    flat = []
    for row in rows:
        row = dict(row)
        if isinstance(row.get("parameters"), dict):  # of an algorithm they are a list
            row.update(row.pop("parameters"))
        interval = row.pop("interval_s", None)
        if "time_s" in row or interval is not None:
            row["low_s"], row["high_s"] = interval or (None, None)
        flat.append(row)
    frame: pd.DataFrame = _pandas().DataFrame(flat)
    return frame


@dataclass(frozen=True, repr=False)
class Result:
    """The base of all results."""

    #: Fields that hold results themselves, or lists of them, or several by name.
    _parts: ClassVar[dict[str, type[Result]]] = {}

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Self:
        values = {}
        for one in fields(cls):
            key = one.name.rstrip("_")
            if key not in data:  # only told where it is not the default
                continue
            value, part = data[key], cls._parts.get(one.name)
            if part is not None and isinstance(value, list):
                value = [part._of(entry) for entry in value]
            elif part is not None and one.name == "factors":
                value = {name: part._of(entry) for name, entry in value.items()}
            elif part is not None and value is not None:
                value = part._of(value)
            elif one.name in ("interval_s", "interval") and value is not None:
                value = Interval(*value)
            values[one.name] = value
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, dictionaries, numbers and text, as in the command's JSON."""
        return {one.name.rstrip("_"): _plain(getattr(self, one.name)) for one in fields(self)}

    def _shown(self) -> dict[str, Any]:
        """What a short answer has: no details, nothing unknown, and no defaults."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.repr}
        defaults = {one.name: one.default for one in fields(self)}
        return {name: value for name, value in values.items() if value is not None and value is not defaults[name]}

    def _rows(self) -> list[dict[str, Any]]:
        """The table that the result is, if it is one."""
        return []

    def __repr__(self) -> str:
        shown = (f"{name}={_display.short(value)}" for name, value in self._shown().items())
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_html_(self) -> str:
        """Tables of the answer and of what it is made of, for notebooks."""
        shown = self._shown()
        parts = {name: shown.pop(name) for name in self._parts if isinstance(shown.get(name), list)}
        tables = [_display.table([one._shown() for one in several], name) for name, several in parts.items()]
        return "".join([_display.fields(shown), *tables, _display.table(self._rows())])


class Bounded(Result):
    """A result with a bottleneck."""

    bound: str | None

    @property
    def bottleneck(self) -> str | None:
        """The bottleneck in the command's words: "shared memory" where `bound` is "shared"."""
        return None if self.bound is None else _display.bottleneck(self.bound)


_Listed = TypeVar("_Listed", bound=Result)


class Listing(list[_Listed]):
    """A list of results, which is a table in notebooks."""

    def __repr__(self) -> str:
        return f"Listing({_display.short([next(iter(one._shown().values())) for one in self])})"

    def _repr_html_(self) -> str:
        return _display.table([one._shown() for one in self])

    def to_pandas(self) -> pd.DataFrame:
        """One row per result, with what repr() shows of it."""
        return _frame([one._shown() for one in self])


@dataclass(frozen=True, repr=False)
class File(Result):
    """A result that is a file, which the calls take in place of its path."""

    file: str

    def __fspath__(self) -> str:
        return self.file


@dataclass(frozen=True, repr=False)
class Saving(Result):
    """What 10 % more of the bottleneck would save."""

    time_s: float
    share: float  #: of the time

    def __str__(self) -> str:
        return f"{_core.time(self.time_s)} ({_core.percent(self.share)})"


@dataclass(frozen=True, repr=False)
class Kernel(Bounded):
    """The launches of one kernel in a prediction."""

    name: str
    launches: float
    time_s: float  #: of all its launches
    bound: str  #: the resource of which 10 % more saves most, or "launches"
    saving: Saving

    _parts = {"saving": Saving}


@dataclass(frozen=True, repr=False)
class Phase(Result):
    """A phase of a published formula at one level of memory."""

    name: str
    launches: float
    level: str  #: "global", "shared", "register"
    accesses: float  #: 32-bit words
    time_s: float
    limited_by: str  #: "bandwidth" or "latency"


@dataclass(frozen=True, repr=False)
class Sensitivity(Result):
    """How the time depends on a constant of the machine."""

    constant: str
    value: float  #: per cent of time for 1 % of the constant


@dataclass(frozen=True, repr=False)
class Prediction(Bounded):
    """The predicted time of one problem on one device."""

    algorithm: str
    device: str
    law: str
    n: int  #: elements
    type: str  #: "u32", or "u32:u64" for keys with values
    input: str
    parameters: dict[str, int]
    time_s: float
    interval_s: Interval | None  #: 95 %; None if the law has none
    throughput: float  #: elements per second
    terms: dict[str, float | None] = field(repr=False)  #: seconds of each resource or level alone; they overlap
    bound: str | None  #: the bottleneck
    saving: Saving | None
    kernels: list[Kernel] = field(repr=False)  #: of laws that count work
    phases: list[Phase] = field(repr=False)  #: of the law published
    sensitivities: list[Sensitivity] | None = field(repr=False)
    reading: dict[str, Any] | None = field(repr=False)  #: how a published formula was read; None under other laws
    what_if: list[str] = field(repr=False)
    fitted_from: str | None = field(repr=False)  #: origin of the fit, under the law fitted
    stable: bool = False
    assumptions: list[str] | None = field(default=None, repr=False)  #: where work was not counted, what is assumed of it

    _parts = {"saving": Saving, "kernels": Kernel, "phases": Phase, "sensitivities": Sensitivity}

    def to_pandas(self) -> pd.DataFrame:
        """One row per kernel, or per phase of a published formula."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        rows = [{"kernel": k.name, "launches": k.launches, "seconds": k.time_s, "bound": k.bound}
                for k in self.kernels]
        return rows or [one.to_dict() for one in self.phases]


@dataclass(frozen=True, repr=False)
class ReportedKernel(Kernel):
    """The launches of one kernel of a profiler's report."""

    measured_s: float | None  #: on the GPU of the report


@dataclass(frozen=True, repr=False)
class NotPredicted(Result):
    """Launches of a kernel that cannot be priced."""

    kernel: str
    launches: int
    why: str  #: a clause: "it uses the tensor cores, …"


@dataclass(frozen=True, repr=False)
class Lacking(Result):
    """What no launch of a report has."""

    what: str
    metrics: list[str]  #: of the profiler, that would bring it


@dataclass(frozen=True, repr=False)
class Scale(Result):
    """What was measured on the GPU of a report over what the law says there."""

    device: str  #: its profile
    measured_s: float
    predicted_s: float
    scale: float

    def __str__(self) -> str:
        return f"{self.scale:.3f}, as on {self.device}"


@dataclass(frozen=True, repr=False)
class Import(File):
    """What was imported from a profiler's report, and the file with the launches."""

    report: str
    gpu: str | None
    launches: int
    not_predicted: list[NotPredicted]
    lacking: list[Lacking] = field(repr=False)
    profiler_command: str | None = field(repr=False)  #: what brings all that is lacking; None if nothing is

    _parts = {"not_predicted": NotPredicted, "lacking": Lacking}


@dataclass(frozen=True, repr=False)
class LaunchesPrediction(Bounded):
    """The predicted time of the launches of a profiler's report on one device."""

    file: str
    gpu: str | None  #: of the report
    device: str
    law: str
    caches: str  #: "cold" or "warm"
    what_if: list[str] = field(repr=False)
    launches: int  #: of the report
    time_s: float  #: of those that can be predicted
    interval_s: Interval | None  #: 95 %
    scaled_from: Scale | None  #: None if the prediction is not scaled by what was measured
    terms: dict[str, float | None] = field(repr=False)  #: seconds of each resource alone; they overlap
    bound: str | None  #: the bottleneck
    saving: Saving | None
    kernels: list[ReportedKernel] = field(repr=False)
    not_predicted: list[NotPredicted]
    assumptions: list[str] = field(repr=False)
    lacking: list[Lacking] = field(repr=False)
    sensitivities: list[Sensitivity] | None = field(repr=False)

    _parts = {"saving": Saving, "scaled_from": Scale, "kernels": ReportedKernel, "not_predicted": NotPredicted,
              "lacking": Lacking, "sensitivities": Sensitivity}

    def to_pandas(self) -> pd.DataFrame:
        """One row per kernel."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [{"kernel": k.name, "launches": k.launches, "measured_s": k.measured_s, "seconds": k.time_s,
                 "bound": k.bound} for k in self.kernels]


@dataclass(frozen=True, repr=False)
class Loop(Result):
    """A loop of a kernel's machine code."""

    file: str | None  #: of its source; None without line numbers
    line: int | None
    address: str  #: "0x2a0"
    turns: float  #: each time that it is entered
    from_: str  #: how that is known: "code", "given" or "assumed"


@dataclass(frozen=True, repr=False)
class MachineCodePrediction(Bounded):
    """The predicted time of one launch, from the machine code of its kernel alone."""

    file: str
    kernel: str  #: as in the source
    architecture: int  #: that it was compiled for
    device: str
    law: str
    caches: str  #: "cold" or "warm"
    what_if: list[str] = field(repr=False)
    grid: list[int]
    block: list[int]
    registers: int  #: of a thread
    local_bytes: int  #: of a thread: spilled registers and arrays
    static_shared_bytes: float | None
    dynamic_shared_bytes: float | None
    resident_blocks: int  #: on a multiprocessor
    time_s: float
    interval_s: Interval | None  #: 95 %
    terms: dict[str, float | None] = field(repr=False)  #: seconds of each resource alone; they overlap
    bound: str | None  #: the bottleneck
    saving: Saving | None
    work: dict[str, float | None] = field(repr=False)  #: of a block
    loops: list[Loop] = field(repr=False)
    halved_branches: int  #: of two ways, each is taken by half
    unknown_opcodes: list[str] = field(repr=False)
    not_counted: list[str] = field(repr=False)  #: opcodes of accesses whose bytes the code does not say
    assumptions: list[str] = field(repr=False)
    sensitivities: list[Sensitivity] | None = field(repr=False)

    _parts = {"saving": Saving, "loops": Loop, "sensitivities": Sensitivity}

    def to_pandas(self) -> pd.DataFrame:
        """One row per loop."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [one.to_dict() for one in self.loops]


@dataclass(frozen=True, repr=False)
class NotCompared(Result):
    """An algorithm that is not in a comparison."""

    algorithm: str
    why: str


def _ranked(ranking: PredictionRanking | TuneRanking, entries: Sequence[Prediction | Tuning]) -> str:
    """The names alone: the entries are long."""
    names, left_out = ([one.algorithm for one in some] for some in (entries, ranking.left_out))
    return f"{type(ranking).__name__}(algorithms={names}, tied={ranking.tied}, left_out={left_out})"


@dataclass(frozen=True, repr=False)
class PredictionRanking(Result):
    """Predictions of several algorithms for one problem."""

    predictions: list[Prediction] = field(repr=False)  #: fastest first
    tied: int | None  #: how many cannot be told from the fastest, itself included; None under laws without intervals
    left_out: list[NotCompared]

    _parts = {"predictions": Prediction, "left_out": NotCompared}

    @property
    def fastest(self) -> Prediction:
        """The first."""
        return self.predictions[0]

    def __repr__(self) -> str:
        return _ranked(self, self.predictions)

    def to_pandas(self) -> pd.DataFrame:
        """One row per algorithm, with a column for each parameter."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [{"algorithm": one.algorithm, "law": one.law, "parameters": one.parameters, "time_s": one.time_s,
                 "interval_s": one.interval_s, "throughput": one.throughput, "bound": one.bound,
                 "tied": self.tied and rank < self.tied}
                for rank, one in enumerate(self.predictions)]


@dataclass(frozen=True, repr=False)
class Sweep(Result):
    """Predictions for arrays of n and parameters, all of one shape."""

    algorithm: str
    device: str | list[str]  #: of several, one along the first axis of the arrays each
    law: str
    n: Floats  #: elements
    type: str
    input: str
    parameters: dict[str, npt.NDArray[np.int32]]  #: those given
    time_s: Floats  #: seconds; NaN for what the GPU cannot run
    interval_s: tuple[Floats, Floats] | None  #: low and high ends of the 95 % intervals, in seconds
    stable: bool = False

    @property
    def throughput(self) -> Floats:
        """Elements per second."""
        return self.n / self.time_s

    def to_dict(self) -> dict[str, Any]:
        """Arrays as nested lists, with None for NaN."""
        import numpy as np

        def plain(array: npt.NDArray[Any]) -> Any:
            values = array.astype(object)
            values[np.isnan(array)] = None
            return values.tolist()

        values = super().to_dict()
        values |= {"n": self.n.astype(np.int64).tolist(), "time_s": plain(self.time_s),
                   "parameters": {name: one.tolist() for name, one in self.parameters.items()},
                   "interval_s": self.interval_s and [plain(end) for end in self.interval_s]}
        return values

    def to_pandas(self) -> pd.DataFrame:
        """One row per point."""
        import numpy as np

        frame: pd.DataFrame = _pandas().DataFrame({name: np.ravel(column) for name, column in self._columns().items()})
        return frame

    def _columns(self) -> dict[str, Any]:
        import numpy as np

        columns: dict[str, Any] = {}
        if isinstance(self.device, list):
            names = np.array(self.device, dtype=object).reshape(-1, *[1] * (self.n.ndim - 1))
            columns["device"] = np.broadcast_to(names, self.n.shape)
        columns |= {"n": self.n.astype(np.int64), **self.parameters, "time_s": self.time_s}
        if self.interval_s:
            columns["low_s"], columns["high_s"] = self.interval_s
        columns["throughput"] = self.throughput
        return columns

    def _shown(self) -> dict[str, Any]:
        shown = super()._shown()
        for shown_below in ("n", "parameters", "time_s", "interval_s"):
            shown.pop(shown_below, None)
        return shown | {"shape": self.n.shape}

    def _repr_html_(self) -> str:
        columns = {name: column.flat[:_display.MOST_ROWS].tolist() for name, column in self._columns().items()}
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        return _display.fields(self._shown()) + _display.table(rows, count=self.n.size)


@dataclass(frozen=True, repr=False)
class Candidate(Bounded):
    """One choice of parameters."""

    parameters: dict[str, int]
    time_s: float
    interval_s: Interval | None
    throughput: float
    bound: str | None
    saving: Saving | None
    tied: bool | None  #: too close to the fastest to be told from it
    estimated: bool  #: its work was not counted, but estimated from that of another type or architecture
    measured_s: float | None  #: median, if verified

    _parts = {"saving": Saving}

    def __str__(self) -> str:
        return f"{_display.parameters(self.parameters)}: {_core.time(self.time_s)}"


@dataclass(frozen=True, repr=False)
class Measured(Result):
    """A choice of parameters that was run."""

    parameters: dict[str, int]
    measured_s: float  #: median

    def __str__(self) -> str:
        return f"{_display.parameters(self.parameters)}: {_core.time(self.measured_s)}"


@dataclass(frozen=True, repr=False)
class Tuning(Result):
    """Parameters ranked by predicted time."""

    algorithm: str
    device: str
    law: str
    n: int
    type: str
    input: str
    best: Candidate  #: of the choices that could be priced
    tied: int | None  #: how many cannot be told from the best, itself included
    choices: int  #: that the GPU can run or whose work is unavailable
    without_work: int  #: of these, those left out because their work is unavailable
    estimated: int  #: of these, those whose work is estimated
    what_counts: str | None = field(repr=False)  #: what would have all work counted; None if it is
    candidates: list[Candidate] = field(repr=False)  #: fastest first
    fastest_measured: Measured | None
    regret: float | None  #: measured time of the best / fastest measured - 1, if verified
    sensitivities: list[Sensitivity] | None = field(repr=False)
    reading: dict[str, Any] | None = field(repr=False)  #: how a published formula was read; None under other laws
    what_if: list[str] = field(repr=False)
    fitted_from: str | None = field(repr=False)
    stable: bool = False
    assumptions: list[str] | None = field(default=None, repr=False)  #: where work was not counted, what is assumed of it

    _parts = {"best": Candidate, "candidates": Candidate, "fastest_measured": Measured,
              "sensitivities": Sensitivity}

    def to_pandas(self) -> pd.DataFrame:
        """One row per candidate, with a column for each parameter."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        rows = [one.to_dict() for one in self.candidates]
        for row in rows:
            del row["saving"]
        return rows


@dataclass(frozen=True, repr=False)
class TuneRanking(Result):
    """Several algorithms for one problem, each with its best parameters."""

    tunings: list[Tuning] = field(repr=False)  #: fastest first
    tied: int | None  #: how many cannot be told from the fastest, itself included; None under laws without intervals
    left_out: list[NotCompared]

    _parts = {"tunings": Tuning, "left_out": NotCompared}

    @property
    def fastest(self) -> Tuning:
        """The first."""
        return self.tunings[0]

    def __repr__(self) -> str:
        return _ranked(self, self.tunings)

    def to_pandas(self) -> pd.DataFrame:
        """One row per algorithm, with a column for each parameter."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [{"algorithm": one.algorithm, "law": one.law, "parameters": one.best.parameters,
                 "time_s": one.best.time_s, "interval_s": one.best.interval_s, "throughput": one.best.throughput,
                 "bound": one.best.bound, "tied": self.tied and rank < self.tied, "choices": one.choices,
                 "without_work": one.without_work, "estimated": one.estimated, "measured_s": one.best.measured_s}
                for rank, one in enumerate(self.tunings)]


@dataclass(frozen=True, repr=False)
class Device(Result):
    """A profile that `device` can name, or a GPU that is present."""

    name: str
    where: str  #: "built in", the profile's path, "present"
    origin: str | None  #: "measured", "published", "published rates", "scaled"
    implausible: bool  #: measured, but not to be believed
    gpu: str | None
    multiprocessors: int
    cores_per_multiprocessor: int
    clock_hz: float | None
    global_memory_bytes: float | None
    global_bytes_per_second: float | None


@dataclass(frozen=True, repr=False)
class Parameter(Result):
    """A parameter of an algorithm."""

    name: str
    meaning: str
    default: int
    values: list[int]  #: allowed ones

    def __str__(self) -> str:
        return f"{self.name}: {self.values[0]}..{self.values[-1]} ({self.default})"


@dataclass(frozen=True, repr=False)
class OtherDefaults(Result):
    """Default values of some parameters for some problems; each parameter has that of the first that applies and names it."""

    most_n: float | None  #: for problems of up to so many elements
    types: list[str]  #: of these types
    parameters: dict[str, int]  #: those that it names


@dataclass(frozen=True, repr=False)
class Algorithm(Result):
    """An entry of the registry."""

    slug: str
    kind: str  #: "sort", "scan", "reduce"
    group: str
    source: str
    baseline: bool  #: another project's kernels, for comparison
    formula: bool  #: can be predicted by the law published
    kernel: bool  #: can be run, in this build
    stable: bool | None  #: keeps the order of equal keys if asked to; None for scans and reductions
    types: list[str]
    parameters: list[Parameter]
    other_defaults: list[OtherDefaults]
    options: list[Parameter]  #: readings of its formula

    _parts = {"parameters": Parameter, "other_defaults": OtherDefaults, "options": Parameter}


@dataclass(frozen=True, repr=False)
class KernelCounts(Result):
    """What a kernel did, over all its launches."""

    kernel: str
    phase: str
    launches: int
    blocks: int
    threads_per_block: int
    shared_bytes_per_block: int
    footprint_bytes: int  #: distinct bytes of global memory
    read_bytes: int
    written_bytes: int
    fresh_read_bytes: int
    fresh_written_bytes: int
    global_: dict[str, dict[str, int]] = field(repr=False)  #: by operation, "load", "store", "atomic"; "global" in to_dict()
    shared: dict[str, dict[str, float | None]] = field(repr=False)
    instructions: dict[str, int] = field(repr=False)
    sites: list[dict[str, Any]] = field(repr=False)  #: the same by source location


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """The words of a formula against those counted."""

    level: str
    formula_words: float | None
    counted_words: float | None
    ratio: float | None


@dataclass(frozen=True, repr=False)
class Count(Result):
    """One run on the counting executor."""

    algorithm: str
    device: str
    n: int
    type: str
    input: str
    parameters: dict[str, int]
    kernels: list[KernelCounts] = field(repr=False)
    audit: list[Audit] = field(repr=False)
    machines: list[dict[str, Any]] = field(repr=False)  #: on a machine of the theory: counted, asymptotic, lower bound
    machine_code: list[dict[str, Any]] | None = field(default=None, repr=False)  #: with instructions=True
    stable: bool = False

    _parts = {"kernels": KernelCounts, "audit": Audit}

    def to_pandas(self) -> pd.DataFrame:
        """One row per kernel: its launches, global sectors and shared wavefronts."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for one in self.kernels:
            row: dict[str, Any] = {"kernel": one.kernel, "launches": one.launches, "blocks": one.blocks,
                                   "read_bytes": one.read_bytes, "written_bytes": one.written_bytes}
            row["global_sectors"] = sum(counts["sectors"] for counts in one.global_.values())
            row["shared_wavefronts"] = sum(counts["wavefronts"] or 0 for counts in one.shared.values())
            rows.append(row)
        return rows


@dataclass(frozen=True, repr=False)
class Errors(Result):
    """Errors of a group of runs that no fit used."""

    algorithm: str
    type: str
    law: str
    group: str
    runs: int
    mean_absolute_relative_error: float | None
    worst: float | None
    within_interval: float | None  #: share of runs whose measured time is in the predicted interval


@dataclass(frozen=True, repr=False)
class Regret(Result):
    """Slowdown of the parameters that the prediction picks against the fastest measured."""

    algorithm: str
    type: str
    n: int
    picked: dict[str, int]
    best: dict[str, int]
    picked_s: float
    best_s: float
    regret: float


@dataclass(frozen=True, repr=False)
class ComparedRun(Result):
    """A measured run and its prediction."""

    algorithm: str
    type: str
    input: str
    n: int
    parameters: dict[str, int]
    measured_s: float
    predicted_s: float | None
    interval_s: Interval | None
    relative_error: float | None  #: (predicted - measured) / measured
    fitted: bool  #: a fit may have used it: no part of the errors


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Predicted against measured under one law."""

    law: str
    device: str
    measured_on: str | None
    other_gpu: bool
    left_out: dict[str, Any]  #: numbers of runs, by reason
    errors: list[Errors]
    regrets: list[Regret]
    runs: list[ComparedRun] = field(repr=False)

    _parts = {"errors": Errors, "regrets": Regret, "runs": ComparedRun}

    def to_pandas(self) -> pd.DataFrame:
        """One row per run."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [one.to_dict() for one in self.runs]


@dataclass(frozen=True, repr=False)
class Dataset(File):
    """Measured runs, as in the file that bench wrote."""

    content: dict[str, Any] = field(repr=False)  #: of the file

    @property
    def runs(self) -> list[dict[str, Any]]:
        """One entry per configuration."""
        runs: list[dict[str, Any]] = self.content["runs"]
        return runs

    def to_dict(self) -> dict[str, Any]:
        """The file's content."""
        return self.content

    def to_pandas(self) -> pd.DataFrame:
        """One row per run."""
        return _frame(self.runs)

    def _rows(self) -> list[dict[str, Any]]:
        from statistics import median

        return [{**{name: run[name] for name in ("algorithm", "type", "input", "n", "parameters")},
                 "measured_s": median(run["seconds"])} for run in self.runs]


@dataclass(frozen=True, repr=False)
class Profile(File):
    """A calibrated GPU, as in the file that calibrate wrote."""

    content: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The file's content."""
        return self.content

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for name, constant in self.content["constants"].items():
            unit = next(key for key in constant if key.startswith("value")).removeprefix("value")
            low, high = constant.get("interval" + unit) or (None, None)
            rows.append({"constant": name, "value": constant["value" + unit], "from": low, "to": high,
                         "unit": unit[1:].replace("_", " ")})
        return rows


@dataclass(frozen=True, repr=False)
class Factor(Result):
    """A fitted factor."""

    value: float
    interval: Interval | None  #: 95 %


@dataclass(frozen=True, repr=False)
class AlgorithmFit(Result):
    """The factors of an algorithm for the law fitted."""

    algorithm: str
    factors: dict[str, Factor]
    residual: float  #: mean absolute relative error of the runs fitted to
    runs: int
    dataset: str  #: of the runs

    _parts = {"factors": Factor}


@dataclass(frozen=True, repr=False)
class Fit(File):
    """The factors fitted to measured runs, and the file of the profile that has them."""

    fits: list[AlgorithmFit] = field(repr=False)
    not_fitted: dict[str, int]  #: numbers of runs that were left out, by reason

    _parts = {"fits": AlgorithmFit}

    def to_pandas(self) -> pd.DataFrame:
        """One row per algorithm fitted."""
        return _frame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [{"algorithm": one.algorithm, **{name: factor.value for name, factor in one.factors.items()},
                 "residual": one.residual, "runs": one.runs, "dataset": one.dataset} for one in self.fits]
