# SPDX-License-Identifier: Apache-2.0
"""What the tables of docs/comparison-sorts.md and docs/radix-sorts.md have in common."""
import functools
import itertools
import json
import re
import statistics
import sys
import textwrap

from documented.data import ROOT, defaults, fathom, validated

INPUTS = ("random", "sorted", "reverse", "nearly-sorted", "few-unique", "equal", "conflict-heavy", "zipf")


@functools.cache
def text(file):
    return (ROOT / "data" / file).read_text()


def parse(pattern, file):
    """The groups of each match, at least one."""
    found = re.findall(pattern, text(file), re.MULTILINE)
    if not found:
        sys.exit(f"data/{file} has no line like {pattern}")
    return found


def parse_lines(pattern, file):
    """The groups of each line that is not empty after the file's first paragraph: all must match."""
    lines = [line for line in text(file).split("\n\n", 1)[1].splitlines() if line]
    matches = [re.fullmatch(pattern, line) for line in lines]
    if None in matches:
        sys.exit(f"data/{file}: '{lines[matches.index(None)]}' is not like {pattern}")
    return [one.groups() for one in matches]


@functools.cache
def provenance(file):
    return json.loads(text(file))["provenance"]


def size(n):
    """n as 2^20 or 3·10^5."""
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    exponent = len(str(n)) - 1
    return f"{n / 10**exponent:.9g}·10^{exponent}"


def three(value):
    """Three significant digits."""
    return f"{value:#.3g}".removesuffix(".")


def listed(values):
    values = list(values)
    return ", ".join(values[:-1]) + " and " + values[-1] if len(values) > 1 else values[0]


def spread(values, digits=2, join="to"):
    """The least and the largest, once if they are printed alike."""
    least, most = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return least if least == most else f"{least} {join} {most}"


def bold(value, missed):
    return f"**{value}**" if missed else value


def bold_above(value, limit, digits=1):
    """Bold if what is printed is above the limit."""
    return bold(f"{value:.{digits}f}", round(value, digits) > limit)


def paragraph(sentences, first="", rest=""):
    """Lines of at most 128 characters, none of which ends between a number and its unit."""
    together = re.sub(r"(?<=\d) (?=%|µs|ms)", "~", sentences)
    lines = textwrap.wrap(together, 128, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
    return [line.replace("~", " ") for line in lines]


def item(sentences):
    """An item of a list."""
    return paragraph(sentences, "- ", "  ")


def input_names():
    return [one if one == "conflict-heavy" else one.replace("-", " ") for one in INPUTS]


class Times:
    """Medians of a file's checked runs in which the clock stayed, in seconds."""

    def __init__(self, file):
        self.file = file
        self.runs = [one for one in json.loads(text(file))["runs"] if one["checked"] and not one["clock_moved"]]
        self.default, self.least, self.sizes = {}, {}, {}
        for run in self.runs:
            kind = run["type"] + (" stable" if run["stable"] else "")
            key = (run["algorithm"], kind, run["n"], run["input"])
            median = statistics.median(run["seconds"])
            self.least[key] = min(median, self.least.get(key, median))
            if run["parameters"] == defaults()[run["algorithm"]]:
                self.default[key] = median
                self.sizes.setdefault((run["algorithm"], kind), set()).add(run["n"])

    def __call__(self, algorithm, kind, n, input="random"):
        """At default parameters."""
        key = (algorithm, kind, n, input)
        if key not in self.default:
            sys.exit(f"data/{self.file} has no run of {key}")
        return self.default[key]

    def fastest(self, algorithm, kind, n, input="random"):
        """Over all sets of parameters in the file."""
        return self.least[(algorithm, kind, n, input)]

    def exact(self, algorithm, kind, n, input="random", **parameters):
        found = [statistics.median(run["seconds"]) for run in self.runs
                 if (run["algorithm"], run["type"], run["n"], run["input"]) == (algorithm, kind, n, input)
                 and run["parameters"] | parameters == run["parameters"]]
        if len(found) != 1:
            sys.exit(f"data/{self.file} has {len(found)} runs of {algorithm} {kind} {n} {input} {parameters}")
        return found[0]

    def ratio(self, algorithm, baseline, kind, n, input="random"):
        """The baseline's time over this one's: above 1 where this one is faster."""
        return self(baseline, kind, n, input) / self(algorithm, kind, n, input)


def table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return [lines[0].replace("|  |", "| |"), "|" + "---|" * len(head), *lines[1:]]


def times_row(name, seconds, baseline, unit=1e3, show=three):
    """A row of times, in brackets the baseline's over each; None is a cell that was not measured."""
    cells = []
    for own, other in itertools.zip_longest(seconds, baseline or ()):
        compared = f" ({other / own:.2f})" if own and other else ""
        cells.append(show(own * unit) + compared if own else "")
    return [name, *cells]


def predictions(pattern, is_wanted):
    """The runs of files of data/ that no fit saw, with predicted times, law counted."""
    found = [one for one in validated(pattern)["runs"] if not one["fitted"] and one["predicted_s"] and is_wanted(one)]
    if not found:
        sys.exit(f"data/{pattern} has no such predicted run")
    return found


def is_default(run):
    return run["parameters"] == defaults()[run["algorithm"]]


def kernel_error(algorithm, kind, n, kernel, us, launches):
    """Predicted over measured time of all launches of a kernel, less 1: negative where the law is too fast."""
    predicted_s, count = predicted_kernels(algorithm, kind, n)[kernel]
    if launches != count:
        sys.exit(f"{algorithm} {kind} {n}: {kernel} was launched {launches} times, and {count} are predicted")
    return predicted_s / (us * 1e-6) - 1


def off(errors, digits=0):
    """'11 to 14 % fast', from signed errors."""
    shares = [100 * abs(one) for one in errors]
    if min(errors) * max(errors) < 0:
        sys.exit(f"errors of both signs cannot be called fast or slow: {errors}")
    return f"{spread(shares, digits)} % {'fast' if errors[0] < 0 else 'slow'}"


def error_cells(comparison, algorithm, kinds, target):
    """The mean and the worst error of each type, in per cent; a mean above the target is bold."""
    found = {one["type"]: one for one in comparison["errors"]
             if one["algorithm"] == algorithm and one["group"] == "all" and one["runs"] > 0}
    return [f"{bold_above(100 * found[kind]['mean_absolute_relative_error'], target)}, {100 * found[kind]['worst']:.0f}"
            if kind in found else "" for kind in kinds]


@functools.cache
def predicted_kernels(algorithm, kind, n):
    """Kernel to its predicted time of a sort and its launches, law counted, default parameters."""
    answer = fathom("predict", algorithm, "-n", str(n), "--type", kind, "--device", "h200", "--law", "counted")
    found = {}
    for one in answer["kernels"]:
        name = one["name"].split("<")[0]
        time_s, launches = found.get(name, (0, 0))
        found[name] = (time_s + one["time_s"], launches + one["launches"])
    return found


def regrets(file):
    """By algorithm: the sizes and types with the slowdown of the set of parameters predicted fastest."""
    found = {}
    for one in validated(file, smallest="1")["regrets"]:
        found.setdefault(one["algorithm"], []).append(one)
    return found
