# SPDX-License-Identifier: Apache-2.0
"""How far the simulated multiprocessor is off, in docs/multiprocessor.md."""
import functools
import math
import re
import statistics

from documented.data import ROOT, paragraph, read_json, table
from documented.sorting import listed

USUAL = "as it is"
PIPE_BOUND = 1.25  # clocks of the pipes over those of memory, from which on a launch is called bound by pipes
LABELS = {"no banks": "registers without banks", "memory at once": "memory at once", "round robin": "round robin",
          "branch 1": "branches of 1 clock", "branch 16": "branches of 16 clocks", "no barriers": "no barriers",
          "shared 1": "shared memory at once", "special 1": "special functions at once",
          "no starts": "blocks that start at once", "lsu free": "a load/store unit that takes no time",
          "alu free": "an ALU that takes no time"}


@functools.cache
def rows():
    return read_json("data/h200/hardware/simulated.json")["rows"]


def error(row, variant=None):
    return 100 * ((row["simulated_s"][variant] if variant else row["law_s"]) / row["measured_s"] - 1)


def rms(some, variant=None):
    return math.sqrt(statistics.mean(error(row, variant) ** 2 for row in some))


def many_waves():
    return [row for row in rows() if row["waves"] > 2]


def pipe_bound():
    return [row for row in many_waves() if row["pipes_s"] > PIPE_BOUND * row["memory_s"]]


def groups():
    memory = [row for row in many_waves() if row["memory_s"] > PIPE_BOUND * row["pipes_s"]]
    between = [row for row in many_waves() if row not in pipe_bound() and row not in memory]
    return [("more than two waves", many_waves()), ("… bound by pipes", pipe_bound()), ("… by both", between), ("… by memory", memory),
            ("at most two waves", [row for row in rows() if row["waves"] <= 2])]


def cells(some):
    def mean(variant):
        return round(statistics.mean(error(row, variant) for row in some), 1) + 0.0  # not -0.0

    return [f"{rms(some, variant):.1f} ({mean(variant):+.1f})".replace("-", "−") for variant in (None, USUAL)]


def by_group():
    return table(["launches", "cases", "law, %", "simulated, %"],
                 [[name, str(len(some)), *cells(some)] for name, some in groups() if some])


def by_kernel():
    kernels = {}
    for row in many_waves():
        kernels.setdefault(row["kernel"], []).append(row)
    return table(["kernel, more than two waves", "cases", "law, %", "simulated, %"],
                 [[f"`{name}`", str(len(some)), *cells(some)] for name, some in sorted(kernels.items())])


def variants():
    some = pipe_bound()
    return paragraph(f"What the constants matter: the RMS of the {len(some)} cases of more than two waves that are bound by pipes is "
                     f"{rms(some, USUAL):.1f} %, and with " + listed(
                         f"{label} {rms(some, name):.1f} %" for name, label in LABELS.items()) + ".")


def laws():
    """The parts of the file of trials: forms with an error each, kinds of runs with the law's and the simulated error, forms with the errors
    of four kinds of runs on two GPUs."""
    text = (ROOT / "data/h200/hardware/simulated-laws.txt").read_text()
    forms, judged, parts = (re.findall(r"^  (\S.*?) {2,}([\d. ]+)$", part, re.M) for part in re.split(r"\n\d\. ", text)[1:])
    return [*table(["default parameters, n ≥ 2^24, mean over 45 algorithms and types", "error, %"], forms), "",
            *paragraph("The last of these was then built, with the clocks of a block alone and of a full multiprocessor in "
                       "the work tables (`lone_clocks`, `steady_clocks`; they have them no more), and judged on runs that had not been looked at:"), "",
            *table(["`data/h200-judgement`, mean over the algorithms", "law `counted` of then, %", "simulated, %"],
                   [[name, *errors.split()] for name, errors in judged]), "",
            *paragraph("Most of the difference is `sort-mms` of pairs, whose simulated clocks are wrong by a factor, but what is left is no "
                       "gain either. So the simulation does not carry on kernels that it was not looked at with. The last trial left the form "
                       "as it is and took from the simulation only the share of a block that does not overlap, kernel by kernel; and added "
                       "the writes of sectors in parts at their measured rate:"), "",
            *table(["mean over the algorithms, %; H200 (H100)", "n ≥ 2^20", "n < 2^20", "grids", "other inputs"],
                   [[name, *(f"{h200} ({h100})" for h200, h100 in zip(errors.split()[:4], errors.split()[4:]))] for name, errors in parts])]


BLOCKS = {"multiprocessor-groups": by_group, "multiprocessor-kernels": by_kernel, "multiprocessor-variants": variants,
          "multiprocessor-laws": laws}
