# SPDX-License-Identifier: Apache-2.0
"""Results for people: short texts, and tables in HTML. Values have the units that the command prints, by the names of their
fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from . import _core

MOST_ROWS = 20  # of a table
MOST_ENTRIES = 8  # of a list in repr()

_HEADINGS = {"bound": "bottleneck", "saving": "10 % faster saves", "interval_s": "95 %", "throughput": "throughput",
             "mean_absolute_relative_error": "mean error", "global_bytes_per_second": "global bandwidth",
             "clock_hz": "clock", "seconds": "time", "low_s": "95 %, from", "high_s": "to"}
_UNITS = {"n": _core.elements, "throughput": _core.throughput, "seconds": _core.time, "regret": _core.percent,
          "share": _core.percent, "mean_absolute_relative_error": _core.percent, "worst": _core.percent,
          "within_interval": _core.percent, "relative_error": _core.percent, "residual": _core.percent}
_ENDINGS = {"_bytes_per_second": _core.bandwidth, "_bytes": _core.bytes, "_hz": _core.hertz, "_s": _core.time}


@cache
def _resources() -> dict[str, str]:
    return _core.resources()


def bottleneck(bound: str) -> str:
    """In words; those of a formula are words already."""
    return _resources().get(bound, bound)


def parameters(values: Mapping[str, Any]) -> str:
    """As the command prints them: "E = 15, t = 256"."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def short(value: Any) -> str:
    """The repr() of a field: rounded, and one line, however long the value is."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if hasattr(value, "_parts") and "__str__" in vars(type(value)):
        return f"<{value}>"
    if isinstance(value, list) and value and hasattr(value[0], "_parts"):
        return f"[{len(value)} of {type(value[0]).__name__}]"
    if isinstance(value, list) and len(value) > MOST_ENTRIES:
        return f"[{', '.join(map(short, value[:MOST_ENTRIES]))}, … {len(value)} in all]"
    if isinstance(value, list):
        return f"[{', '.join(map(short, value))}]"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"({', '.join(map(short, value))})"
    return repr(value)


def _unit(name: str) -> Any:
    """The function that makes text of a field, or None."""
    ending = next((unit for end, unit in _ENDINGS.items() if name.endswith(end)), None)
    return _UNITS.get(name, ending)


def _heading(name: str) -> str:
    if name in _HEADINGS:
        return _HEADINGS[name]
    ending = next((end for end in _ENDINGS if name.endswith(end)), "")
    return name.removesuffix(ending).rstrip("_").replace("_", " ")


def _text(name: str, value: Any) -> str:
    """Of a field."""
    if value is None or value != value:  # not a number: the GPU cannot run it
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        unit = _unit(name)
        return str(unit(value)) if unit else str(value) if isinstance(value, int) else f"{value:.4g}"
    if name == "bound":
        return bottleneck(value)
    if name == "interval_s":
        return _core.interval(*value)
    if isinstance(value, Mapping):
        return parameters({key: one for key, one in value.items() if isinstance(one, (bool, int, float, str))})
    if isinstance(value, (list, tuple)):
        shown = [_text(name, one) for one in value[:MOST_ROWS]]
        return ", ".join(shown + ["…"] * (len(value) > MOST_ROWS))
    return str(value)


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


def fields(values: Mapping[str, Any]) -> str:
    """A table of names and values."""
    rows = "".join(f"<tr><th>{escape(_heading(name))}</th><td>{escape(_text(name, value))}</td></tr>"
                   for name, value in values.items())
    return f"<table>{rows}</table>"


def table(rows: Sequence[Mapping[str, Any]], title: str = "", count: int | None = None) -> str:
    """A table of rows, without the columns in which nothing is known; empty if there are no rows.

    `count` is how many there are, if these are only the first.
    """
    count = len(rows) if count is None else count
    if not rows:
        return ""
    names = [name for name in dict.fromkeys(name for row in rows for name in row)
             if any(row.get(name) is not None for row in rows)]
    shown = "".join(f"<tr>{_cells('td', [_text(name, row.get(name)) for name in names])}</tr>"
                    for row in rows[:MOST_ROWS])
    caption = f"<caption>{escape(_heading(title))}</caption>" if title else ""
    left_out = f"<p>… {count - MOST_ROWS} more</p>" if count > MOST_ROWS else ""
    head = f"<thead><tr>{_cells('th', list(map(_heading, names)))}</tr></thead>"
    return f"<table>{caption}{head}<tbody>{shown}</tbody></table>{left_out}"
