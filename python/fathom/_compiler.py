# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's compiler and disassembler from PyPI, which make the work of more kernels known than the tables hold."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from importlib.util import find_spec

# Where nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12 put it, below nvidia/.
_COMPILERS = (("cu13/lib", "libnvrtc.so.13"), ("cuda_nvrtc/lib", "libnvrtc.so.12"))
_DISASSEMBLER = "cu13/bin/nvdisasm"  # of nvidia-cuda-nvdisasm
_OLDEST_COMPILER = (12, 8)


def _version(folder: str) -> tuple[int, int]:
    """Of the compiler there, by the name of the library that comes with it; (0, 0) without one."""
    try:
        names = os.listdir(folder)
    except OSError:
        return 0, 0
    found = [re.fullmatch(r"libnvrtc-builtins\.so\.(\d+)\.(\d+)", name) for name in names]
    return max(((int(one[1]), int(one[2])) for one in found if one), default=(0, 0))


def installed(folders: Iterable[str]) -> dict[str, str]:
    """The environment variables of what is installed in these folders, those of the namespace package nvidia."""
    variables: dict[str, str] = {}
    for folder in folders:
        for below, name in _COMPILERS:
            library = os.path.join(folder, below, name)
            # An old one, of another package's, must not hide a toolkit.
            if os.path.isfile(library) and _version(os.path.dirname(library)) >= _OLDEST_COMPILER:
                variables.setdefault("FATHOM_NVRTC", library)
        disassembler = os.path.join(folder, _DISASSEMBLER)
        if os.access(disassembler, os.X_OK):
            variables.setdefault("FATHOM_NVDISASM", disassembler)
    return variables


def use_installed() -> None:
    """Sets the variables that are not set."""
    nvidia = find_spec("nvidia")
    for name, file in installed((nvidia and nvidia.submodule_search_locations) or ()).items():
        if not os.environ.get(name):
            os.environ[name] = file
