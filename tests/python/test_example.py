"""The example in the documentation runs, without a GPU."""

import subprocess
import sys
from pathlib import Path


def test_the_example_runs():
    example = Path(__file__).parents[2] / "docs/python-example.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "SplitByDigit takes 48%" in done.stdout
