# SPDX-License-Identifier: Apache-2.0
"""What tables in documents are made of: the runs in data/, and what the command says of them."""
import functools
import glob
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap

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


@functools.cache
def all_of_judgement(gpu, files):
    files = [ROOT / f"data/{gpu}-judgement" / f"{one}.json" for one in files]
    return fathom("validate", *files, "--device", gpu, "--law", "counted")["comparisons"][0]["runs"]


def of_judgement(gpu, files, least=0, below=float("inf")):
    """The runs of the campaign on this GPU at sizes and parameters that no other campaign has, as law `counted` predicts them."""
    return [run for run in all_of_judgement(gpu, files) if run["relative_error"] is not None and least <= run["n"] < below]


JUDGED_DEFAULTS = ("radix", "merge", "scan", "reduce")  # files with default parameters and random input


def percent(share):
    return f"{100 * share:.1f} %"


def deviation(share, digits=0):
    """With its sign."""
    return f"{100 * share:+.{digits}f} %".replace("-", "−")


class Errors:
    """Mean errors by algorithm, and by algorithm and type."""

    def __init__(self, by_type):
        """`by_type`: of each algorithm and type the number of runs and their mean error."""
        self.by_type = {key: error for key, (_, error) in by_type.items()}
        self.by_algorithm = {}
        for algorithm in sorted({name for name, _ in by_type}):
            own = [one for (name, _), one in by_type.items() if name == algorithm]
            self.by_algorithm[algorithm] = sum(runs * error for runs, error in own) / sum(runs for runs, _ in own)

    @classmethod
    def of(cls, comparison, types=None, algorithms=None):
        """Of the runs that no fit saw, of some types and algorithms."""
        return cls({(one["algorithm"], one["type"]): (one["runs"], one["mean_absolute_relative_error"]) for one in comparison["errors"]
                    if one["group"] == "all" and one["runs"] > 0 and (types is None or one["type"] in types)
                    and (algorithms is None or one["algorithm"] in algorithms)})

    @classmethod
    def of_runs(cls, runs):
        """Of all of them, where no fit is compared."""
        found = {}
        for run in runs:
            found.setdefault((run["algorithm"], run["type"]), []).append(abs(run["relative_error"]))
        return cls({key: (len(errors), statistics.mean(errors)) for key, errors in found.items()})

    def mean(self):
        return percent(statistics.mean(self.by_algorithm.values()))

    def worst(self):
        name, error = max(self.by_algorithm.items(), key=lambda one: one[1])
        return f"{percent(error)}, `{name}`"

    def worst_type(self):
        (name, kind), error = max(self.by_type.items(), key=lambda one: one[1])
        return f"{percent(error)}, `{name}` `{kind}`"


@functools.cache
def algorithms():
    return {one["slug"]: one for one in fathom("algorithms")["algorithms"]}


def defaults(algorithm, n, kind):
    """The default parameters of an algorithm for n elements of a type; {} for one that is not known."""
    if algorithm not in algorithms():
        return {}
    one = algorithms()[algorithm]
    values = {parameter["name"]: parameter["default"] for parameter in one["parameters"]}
    for others in reversed(one["other_defaults"]):  # of each parameter the first that applies counts
        if kind.removesuffix(" stable") in others["types"] and n <= (others["most_n"] or n):
            values |= others["parameters"]
    return values


@functools.cache
def runs_of(*files):
    """The checked runs, at a steady clock, in these files below data/. CUB's runs of before it had parameters get the defaults."""
    runs = [run for file in files for run in json.loads((ROOT / "data" / file).read_text())["runs"]]
    runs = [run | {"parameters": defaults(run["algorithm"], run["n"], run["type"])} if not run["parameters"] else run for run in runs]
    return [run for run in runs if run["checked"] and not run["clock_moved"]]


def kind_of(run):
    return run["type"] + (" stable" if run.get("stable") else "")


def is_default(run):
    return run["parameters"] == defaults(run["algorithm"], run["n"], run["type"])


@functools.cache
def judged(pattern, law="counted"):
    """Predicted against measured, run by run: those of validate, of any n, with steady clocks, that took part in no fit."""
    files = sorted(glob.glob(str(ROOT / "data" / pattern)))
    measured = [run for file in files for run in json.loads(pathlib.Path(file).read_text())["runs"]]
    compared = fathom("validate", *files, "--device", "h200", "--law", law)["comparisons"][0]["runs"]
    if [(one["algorithm"], one["n"], one["parameters"]) for one in measured] != [
            (one["algorithm"], one["n"], one["parameters"]) for one in compared]:
        sys.exit(f"validate does not list the runs of {pattern} in their order")
    return [two | {"type": kind_of(one)} for one, two in zip(measured, compared)
            if one["checked"] and not one["clock_moved"] and two["predicted_s"] and not two["fitted"]]


def three(value):
    """Three significant digits."""
    return f"{value:#.3g}".removesuffix(".")


def marked(text, met):
    return text if met else f"**{text}**"


def at_least(target, value, digits=2):
    return marked(f"{value:.{digits}f}", value >= target)


def at_most(target, value, digits=1):
    return marked(f"{value:.{digits}f}", value <= target)


def table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return [lines[0].replace("|  |", "| |"), "|" + "---|" * len(head), *lines[1:]]


def found(pattern, file):
    """What a strict pattern finds in a text file below data/."""
    match = re.search(pattern, (ROOT / "data" / file).read_text())
    if not match:
        sys.exit(f"data/{file} has no '{pattern}'")
    return match.groups() if len(match.groups()) > 1 else match.group(1)


class Times:
    """Median times in seconds of the runs in files below data/, the fastest where one was measured several times."""

    def __init__(self, *files):
        self.found = {}
        for run in runs_of(*files):
            key = run["algorithm"], kind_of(run), run.get("input", "random"), run["n"]
            self.found.setdefault(key, []).append((statistics.median(run["seconds"]), run["parameters"]))

    def best(self, algorithm, kind, n, order="random"):
        """The time with the parameters that are fastest, and these."""
        return min(self.found[algorithm, kind, order, n], key=lambda one: one[0])

    def default(self, algorithm, kind, n, order="random", **changed):
        """The time with the default parameters, but for those named."""
        wanted = defaults(algorithm, n, kind) | changed
        return min(time for time, parameters in self.found[algorithm, kind, order, n] if parameters == wanted)

    def sizes(self, algorithm, kind, smallest=0, largest=1 << 40):
        return sorted(n for name, type_, order, n in self.found
                      if (name, type_, order) == (algorithm, kind, "random") and smallest <= n <= largest)

    def orders(self, algorithm, kind, n):
        return [order for name, type_, order, size in self.found if (name, type_, size) == (algorithm, kind, n)]


def paragraph(text, first="", rest=""):
    """The lines of a paragraph, or of a list item with first="- " and rest="  "; none ends between a number and its unit."""
    together = re.sub(r"(?<=\d) (?=%|µs|ms)", "~", text)
    lines = textwrap.wrap(together, 130, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
    return [line.replace("~", " ") for line in lines]


def item(text):
    return paragraph(text, "- ", "  ")


def read_json(file):
    return json.loads((ROOT / file).read_text())


def value_of(constant):
    """The value of a profile's constant, whose name says its unit."""
    return next(value for name, value in constant.items() if name.startswith("value"))
