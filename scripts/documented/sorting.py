# SPDX-License-Identifier: Apache-2.0
"""What the tables of docs/comparison-sorts.md and docs/radix-sorts.md have in common."""
import functools
import itertools
import re
import sys

from documented.data import ROOT, at_most, fathom, judged, three, validated

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


def listed(values):
    values = list(values)
    return ", ".join(values[:-1]) + " and " + values[-1] if len(values) > 1 else values[0]


def spread(values, digits=2, join="to"):
    """The least and the largest, once if they are printed alike."""
    least, most = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return least if least == most else f"{least} {join} {most}"


def input_names():
    return [one if one == "conflict-heavy" else one.replace("-", " ") for one in INPUTS]


def known(time, *case):
    """A time of Times, or None where none was measured."""
    try:
        return time(*case)
    except (KeyError, ValueError):
        return None


def times_row(name, seconds, baseline, unit=1e3, show=three):
    """A row of times, in brackets the baseline's over each; None is a cell that was not measured."""
    cells = []
    for own, other in itertools.zip_longest(seconds, baseline or ()):
        compared = f" ({other / own:.2f})" if own and other else ""
        cells.append(show(own * unit) + compared if own else "")
    return [name, *cells]


def predictions(file, is_wanted):
    """The wanted runs of a file that no fit saw, with predicted times, law counted; at least one."""
    found = list(filter(is_wanted, judged(file)))
    if not found:
        sys.exit(f"data/{file} has no such predicted run")
    return found


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
    return [f"{at_most(target, 100 * found[kind]['mean_absolute_relative_error'])}, {100 * found[kind]['worst']:.0f}"
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
