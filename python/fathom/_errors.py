# SPDX-License-Identifier: Apache-2.0
"""Exceptions and warnings. Bad arguments raise ValueError; what else goes wrong raises an Error."""


class Error(RuntimeError):
    """One line: what is wrong and what to do. The base of all others."""


class DeviceUnavailable(Error):
    """There is no GPU, or no CUDA library or program, that the call needs."""


class OutOfMemory(Error):
    """The GPU's memory or the host's is too small."""


class KernelFailure(Error):
    """A kernel does not compile, fails on the GPU, or gives wrong output."""


class FormatError(Error):
    """A file is no valid profile or dataset."""


class FileError(Error):
    """A file cannot be read or written."""


class MissingConstant(Error):
    """The profile lacks a constant that the law needs, or has one that is impossible."""


class WorkUnavailable(Error):
    """The work of a kernel is in no table and cannot be counted here."""


class PlotError(Error):
    """gnuplot, which draws the figures, is missing or has failed."""


class Note(UserWarning):
    """Something worth knowing that is no error, such as a profile that was skipped."""
