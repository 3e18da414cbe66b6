# SPDX-License-Identifier: Apache-2.0
"""How far predictions from machine code alone are off, in docs/machine-code.md."""
import math
import statistics

from documented.data import deviation, paragraph, read_json
from documented.data import table

QUANTITIES = {"instructions": "instructions", "bytes": "bytes", "time_s": "time"}
COLUMNS = {"assumed": "turns unknown", "told": "turns told"}


def kernels():
    """But for launches that end at once, as the plan knows and the machine code does not."""
    return [one for one in read_json("data/predictions/machine-code.json")["kernels"] if "<0>" not in one["kernel"]]


def logarithms(of, quantity, some):
    """Of what is assumed over what is counted, of kernels that have any of it."""
    return [math.log(one[of][quantity] / one["counted"][quantity]) for one in some
            if one["counted"][quantity] > 0 and one[of][quantity] > 0]


def as_factor(log):
    return deviation(math.expm1(log)) if abs(log) < math.log(2) else f"{math.exp(log):.3g}-fold"


def cells(logs):
    sizes = [abs(one) for one in logs]
    return [str(len(logs)), as_factor(statistics.median(sizes)).lstrip("+"),
            f"{100 * sum(one < math.log(1.25) for one in sizes) / len(sizes):.0f} %", as_factor(max(logs, key=abs)),
            as_factor(statistics.fmean(logs)), f"{math.sqrt(statistics.fmean(one * one for one in logs)):.2f}"]


def figures():
    some = kernels()
    rows = [[f"{named}, {column}", *cells(logarithms(of, quantity, some))]
            for quantity, named in QUANTITIES.items() for of, column in COLUMNS.items()]
    known = [one for one in some if one["unknown_loops"] == 0]
    rows.append(["time, kernels without unknown loops", *cells(logarithms("assumed", "time_s", known))])
    by_time = sorted((one for one in some), key=lambda one: -abs(math.log(one["told"]["time_s"] / one["counted"]["time_s"])))
    worst = ", ".join(f"`{one['kernel']}` of `{one['algorithm']}` {one['type']} "
                      f"({as_factor(math.log(one['told']['time_s'] / one['counted']['time_s']))})" for one in by_time[:4])
    return [*table(["of each kernel", "kernels", "median deviation", "within 25 %", "worst", "mean", "RMS of the logarithm"], rows), "",
            *paragraph(f"The worst times with turns told are those of {worst}.")]


BLOCKS = {"machine-code": figures}
