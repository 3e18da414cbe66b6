# SPDX-License-Identifier: Apache-2.0
"""What tables in documents are made of: the runs in data/, and what the command says of them."""
import functools
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
command = ROOT / "build/release/bin/fathom"  # scripts/figures may set another
EMPTY = tempfile.TemporaryDirectory()
# The shipped tables alone answer: what the machine has counted before, or could count, must not change a figure.
ENVIRONMENT = os.environ | {"FATHOM_NVDISASM": "/nonexistent", "FATHOM_CACHE": EMPTY.name}


def fathom(*options):
    return json.loads(subprocess.run([command, *options, "--json"], capture_output=True, text=True, check=True,
                                     env=ENVIRONMENT).stdout)


@functools.cache
def validated(pattern, law="counted", smallest="2^20"):
    files = sorted(glob.glob(str(ROOT / "data" / pattern)))
    return fathom("validate", *files, "--device", "h200", "--law", law, "--smallest-n", smallest)["comparisons"][0]


def percent(share):
    return f"{100 * share:.1f} %"


class Errors:
    """Mean errors of the runs that no fit saw, of some types and algorithms."""

    def __init__(self, comparison, types=None, algorithms=None):
        rows = [one for one in comparison["errors"] if one["group"] == "all" and one["runs"] > 0]
        rows = [one for one in rows if types is None or one["type"] in types]
        rows = [one for one in rows if algorithms is None or one["algorithm"] in algorithms]
        self.by_type = {(one["algorithm"], one["type"]): one["mean_absolute_relative_error"] for one in rows}
        self.by_algorithm = {}
        for algorithm in sorted({one["algorithm"] for one in rows}):
            own = [one for one in rows if one["algorithm"] == algorithm]
            runs = sum(one["runs"] for one in own)
            self.by_algorithm[algorithm] = sum(one["runs"] * one["mean_absolute_relative_error"] for one in own) / runs

    def mean(self):
        return percent(statistics.mean(self.by_algorithm.values()))

    def worst(self):
        name, error = max(self.by_algorithm.items(), key=lambda one: one[1])
        return f"{percent(error)}, `{name}`"

    def worst_type(self):
        (name, kind), error = max(self.by_type.items(), key=lambda one: one[1])
        return f"{percent(error)}, `{name}` `{kind}`"


@functools.cache
def defaults():
    return {one["slug"]: {parameter["name"]: parameter["default"] for parameter in one["parameters"]}
            for one in fathom("algorithms")["algorithms"]}


def median_s(runs, algorithm, kind):
    """The median time of 2^28 random elements at default parameters."""
    def is_wanted(run):
        return (run["algorithm"] == algorithm and run["type"] == kind and run["n"] == 1 << 28
                and run.get("input", "random") == "random" and not run.get("stable")
                and run["parameters"] == defaults()[algorithm])

    found = [statistics.median(run["seconds"]) for run in runs if is_wanted(run)]
    if not found:
        sys.exit(f"data/ has no run of {algorithm} {kind} with 2^28 elements")
    return min(found)


def ratios(file, algorithm, baseline, kinds):
    runs = json.loads((ROOT / "data" / file).read_text())["runs"]
    return ", ".join(f"{median_s(runs, baseline, kind) / median_s(runs, algorithm, kind):.2f}" for kind in kinds)
