# SPDX-License-Identifier: Apache-2.0
"""Fathom measures a GPU, models an algorithm and predicts its time.

    >>> import fathom
    >>> fathom.predict("radix-msd", 2**28, type="u64", device="h200").time_s

The functions are the commands of the same names; docs/python.md describes them.
"""

from ._calls import (algorithms, bench, calibrate, count, devices, fit, import_report, plot, predict, predict_launches,
                     predict_machine_code, report, tune, validate)
from ._compiler import use_installed as _use_installed
from ._core import __version__
from ._errors import (DeviceUnavailable, Error, FileError, FormatError, KernelFailure, MissingConstant, Note,
                      OutOfMemory, PlotError, WorkUnavailable)
from ._functions import reduce, release_work_spaces, scan, sort, sort_segments, work_space_bytes
from ._results import (Algorithm, AlgorithmFit, Audit, Candidate, ComparedRun, Comparison, Count, Dataset, Device, Errors,
                       Factor, Fit, Import, Interval, Kernel, KernelCounts, Lacking, LaunchesPrediction, Listing, Loop,
                       MachineCodePrediction, Measured, NotCompared, NotPredicted, Parameter, Phase, Prediction,
                       PredictionRanking, Profile, Regret, ReportedKernel, Saving, Scale, Sensitivity, Sweep,
                       TuneRanking, Tuning)

__all__ = [
    "Algorithm", "AlgorithmFit", "Audit", "Candidate", "ComparedRun", "Comparison", "Count", "Dataset", "Device",
    "DeviceUnavailable", "Error", "Errors", "Factor", "FileError", "Fit", "FormatError", "Import", "Interval",
    "Kernel", "KernelCounts", "KernelFailure", "Lacking", "LaunchesPrediction", "Listing", "Loop",
    "MachineCodePrediction", "Measured", "MissingConstant", "NotCompared", "NotPredicted", "Note", "OutOfMemory",
    "Parameter", "Phase", "PlotError", "Prediction", "PredictionRanking", "Profile", "Regret", "ReportedKernel",
    "Saving", "Scale", "Sensitivity", "Sweep", "TuneRanking", "Tuning", "WorkUnavailable", "__version__", "algorithms", "bench", "calibrate", "count",
    "devices", "fit", "import_report", "plot", "predict", "predict_launches", "predict_machine_code", "reduce",
    "release_work_spaces", "report", "scan", "sort", "sort_segments", "tune", "validate", "work_space_bytes",
]

_use_installed()
