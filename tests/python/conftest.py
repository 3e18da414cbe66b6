# SPDX-License-Identifier: Apache-2.0
"""The package under test is the installed one; what it is compared with is the command FATHOM_COMMAND, else that of the
release build."""

import json
import os
import subprocess
from pathlib import Path

import pytest

root = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command():
    """A function that runs the command `fathom` with --json and returns its answer."""
    program = Path(os.environ.get("FATHOM_COMMAND", root / "build/release/bin/fathom"))
    if not program.exists():
        pytest.skip(f"{program} is not built: scripts/build release, or name another with FATHOM_COMMAND")

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.removeprefix("fathom: ").rstrip("\n"))
        return json.loads(done.stdout)

    return run


@pytest.fixture(autouse=True)
def no_files_of_the_user(monkeypatch, tmp_path):
    """Profiles of the user's own must not change the answers."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def data():
    """The measured runs that ship with the project."""
    return root / "data"
