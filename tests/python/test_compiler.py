# SPDX-License-Identifier: Apache-2.0
"""NVRTC and nvdisasm are found where their wheels put them."""

import os
import sys

import pytest

from fathom import _compiler


def put(folder, *files, mode=0o644):
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode)


@pytest.fixture
def nvidia(tmp_path):
    return tmp_path / "site" / "nvidia"


def test_wheels_of_cuda_13(nvidia):
    put(nvidia, "cu13/lib/libnvrtc.so.13", "cu13/lib/libnvrtc-builtins.so.13.0")
    put(nvidia, "cu13/bin/nvdisasm", mode=0o755)
    assert _compiler.installed([str(nvidia)]) == {"FATHOM_NVRTC": str(nvidia / "cu13/lib/libnvrtc.so.13"),
                                                  "FATHOM_NVDISASM": str(nvidia / "cu13/bin/nvdisasm")}


def test_the_newer_compiler_is_taken_and_an_old_one_is_not(nvidia):
    old, new = nvidia / "old", nvidia / "new"
    put(old, "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_nvrtc/lib/libnvrtc-builtins.so.12.4")
    put(new, "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_nvrtc/lib/libnvrtc-builtins.so.12.10")
    assert _compiler.installed([str(old)]) == {}
    file = str(new / "cuda_nvrtc/lib/libnvrtc.so.12")
    assert _compiler.installed([str(old), str(new)]) == {"FATHOM_NVRTC": file}
    put(new, "cu13/lib/libnvrtc.so.13", "cu13/lib/libnvrtc-builtins.so.13.0")
    assert _compiler.installed([str(new)]) == {"FATHOM_NVRTC": str(new / "cu13/lib/libnvrtc.so.13")}


def test_what_is_no_program_or_not_there_is_not_taken(nvidia):
    put(nvidia, "cu13/bin/nvdisasm")
    assert _compiler.installed([str(nvidia), str(nvidia / "nowhere")]) == {}


def test_variables_that_are_set_stay(nvidia, monkeypatch):
    put(nvidia, "cu13/lib/libnvrtc.so.13", "cu13/lib/libnvrtc-builtins.so.13.0")
    put(nvidia, "cu13/bin/nvdisasm", mode=0o755)
    monkeypatch.setattr(sys, "path", [str(nvidia.parent)])
    monkeypatch.setenv("FATHOM_NVRTC", "my own")
    monkeypatch.setenv("FATHOM_NVDISASM", "")
    _compiler.use_installed()
    assert os.environ["FATHOM_NVRTC"] == "my own"
    assert os.environ["FATHOM_NVDISASM"] == str(nvidia / "cu13/bin/nvdisasm")
