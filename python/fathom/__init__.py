# SPDX-License-Identifier: Apache-2.0
"""Fathom measures a GPU, models an algorithm and predicts its time.

    >>> import fathom
    >>> fathom.predict("radix-msd", 2**28, type="u64", device="h200").time_s

The functions are the commands of the same names; docs/python.md describes them.
"""

from ._calls import algorithms, bench, calibrate, count, devices, fit, plot, predict, report, tune, validate
from ._compiler import use_installed as _use_installed
from ._core import __version__
from ._errors import (DeviceUnavailable, Error, FileError, FormatError, KernelFailure, MissingConstant, Note,
                      OutOfMemory, PlotError, WorkUnavailable)
from ._results import (Algorithm, Candidate, ComparedRun, Comparison, Count, Dataset, Device, Errors, Fit, Interval,
                       Kernel, KernelCounts, Parameter, Phase, Prediction, Profile, Regret, Sweep, Tuning)

__all__ = [
    "Algorithm", "Candidate", "ComparedRun", "Comparison", "Count", "Dataset", "Device", "DeviceUnavailable",
    "Error", "Errors", "FileError", "Fit", "FormatError", "Interval", "Kernel", "KernelCounts", "KernelFailure",
    "MissingConstant", "Note", "OutOfMemory", "Parameter", "Phase", "PlotError", "Prediction", "Profile",
    "Regret", "Sweep", "Tuning", "WorkUnavailable", "__version__", "algorithms", "bench", "calibrate",
    "count", "devices", "fit", "plot", "predict", "report", "tune", "validate",
]

_use_installed()
